"""Networks against the rbf kernel under a bounded FPR: FNR at the same FPR, and processor seconds of training.

    networks.py [--dev] [--sets NAME,...] [--alphas A,...] [--seeds N] [--runs NAME,...]

Training and validation part are trained on, the test part is scored; --dev: a third of the training and validation rows,
drawn at random, takes the place of the test part, which is not read. Columns are as in the files, C = 1, one thread for
training. The FNR is that at the threshold where the FPR of the scored rows is alpha, of networks the mean over seeds with
its standard deviation; seconds are user seconds of `neyman train`, reading included, the median over seeds."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

import numpy as np
from sklearn.datasets import dump_svmlight_file

from common import NEYMAN, WORK
from quality import given_split, roc_at

RUNS = {
    "rbf": ("--kernel", "rbf"),
    "64": ("--network", "64"),
    "64,32": ("--network", "64,32"),
    "64,32 relu": ("--network", "64,32", "--activation", "relu"),
}
RUNS.update({f"{name}, 5 epochs": (*words, "--epochs", "5") for name, words in RUNS.items() if "--network" in words})
RUNS.update({f"{name}, scaled": (*words, "--scale", "standard") for name, words in RUNS.items()})


def rows_of(name, dev):
    """Files of the rows to learn from and of the rows to score, and the labels of these."""
    learn, scored = given_split(name)
    if dev:
        x, y = learn
        order = np.random.RandomState(5).permutation(len(y))
        cut = 2 * len(y) // 3
        learn, scored = (x[order[:cut]], y[order[:cut]]), (x[order[cut:]], y[order[cut:]])
    files = []
    for part, (x, y) in (("learn", learn), ("scored", scored)):
        files.append(WORK / f"networks-{name}-{'dev' if dev else 'test'}-{part}.svm")
        if not files[-1].exists():
            dump_svmlight_file(x, y, str(files[-1]), zero_based=False)
    return files, scored[1]


def measure(files, labels, alpha, words, seed, model):
    before = os.times()
    done = subprocess.run([NEYMAN, "train", "-q", "--max-fpr", str(alpha), "--confidence", "none", "--threads", "1", "--seed", str(seed),
                           *words, str(files[0]), "-o", str(model)], capture_output=True, check=False)
    seconds = os.times().children_user - before.children_user
    if done.returncode not in (0, 5):
        sys.exit(done.stderr.decode())
    lines = subprocess.run([NEYMAN, "predict", "-q", "--scores", str(model), str(files[1])], capture_output=True,
                           check=True).stdout.decode().splitlines()
    score = np.array([float(line.split("\t")[1]) for line in lines[1:]])
    return roc_at(score, labels, alpha)[0], seconds


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--dev", action="store_true")
    p.add_argument("--sets", default="covtype_np,adult")
    p.add_argument("--alphas", default="0.05,0.01")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--runs", help="separated by semicolons", default=";".join(RUNS))
    o = p.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    model = pathlib.Path(WORK / f"networks-{os.getpid()}.model")
    print("| set | alpha | score function | FNR | s |\n|---|---|---|---|---|")
    for name in o.sets.split(","):
        files, labels = rows_of(name, o.dev)
        for alpha in map(float, o.alphas.split(",")):
            for run in o.runs.split(";"):
                seeds = range(1, 1 + (o.seeds if "--network" in RUNS[run] else 1))
                found = [measure(files, labels, alpha, RUNS[run], seed, model) for seed in seeds]
                fnr = [f for f, _ in found]
                spread = f" +- {statistics.stdev(fnr):.4f}" if len(fnr) > 1 else ""
                print(f"| {name} | {alpha:g} | {run} | {statistics.mean(fnr):.4f}{spread} | {statistics.median(s for _, s in found):.2f} |", flush=True)
    model.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
