#!/usr/bin/env python3
"""Scalings of the columns for linear models at bounded FPR: the FNR on test rows at a threshold where the FPR on these rows is the bound.

usage: bench/scaling.py NEYMAN DATA_FOLDER [RESULT]

For each set of DATA_FOLDER (NAME.train.svm.gz, NAME.test.svm.gz) and each bound, a linear model is trained with each
scaling, and its scores of the test rows are compared: the FNR is that of the smallest threshold at which at most the bound's share of test negatives
is at or above it ("matched FPR"). Columns: set, bound, FNR after none, standard, rank and asinh.
"""
import glob
import os
import subprocess
import sys
import tempfile

SCALES = ("none", "standard", "rank", "asinh")
BOUNDS = (0.01, 0.05, 0.1)


def matched_fnr(rows, bound):
    negatives = sorted((s for y, s in rows if y < 0), reverse=True)
    positives = [s for y, s in rows if y > 0]
    cut = negatives[int(bound * len(negatives))]  # the scores above it are within the bound
    return sum(s <= cut for s in positives) / len(positives)


def scores(program, model, data):
    out = subprocess.run([program, "predict", "-q", "--scores", "--threads", "1", model, data], check=True,
                         capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in out.splitlines()]
    label, score = lines[0].index("label"), lines[0].index("score")
    return [(float(f[label]), float(f[score])) for f in lines[1:]]


def main():
    program, folder = sys.argv[1], sys.argv[2]
    out = open(sys.argv[3], "w", encoding="utf-8") if len(sys.argv) > 3 else sys.stdout
    scales = SCALES
    print("set\tbound\t" + "\t".join(scales), file=out)
    with tempfile.TemporaryDirectory() as work:
        for train in sorted(glob.glob(folder + "/*.train.svm.gz")):
            name = os.path.basename(train).split(".")[0]
            test = train.replace(".train.", ".test.")
            rows = {}
            for scale in scales:
                model = os.path.join(work, "m")
                r = subprocess.run([program, "train", "-q", "--threads", "1", "--max-iter", "2000", "--max-time", "20", "--scale",
                                    scale, train, "-o", model], capture_output=True, text=True)
                if r.returncode in (0, 5):
                    rows[scale] = scores(program, model, test)
            for bound in BOUNDS:
                cells = [f"{matched_fnr(rows[s], bound):.3f}" if s in rows else "-" for s in scales]
                print(f"{name}\t{bound}\t" + "\t".join(cells), file=out, flush=True)


main()
