"""Whole lines of costs, n+ C+ = n- C- up to C+ + C- = 20, against one tight (1e-8) training run at the end of the line and one
LIBSVM fit there: seconds of one processor, medians. Data from ../shared/data, or NEY_SHARED.

R's svmpath, measured elsewhere: 1.2 s for 1000 rows of ringnorm with an rbf kernel (1936 breakpoints, about 37 LIBSVM fits), 0.93 s
for 500 rows of Pima with one; it stops with a singular system at duplicated rows (Breast)."""
import os
import pathlib
import resource
import subprocess
import sys

from common import MOST_ROWS, ROOT, RUNS, WORK, have, table, tool

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
# set, rows, kernel, gamma
CASES = (("pima", 500, "rbf", 1), ("breast", 512, "rbf", 0.1), ("breast", 512, "linear", 0), ("ringnorm", 1000, "rbf", 0.05),
         ("ringnorm", 3700, "rbf", 0.05), ("twonorm", 3700, "rbf", 0.05), ("spambase", 2300, "rbf", 0.0175),
         ("magic", 5000, "rbf", 0.1), ("w8a", 5000, "rbf", 0.05), ("adult", 5000, "rbf", 0.01), ("spambase", 2300, "linear", 0),
         ("adult", 5000, "linear", 0), ("twonorm", 3700, "linear", 0), ("magic", 5000, "linear", 0))
TOTAL = 20


def libsvm(path, rows, kernel, gamma):
    """Seconds of svm-train at the end of the line, its own tolerance."""
    if not have("svm-train"):
        return None
    WORK.mkdir(parents=True, exist_ok=True)
    part = WORK / "path.svm"
    lines = subprocess.run(["gzip", "-dc", path], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[:rows]
    part.write_text("\n".join(lines) + "\n")
    positive = sum(not line.startswith("-") for line in lines) / len(lines)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["svm-train", "-q", "-t", "2" if kernel == "rbf" else "0", "-g", str(gamma or 1), "-c", "1", "-w1",
                    str(TOTAL * (1 - positive)), "-w-1", str(TOTAL * positive), "-h", "0", "-m", "1000", str(part),
                    str(WORK / "path.model")], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    rows = []
    for name, most, kernel, gamma in CASES:
        path = SHARED / f"{name}.train.svm.gz"
        if not path.exists():
            print(f"{path} is not there", file=sys.stderr)
            continue
        most = min(most, MOST_ROWS or most)
        out = subprocess.run([tool("bench_path"), path, str(most), kernel, str(gamma), str(TOTAL), str(RUNS)],
                             stdout=subprocess.PIPE, check=True).stdout.decode().split()
        line, one = float(out[4]), float(out[5])
        fit = libsvm(path, most, kernel, gamma)
        rows.append([name, out[0], kernel, out[1], out[2], out[3], f"{line:.3f}", f"{one:.3f}", f"{line / one:.1f}",
                     f"{line / fit:.1f}" if fit else "-", out[6]])
        print(" ".join(map(str, rows[-1])), flush=True)
    table("Whole lines of costs", ["set", "rows", "kernel", "breakpoints", "margin", "residual", "line s", "train s", "ratio",
                                   "LIBSVM fits", "objective"], rows)


if __name__ == "__main__":
    main()
