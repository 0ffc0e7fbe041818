"""Scoring rows as they arrive: throughput and memory of neyman predict from text, a pipe and arrays,
against reading all rows at once and against svm-predict; latency of single rows on an open pipe.

Throughput is in rows per second of processor time, one thread, so that other load does not count.
"""
import os
import random
import statistics
import struct
import subprocess
import sys
import time

from common import NEYMAN, WORK, have, run, table

ROWS = int(os.environ.get("NEY_BENCH_STREAM_ROWS", "10000000"))
COLS = 6
VECTORS = 5000


def line_of(rng, noise=0.0):
    positive = rng.random() < 0.4
    shift = 0.0 if rng.random() < noise else 0.8 * positive
    cells = " ".join(f"{c + 1}:{rng.random() + shift:.3f}" for c in range(COLS))
    return f"{1 if positive else -1} {cells}\n"


def write_rows(path, n, noise=0.0, seed=1):
    """n rows: a block of at most 100,000 random ones, repeated."""
    rng = random.Random(seed)
    block = [line_of(rng, noise) for _ in range(min(n, 100000))]
    with open(path, "w") as out:
        for first in range(0, n, len(block)):
            out.writelines(block[:n - first])


def write_array(path, n, seed=1):
    """The same number of random rows as doubles (.npy)."""
    rng = random.Random(seed)
    block = b"".join(struct.pack(f"<{COLS}d", *(round(rng.random(), 3) for _ in range(COLS))) for _ in range(min(n, 100000)))
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {COLS}), }}".ljust(117) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
        for _ in range(n // min(n, 100000)):
            out.write(block)


# A process counts as having used what its parent had when it was started: a small parent measures.
CHILD = """import os, sys
pid = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def peak(command):
    """Processor seconds and peak megabytes."""
    out = subprocess.run([sys.executable, "-S", "-c", CHILD, *map(str, command)], check=True, capture_output=True, text=True).stdout
    code, seconds, memory = out.splitlines()[-1].split()
    if int(code) not in (0, 5):
        sys.exit(f"{' '.join(map(str, command))}: exit {code}")
    return float(seconds), int(memory) / 1024


def latency(model, lines):
    """Median and 99th percentile of the milliseconds from a row to its line."""
    command = [str(NEYMAN), "predict", "-q", "--scores", "--threads", "1", str(model), "-"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    times = []
    for k, line in enumerate(lines):
        begin = time.perf_counter()
        process.stdin.write(line)
        process.stdin.flush()
        if k == 0:
            process.stdout.readline()  # the header
        process.stdout.readline()
        times.append(1000 * (time.perf_counter() - begin))
    process.stdin.close()
    process.wait()
    times = sorted(times[10:])
    return statistics.median(times), times[int(0.99 * len(times))]


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    train, many, some = WORK / "stream-train.svm", WORK / "stream-many.svm", WORK / "stream-some.svm"
    linear, kernel, peer = WORK / "stream.linear", WORK / "stream.rbf", WORK / "stream.libsvm"
    write_rows(train, 2000)
    write_rows(many, ROWS)
    write_rows(some, ROWS // 10)
    run([str(NEYMAN), "train", "-q", str(train), "-o", str(linear)])
    noisy = WORK / "stream-noise.svm"
    write_rows(noisy, VECTORS + VECTORS // 4, noise=1.0)
    run([str(NEYMAN), "train", "-q", "--kernel", "rbf", "-C", "0.1", str(noisy), "-o", str(kernel)], (0, 5))
    base = [str(NEYMAN), "predict", "-q", "--threads", "1", "--scores"]
    array, archive = WORK / "stream.npy", WORK / "stream.npz"
    write_array(array, ROWS)
    rows = []

    def add(name, command, n):
        seconds, memory = peak(command)
        rows.append([name, n, f"{seconds:.2f}", f"{n / seconds / 1e6:.2f}", f"{memory:.0f}"])
        print(rows[-1], file=sys.stderr, flush=True)

    add("streamed, text", [*base, linear, many, "-o", "/dev/null"], ROWS)
    add("streamed, text", [*base, linear, some, "-o", "/dev/null"], ROWS // 10)
    add("all rows at once (--seen)", [*base, "--seen", linear, many, "-o", "/dev/null"], ROWS)
    add("all rows at once (--seen)", [*base, "--seen", linear, some, "-o", "/dev/null"], ROWS // 10)
    add("streamed, text, pipe", ["sh", "-c", f"cat {some} | {' '.join(base)} {linear} - > /dev/null"], ROWS // 10)
    add("streamed, text, labels only", [str(NEYMAN), "predict", "-q", "--threads", "1", linear, many, "-o", "/dev/null"], ROWS)
    add("streamed, .npy", [*base, linear, array, "-o", "/dev/null"], ROWS)
    if ROWS <= 50_000_000:
        run([str(NEYMAN), "convert", "-q", str(some), str(archive)])
        add("streamed, .npz (CSR)", [*base, linear, archive, "-o", "/dev/null"], ROWS // 10)
    if have("svm-predict"):
        run([str(NEYMAN), "export", "-q", str(linear), "--format", "libsvm", "-o", str(peer)])
        add("svm-predict", ["svm-predict", many, peer, "/dev/null"], ROWS)
    table("Throughput and memory, one thread", ["run", "rows", "processor s", "10^6 rows per processor s", "peak MB"], rows)

    rng = random.Random(3)
    lines = [line_of(rng) for _ in range(1000)]
    info = run([str(NEYMAN), "info", str(kernel)])[1]
    vectors = [line.split()[-1] for line in info.splitlines() if line.startswith("support vectors")][0]
    table("Latency of one row on an open pipe, one thread", ["model", "median ms", "99 % ms"],
          [["linear", *(f"{t:.3f}" for t in latency(linear, lines))],
           [f"rbf, {vectors} support vectors", *(f"{t:.3f}" for t in latency(kernel, lines))]])


if __name__ == "__main__":
    main()
