#!/bin/sh
# tune chooses the k of SVMperf: it has a column in the table, and folds, which learn from fewer rows, use the same share of them.
set -eu
command -v python3 > /dev/null || exit 77
python3 - << 'END'
import random
draw = random.Random(3)
with open("rows.svm", "w") as out:
    for i in range(320):
        y = 1 if i % 2 else -1
        out.write(f"{y:+d} 1:{draw.gauss(0.6 * y, 1):.4f} 2:{draw.gauss(0.4 * y, 1):.4f}\n")
END
neyman tune --json -q --method perf --max-fpr 0.1 --confidence none --folds 4 --grid 'C=0.1,1 at-k=0,40,160' rows.svm -o m > out.json
python3 - << 'END'
import csv, json
rows = list(csv.DictReader(open("m.tune.tsv"), delimiter="\t"))
result = json.load(open("out.json"))
assert len(rows) == 2 * 3 * 4, len(rows)
found = {k: {(r["C"], r["fold"]): (r["loss"], r["threshold"], r["auc"]) for r in rows if r["at_k"] == k} for k in ("0", "40", "160")}
assert found["160"] == found["0"], "160 of 320 rows are positive, and 120 of the 240 of a fold: what 0 stands for"
assert found["40"] != found["0"]
loss = {(r["C"], r["at_k"]): 0 for r in rows}
for r in rows:
    loss[r["C"], r["at_k"]] += float(r["loss"]) / 4
best = min(loss.values())
chosen = loss[f"{result['C']:g}", f"{result['at_k']:g}"]
assert chosen - best < 1e-12, (result["C"], result["at_k"], loss)
END
# other methods have no k
code=0
neyman tune -q --max-fpr 0.1 --grid at-k=10,20 rows.svm -o other 2> message || code=$?
[ "$code" -eq 2 ] && grep -q 'at-k applies to --method perf' message && [ ! -e other ]
