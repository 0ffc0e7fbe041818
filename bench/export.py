"""Exported models against neyman predict: the largest difference of scores, relative to the largest score, and
labels that differ, for C source and ONNX (onnxruntime in node), all sets of the shared data and all families.
At most 1500 training rows and 500 test rows of each set; sets of more than 1000 columns with linear models only.

    sh bench/run.sh export
"""
import array
import gzip
import sys

from common import NEYMAN, ROOT, WORK, have, run, table

SHARED = ROOT.parent / "shared" / "data"
MODULES = ROOT / "build" / "web"
FAMILIES = {"linear": [], "rbf": ["--kernel", "rbf"], "features": ["--features", "100", "--epochs", "1", "--max-fpr", "0.2", "--confidence", "none"],
            "network": ["--network", "8", "--epochs", "1", "--max-fpr", "0.2", "--confidence", "none"], "trees": ["--trees", "50"]}

DRIVER = """
#include "model.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    static double x[model_INPUTS];
    FILE *in = fopen(argv[argc - 1], "rb");
    while (in && fread(x, sizeof *x, model_INPUTS, in) == model_INPUTS) printf("%d %.17g\\n", model_predict(x), model_score(x));
    return 0;
}
"""

ONNX = """
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const ort = createRequire(process.argv[2] + "/")("onnxruntime-node");
const bytes = readFileSync(process.argv[4]), rows = Number(process.argv[5]);
const x = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
const session = await ort.InferenceSession.create(process.argv[3], { intraOpNumThreads: 1, logSeverityLevel: 3 });
const { score, decision } = await session.run({ x: new ort.Tensor("float64", x, [rows, x.length / rows]) });
score.data.forEach((s, i) => console.log(`${decision.data[i]} ${s}`));
"""


def sample(path, n, to):
    with gzip.open(path, "rt") as file, open(to, "w") as out:
        lines = file.readlines()
        lines = lines[::max(1, len(lines) // n)][:n]  # evenly, as some files are sorted
        out.writelines(lines)
    return lines


def dense(lines, cols, to):
    with open(to, "wb") as out:
        for line in lines:
            row = array.array("d", bytes(8 * cols))
            for word in line.split("#")[0].split()[1:]:
                k, v = word.split(":")
                if int(k) <= cols:
                    row[int(k) - 1] = float(v)
            row.tofile(out)


def scores(text):
    return [tuple(map(float, line.split())) for line in text.splitlines()]


def exported_c(model, cells):
    run([str(NEYMAN), "export", "-q", str(model), "--format", "c", "-o", str(WORK / "model.c"), "--header", str(WORK / "model.h")])
    (WORK / "driver.c").write_text(DRIVER)
    run(["cc", "-O1", "-ffp-contract=off", f"-I{WORK}", "-o", str(WORK / "driver"), str(WORK / "driver.c"), str(WORK / "model.c"), "-lm"])
    return scores(run([str(WORK / "driver"), str(cells)])[1])


def onnx(model, cells, n):
    run([str(NEYMAN), "export", "-q", str(model), "--format", "onnx", "-o", str(WORK / "m.onnx")])
    (WORK / "run.mjs").write_text(ONNX)
    return scores(run(["node", str(WORK / "run.mjs"), str(MODULES), str(WORK / "m.onnx"), str(cells), str(n)])[1])


def difference(got, want, sign):
    size = max(abs(s) for _, s in want) or 1
    wrong = sum(sign(a) != b for (a, _), (b, _) in zip(got, want))
    return max(abs(a - b) for (_, a), (_, b) in zip(got, want)) / size, wrong


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    with_onnx = have("node") and (MODULES / "node_modules" / "onnxruntime-node").exists()
    worst, n_sets = {}, 0
    for train in sorted(SHARED.glob("*.train.svm.gz")):
        name = train.name.split(".")[0]
        sample(train, 1500, WORK / "train.svm")
        lines = sample(SHARED / f"{name}.test.svm.gz", 500, WORK / "test.svm")
        n_sets += 1
        for family, options in FAMILIES.items():
            model, cells = WORK / "m", WORK / "cells"
            try:
                run([str(NEYMAN), "train", "-q", *options, str(WORK / "train.svm"), "-o", str(model)], (0, 5))
            except SystemExit as end:
                print(f"{name}, {family}: {end}", file=sys.stderr)
                continue
            info = run([str(NEYMAN), "info", str(model)])[1]
            cols = int([line.split()[-1] for line in info.splitlines() if line.strip().startswith("features")][0].replace(",", ""))
            if cols > 1000 and family != "linear":
                break
            dense(lines, cols, cells)
            text = run([str(NEYMAN), "predict", "-q", "--scores", str(model), str(WORK / "test.svm")])[1]
            head_line, *rows = [line.split("\t") for line in text.splitlines()]
            want = [(1 if float(r[0]) > 0 else -1, float(r[1])) for r in rows]
            found = {"C": difference(exported_c(model, cells), want, lambda a: 1 if a > 0 else -1)}
            if with_onnx:
                found["ONNX"] = difference(onnx(model, cells, len(lines)), want, lambda a: int(a))
            for way, (gap, wrong) in found.items():
                old = worst.get((family, way), (0.0, "", 0, 0))
                worst[family, way] = (max(old[0], gap), name if gap >= old[0] else old[1], old[2] + wrong, old[3] + len(want))
    table(f"Exported models against predict, {n_sets} sets", ["family", "format", "largest relative difference", "on", "labels that differ", "rows"],
          [[f, w, f"{g:.1e}", s, d, n] for (f, w), (g, s, d, n) in worst.items()])


if __name__ == "__main__":
    main()
