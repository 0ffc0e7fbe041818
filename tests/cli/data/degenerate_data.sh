#!/bin/sh
# Data without columns, of one row, of one class, and models made of them, in every command that reads
# data: a result, or a refusal with a reason (exit 3 or 4), never a crash.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import os, subprocess, sys

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

def run(*args):
    done = subprocess.run(["neyman", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stderr

write("plain.svm", "".join(f"{1 if i % 3 else -1} 1:{i % 7}.5 2:{i % 5}\n" for i in range(40)))
write("no_columns.svm", "".join(f"{1 if i % 3 else -1}\n" for i in range(40)))
write("one_row.svm", "1 1:2 2:3\n")
write("one_row_no_columns.svm", "-1\n")
write("one_class.svm", "".join(f"1 1:{i % 7}.5 2:{i % 5}\n" for i in range(40)))
write("zero_columns.svm", "".join(f"{1 if i % 3 else -1} 1:0 2:0\n" for i in range(400)))
write("no_columns.liblinear", "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 0\nbias 1\nw\n0.5\n")
degenerate = ["no_columns.svm", "one_row.svm", "one_row_no_columns.svm", "one_class.svm", "zero_columns.svm"]

assert run("train", "plain.svm", "-o", "plain.model", "-q")[0] == 0
models = ["plain.model", "no_columns.liblinear"]
code, text = run("train", "no_columns.svm", "-o", "x")
if code != 3 or "no feature" not in text:
    sys.exit(f"no columns: exit {code}: {text}")
for k, options in enumerate(([], ["--kernel", "rbf"])):
    model = f"zero{k}.model"
    code, text = run("train", "zero_columns.svm", "-o", model, "-q", *options)
    if code != 0 or not os.path.exists(model):
        sys.exit(f"train zero_columns.svm {options}: exit {code}: {text}")
    models.append(model)

runs = []
for d in degenerate:
    runs += [["train", d, "-o", "x", "--max-fpr", "0.2"], ["train", d, "-o", "x", "--max-fdr", "0.2"],
             ["train", d, "-o", "x", "--reject-cost", "0.2"], ["train", d, "-o", "x", "--kernel", "poly"],
             ["tune", d, "-o", "x", "--folds", "2"], ["compare", d, "--max-fpr", "0.3"], ["asymmetry", d, "--seed", "1"],
             ["path", d, "--to", "10", "10", "-o", "x"], ["roc", d], ["info", d], ["convert", d, "x.csv"],
             ["convert", d, "x.ney"]]
    for m in models:
        runs += [["predict", m, d], ["predict", m, d, "--scores", "-o", "scores.tsv"], ["certify", "scores.tsv", "--max-fpr", "0.3"],
                 ["evaluate", m, d]]
        if m != "zero1.model":  # a kernel model does not learn on
            runs += [["update", m, d, "-o", "x", "--max-fpr", "0.3", "--confidence", "none"]]
for m in models:
    formats = ["libsvm", "c", "json"] + (["liblinear"] if m != "zero1.model" else [])  # linear ones only
    runs += [["info", m]] + [["export", m, "--format", f, "-o", "x"] for f in formats]

count = {}
for args in runs:
    for name in ("x", "x.csv", "x.ney"):  # scores.tsv stays for certify
        if os.path.exists(name):
            os.remove(name)
    code, text = run(*args)
    count[code] = count.get(code, 0) + 1
    if code not in (0, 3, 4, 5) or (code in (3, 4) and not text.strip()):
        sys.exit(f"{args}: exit {code}: {text}")
    if os.environ.get("TELL"):
        print(code, *args, "|", text.strip().split("\n")[0][:150])
print(len(runs), "runs, exits", count)
PY
python3 check.py
