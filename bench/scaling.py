#!/usr/bin/env python3
"""Scalings of the columns for linear models at bounded FPR: the FNR on test rows at a threshold where the FPR on these rows is the bound.

usage: bench/scaling.py NEYMAN DATA_FOLDER [--sets NAME,...] [--draws N] [--seconds S] [--kernel K] > TABLE.tsv
       bench/scaling.py --report TABLE.tsv > REPORT.md

For each set of DATA_FOLDER (NAME.train.svm.gz, NAME.test.svm.gz) and each bound, a linear model is trained with each
scaling, and its scores of the test rows are compared: the FNR is that of the smallest threshold at which at most the bound's share of test negatives
is at or above it ("matched FPR"). Sets of at most 20,000 rows are joined and split at random, stratified, 75 % to train on, `--draws` times (default 10);
larger ones keep their split. Columns: set, draw, bound, FNR after each scaling.
"""
import argparse
import collections
import glob
import gzip
import math
import os
import random
import subprocess
import sys
import tempfile

SCALES = ("none", "standard", "rank", "asinh", "auto")
BOUNDS = (0.01, 0.05, 0.1)
MOST_ROWS_SPLIT = 20000
APART = 0.01  # "better" and "worse": by more than this


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


def lines_of(path):
    with gzip.open(path, "rt") as f:
        return f.readlines()


def splits(folder, name, work, draws):
    """Files of training and test rows, one pair per draw."""
    parts = [p for p in (f"{folder}/{name}.{part}.svm.gz" for part in ("train", "valid", "test")) if os.path.exists(p)]
    train, test = parts[0], parts[-1]
    rows = [line for p in parts for line in lines_of(p)] if sum(map(os.path.getsize, parts)) < 2_000_000 else []
    if not 0 < len(rows) <= MOST_ROWS_SPLIT:
        yield train, test
        return
    for draw in range(draws):
        rng, chosen = random.Random(draw + 1), {"train": [], "test": []}
        for sign in ("-", "+"):
            members = [r for r in rows if (r[0] == "-") == (sign == "-")]
            rng.shuffle(members)
            cut = round(0.75 * len(members))
            chosen["train"] += members[:cut]
            chosen["test"] += members[cut:]
        rng.shuffle(chosen["train"])
        for part, members in chosen.items():
            with open(os.path.join(work, part), "w", encoding="utf-8") as out:
                out.writelines(members)
        yield os.path.join(work, "train"), os.path.join(work, "test")


def run(args):
    print("set\tdraw\tbound\t" + "\t".join(SCALES))
    names = args.sets.split(",") if args.sets else \
        [os.path.basename(p).split(".")[0] for p in sorted(glob.glob(args.folder + "/*.train.svm.gz"))]
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            for draw, (train, test) in enumerate(splits(args.folder, name, work, args.draws)):
                rows, model = {}, os.path.join(work, "m")
                for scale in SCALES:
                    r = subprocess.run([args.program, "train", "-q", "--threads", "1", *(["--max-iter", "2000"] if args.kernel == "linear" else []),
                                        "--max-time", str(args.seconds), "--kernel", args.kernel,
                                        "--scale", scale, train, "-o", model], capture_output=True, text=True)
                    if r.returncode in (0, 5):
                        rows[scale] = scores(args.program, model, test)
                for bound in BOUNDS:
                    cells = [f"{matched_fnr(rows[s], bound):.4f}" if s in rows else "-" for s in SCALES]
                    print(f"{name}\t{draw}\t{bound}\t" + "\t".join(cells), flush=True)


def read_table(path):
    """{(set, bound): one list of FNRs per draw}"""
    cases = collections.OrderedDict()
    with open(path, encoding="utf-8") as f:
        next(f)
        for line in f:
            name, _, bound, *cells = line.split()
            cases.setdefault((name, float(bound)), []).append([float(c) for c in cells])
    return cases


def report(path):
    from scipy.stats import wilcoxon
    cases = read_table(path)
    means = {case: [sum(c) / len(c) for c in zip(*draws)] for case, draws in cases.items()}
    names = list(collections.OrderedDict.fromkeys(name for name, _ in cases))
    print("| set | draws | " + " | ".join(f"{SCALES[0]} {str(b)[1:]} | " + " | ".join(SCALES[1:]) for b in BOUNDS) + " |")
    print("|---" * (2 + len(BOUNDS) * len(SCALES)) + "|")
    for name in names:
        cells = [f"{x:.3f}" for b in BOUNDS for x in means[name, b]]
        print(f"| {name} | {len(cases[name, BOUNDS[0]])} | " + " | ".join(cells) + " |")
    base = SCALES.index("standard")
    print("\n| against `standard` | better | worse | mean FNR | relative FNR | sets better, worse | Wilcoxon p |\n|---|---|---|---|---|---|---|")
    for k, scale in enumerate(SCALES):
        if k == base:
            continue
        better = sum(m[k] < m[base] - APART for m in means.values())
        worse = sum(m[k] > m[base] + APART for m in means.values())
        logs = [sum(math.log((means[n, b][k] + .005) / (means[n, b][base] + .005)) for b in BOUNDS) / len(BOUNDS) for n in names]
        moved = [x for x in logs if abs(x) > 1e-12]
        p = wilcoxon(moved).pvalue if len(moved) > 5 else math.nan
        mean = sum(m[k] for m in means.values()) / len(means)
        print(f"| {scale} | {better} | {worse} | {mean:.4f} | {math.exp(sum(logs) / len(logs)):.3f} | "
              f"{sum(x < 0 for x in moved)}, {sum(x > 0 for x in moved)} | {p:.4f} |")
    print(f"\nMean FNR of `standard`: {sum(m[base] for m in means.values()) / len(means):.4f}. {len(means)} cases; \"better\" and "
          f"\"worse\": by more than {APART}; relative FNR: geometric mean over sets of (FNR + .005) / (FNR after `standard` + .005).")


def main():
    if sys.argv[1:2] == ["--report"]:
        report(sys.argv[2])
        return
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("folder")
    p.add_argument("--sets")
    p.add_argument("--draws", type=int, default=10)
    p.add_argument("--kernel", default="linear")
    p.add_argument("--seconds", type=float, default=600, help="most seconds of one training")
    run(p.parse_args())


main()
