"""Serving a model: latency of single rows and throughput of the ways of doc/guides/serving.md, on a linear model,
5,000 support vectors and boosted trees: a pipe to neyman predict, the exported C source, the ONNX file in
onnxruntime (node), ney_predict() in a process.

    sh bench/run.sh serving

Node's modules are looked for below build/web (make web-modules); without them ONNX is left out.
"""
import os
import random
import statistics
import subprocess
import sys
import time

from common import NEYMAN, ROOT, WORK, have, measure, run, table, tool

COLS = 20
SINGLE = 2000
MANY = int(os.environ.get("NEY_BENCH_SERVING_ROWS", "200000"))
MODULES = ROOT / "build" / "web"

DRIVER = """
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static int compare(const void *a, const void *b) { const double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }
int main(int argc, char **argv)
{
    enum { CALLS = 2000 };
    static double x[1000][model_INPUTS], took[CALLS];
    const long rows = argc > 1 ? atol(argv[1]) : 0;
    double sum = 0;
    for (int i = 0; i < 1000; i++) for (int k = 0; k < model_INPUTS; k++) x[i][k] = 2.0 * rand() / RAND_MAX;
    for (int i = 0; i < CALLS; i++) { const double begin = now(); sum += model_score(x[i % 1000]); took[i] = 1e6 * (now() - begin); }
    qsort(took, CALLS, sizeof *took, compare);
    const clock_t begin = clock();
    for (long i = 0; i < rows; i++) sum += model_score(x[i % 1000]);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%.2f %.2f %.0f\\n", took[CALLS / 2], took[CALLS * 99 / 100], (double)rows / seconds);
    return sum == 0.123; /* the sum is used */
}
"""

ONNX = """
import { createRequire } from "node:module";
const ort = createRequire(process.argv[2] + "/")("onnxruntime-node");
const [file, cols, rows] = [process.argv[3], Number(process.argv[4]), Number(process.argv[5])];
const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1 });
const cells = (n) => Float64Array.from({ length: n * cols }, () => 2 * Math.random());
const call = async (x, n) => session.run({ x: new ort.Tensor("float64", x, [n, cols]) });
const took = [];
for (let i = 0; i < 2000; i++) { const x = cells(1), begin = performance.now(); await call(x, 1); took.push(1000 * (performance.now() - begin)); }
took.sort((a, b) => a - b);
const block = cells(1000), begin = process.cpuUsage();
let done = 0;
for (; done < rows; done += 1000) await call(block, 1000);
const used = process.cpuUsage(begin);
console.log(took[1000].toFixed(2), took[1980].toFixed(2), (1e6 * done / (used.user + used.system)).toFixed(0));
"""


def write_rows(path, n, noise, seed):
    rng = random.Random(seed)
    with open(path, "w") as out:
        out.write("label," + ",".join(f"x{k}" for k in range(COLS)) + "\n")
        for _ in range(n):
            y = rng.random() < 0.5
            shift = 0.5 * (y if rng.random() >= noise else rng.random() < 0.5)
            out.write(f"{int(y)}," + ",".join(f"{rng.random() + shift:.4f}" for _ in range(COLS)) + "\n")


def pipe(model, rows):
    """Median and 99th percentile of the microseconds of one row, and rows per processor second of many."""
    lines = [line.split(",", 1)[1] for line in open(rows).read().splitlines()]
    command = [str(NEYMAN), "predict", "-q", "--scores", "--line-buffered", "--threads", "1", str(model), "-"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write((lines[0] + "\n").encode())
    took = []
    for k in range(SINGLE):
        begin = time.perf_counter()
        process.stdin.write((lines[1 + k % (len(lines) - 1)] + "\n").encode())
        process.stdin.flush()
        if k == 0:
            process.stdout.readline()
        process.stdout.readline()
        took.append(1e6 * (time.perf_counter() - begin))
    process.stdin.close()
    process.wait()
    took = sorted(took[10:])
    many = WORK / "serving-many.csv"
    if not many.exists():
        write_rows(many, MANY, 0.5, 9)
    seconds = measure([str(NEYMAN), "predict", "-q", "--scores", "--threads", "1", str(model), str(many), "-o", "/dev/null"])[1]
    return statistics.median(took), took[int(0.99 * len(took))], MANY / seconds


def exported_c(model, rows):
    folder = WORK / "serving-c"
    folder.mkdir(exist_ok=True)
    run([str(NEYMAN), "export", "-q", str(model), "--format", "c", "-o", str(folder / "model.c"), "--header", str(folder / "model.h")])
    (folder / "driver.c").write_text(DRIVER)
    run(["cc", "-O2", "-o", str(folder / "driver"), str(folder / "driver.c"), str(folder / "model.c"), "-lm", f"-I{folder}"])
    return tuple(map(float, run([str(folder / "driver"), str(rows)])[1].split()))


def onnx(model, rows):
    file, script = WORK / "serving.onnx", WORK / "serving.mjs"
    run([str(NEYMAN), "export", "-q", str(model), "--format", "onnx", "-o", str(file)])
    script.write_text(ONNX)
    return tuple(map(float, run(["node", str(script), str(MODULES), str(file), str(COLS), str(rows)])[1].split()))


def latency():
    train, noisy = WORK / "serving.csv", WORK / "serving-noise.csv"
    write_rows(train, 5000, 0.2, 1)
    write_rows(noisy, 5015, 1.0, 2)
    options = {"linear": [train], "rbf": ["--kernel", "rbf", "-C", "0.1", noisy], "trees": ["--trees", "200", "--depth", "6", train]}
    rows = []
    for name, arguments in options.items():
        model = WORK / f"serving.{name}"
        run([str(NEYMAN), "train", "-q", "--label", "label", *map(str, arguments), "-o", str(model)], (0, 5))
        info = run([str(NEYMAN), "info", str(model)])[1]
        size = [line.split()[-1] for line in info.splitlines() if "support vectors" in line]
        label = f"rbf, {size[0]} support vectors" if name == "rbf" else {"linear": "linear", "trees": "200 trees"}[name]
        many = 20000 if name == "rbf" else MANY
        ways = [("pipe", pipe(model, train)), ("exported C", exported_c(model, many)),
                ("library", tuple(map(float, run([tool("bench_serve"), str(model), str(COLS), str(many)])[1].split())))]
        if have("node") and (MODULES / "node_modules" / "onnxruntime-node").exists():
            ways.insert(2, ("ONNX", onnx(model, many)))
        rows += [[label, way, f"{t[0]:.1f}", f"{t[1]:.1f}", f"{t[2]:.0f}"] for way, t in ways]
    table(f"Serving, {COLS} columns, one thread", ["model", "way", "median us", "99 % us", "rows per processor second"], rows)


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    latency()


if __name__ == "__main__":
    sys.exit(main())
