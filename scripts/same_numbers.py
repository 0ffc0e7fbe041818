#!/usr/bin/env python3
"""Whether two builds of the program give the same numbers.

    same_numbers.py PROGRAM > before.txt          figures of a fixed list of runs
    same_numbers.py PROGRAM --against before.txt  compare: exit code 1 and the differences

A refactoring must not change a bit. Every run is a line of RUNS; what it leaves behind (model files,
JSON, curves, tables) is brought to a form without times and paths, and hashed. `--keep FOLDER` keeps
these forms, so that two runs that differ can be compared with diff."""

import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

# Options of every goal, method and family; {m} is the model of that run.
TRAIN = """
--scale standard
--cost-fn 5 -C 0.1
--kernel rbf --gamma 0.5
--kernel poly --degree 2 --coef0 1
--kernel sigmoid --gamma 0.1
--max-fpr 0.1
--max-fpr 0.1 --confidence none
--max-fnr 0.1 --kernel rbf --confidence none
--max-fpr 0.1 --method uzawa --confidence none
--max-fpr 0.1 --method convex
--max-fpr 0.1 --method generative
--max-fpr 0.1 --method chebyshev
--max-fpr 0.1 --method perf
--max-fpr 0.1 --method online --epochs 3
--max-fpr 0.1 --network 4 --epochs 3
--max-fpr 0.1 --features 50 --epochs 3
--max-fpr 0.2 --max-fnr 0.2
--reject-cost 0.2
--reject-cost 0.2 --method activeset
--reject-cost 0.2 --method online --epochs 3
--method activeset
--conformal
--conformal-folds 3
--max-fpr 0.1 --group g
""".strip().splitlines()

OTHER = """
train d.pin --max-fdr 0.1 -o f.model --json
train d.pin --max-fdr 0.1 --network 3 -o fn.model --json
qvalues f.model d.pin --json
qvalues f.model d.pin --all
tune d.csv --max-fpr 0.1 --grid C=0.1,1,10 --folds 3 -o t1.model --json
tune d.csv --kernel rbf --grid 'C=1,10 gamma=0.1,1' --folds 3 -o t2.model --json
compare d.csv --max-fpr 0.1 --grid C=1,10 --folds 2 --json
path d.svm --from 0 0 --to 1 1 -o p.path --json
path d.svm --kernel rbf --gamma 0.5 --from 0.1 0.1 --to 2 1 --json
pick p.path --at 0.5 0.5 -o pick.model --json
roc d.svm --splits 2 --regular 0 --c-max 1 --save-path r.path --json
pick r.path --max-fpr 0.2 -o pick2.model --json
asymmetry mix.json --loss square --json
asymmetry mix.json --loss erf --json
asymmetry mix.json --loss hinge --json
asymmetry d.svm --gamma 0.2,0.5,0.8 --json
certify s.tsv --max-fpr 0.2 --confidence 0.9 --json
plan --max-fpr 0.01 --confidence 0.95 --json
evaluate --from-scores s.tsv --json
evaluate --from-scores s.tsv --curve hull
convert d.csv d.ney
info d.csv --json
update m13.model new.csv -o u.model --json
""".strip().splitlines()

ON_MODEL = ["evaluate {m} new.csv --json", "predict --scores {m} new.csv", "info {m} --json"]


def write_data():
    """Two classes that overlap, with ties, duplicates, a constant column and groups."""
    rng = random.Random(5)

    def rows(n):
        for i in range(n):
            y = rng.random() < 0.4
            x = [round(rng.gauss(1.3 * y, 1), 2), round(rng.gauss(0.7 * y, 2), 1), float(i % 3), 1.0]
            yield y, x, i // 2

    def table(name, data):
        lines = ["a,b,c,one,g,label"] + [",".join(map(str, x)) + f",k{g},{'yes' if y else 'no'}"
                                         for y, x, g in data]
        pathlib.Path(name).write_text("\n".join(lines) + "\n")

    data = list(rows(400))
    table("d.csv", data)
    table("new.csv", list(rows(300)))
    pathlib.Path("d.svm").write_text("".join(
        f"{1 if y else -1} " + " ".join(f"{k + 1}:{v}" for k, v in enumerate(x) if v) + "\n"
        for y, x, _ in data[:150]))
    pathlib.Path("d.pin").write_text("SpecId\tLabel\tScanNr\tf1\tf2\tPeptide\tProteins\n" + "".join(
        f"s{i}\t{1 if y or i % 2 else -1}\t{i // 2}\t{x[0]}\t{x[1]}\tP{i}\tQ{i}\n"
        for i, (y, x, _) in enumerate(data)))
    pathlib.Path("s.tsv").write_text("label\tscore\n" + "".join(f"{int(y)}\t{x[0]}\n" for y, x, _ in data))
    gauss = lambda m: [{"weight": 1, "mean": m, "cov": [[1, 0.3], [0.3, 2]]}]
    pathlib.Path("mix.json").write_text(json.dumps(
        {"p_pos": 0.4, "positive": gauss([1, 0.5]), "negative": gauss([0, 0])}))


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k != "seconds"}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def stable_form(text):
    """JSON without times, keys in order; other text as it is."""
    try:
        return json.dumps(without_times(json.loads(text)), sort_keys=True, indent=1)
    except ValueError:
        return re.sub(r"(?m)^seconds.*\n", "", text)


def runs():
    for k, options in enumerate(TRAIN):
        model = f"m{k}.model"
        group = [] if "--group" in options else ["--ignore", "g"]
        yield ["train", "d.csv", *shlex.split(options), *group, "-o", model, "--json"], model
        for line in ON_MODEL:
            yield shlex.split(line.format(m=model)), None
    for line in OTHER:
        words = shlex.split(line)
        csv = words[1].endswith(".csv") and words[0] not in ("convert", "info")
        yield words + (["--ignore", "g"] if csv else []), words[words.index("-o") + 1] if "-o" in words else None


def figures(program, keep):
    for k, (words, left) in enumerate(runs()):
        done = subprocess.run([program, *words], capture_output=True, stdin=subprocess.DEVNULL)
        parts = [f"exit {done.returncode}", stable_form(done.stdout.decode(errors="replace"))]
        if done.returncode not in (0, 5):
            parts.append(done.stderr.decode(errors="replace"))
        if left and pathlib.Path(left).exists():
            parts.append(pathlib.Path(left).read_bytes().decode(errors="replace"))
        form = "\n".join(parts)
        if keep:
            (keep / f"{k:03}.txt").write_text(shlex.join(words) + "\n" + form)
        yield f"{hashlib.sha256(form.encode()).hexdigest()[:16]} {done.returncode} {shlex.join(words)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--against")
    parser.add_argument("--keep")
    args = parser.parse_args()
    program = str(pathlib.Path(args.program).resolve())
    before = pathlib.Path(args.against).read_text().splitlines() if args.against else None
    keep = pathlib.Path(args.keep).resolve() if args.keep else None
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:

        os.chdir(folder)
        write_data()
        lines = list(figures(program, keep))
        os.chdir("/")
    if before is None:
        print("\n".join(lines))
        return 0
    changed = [f"- {b}\n+ {a}" for b, a in zip(before, lines) if a != b]
    print("\n".join(changed) if changed else f"all {len(lines)} runs give the same numbers")
    return 1 if changed or len(before) != len(lines) else 0


if __name__ == "__main__":
    sys.exit(main())
