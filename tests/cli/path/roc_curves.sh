#!/bin/sh
# The three curves: the envelope is above the others on the validation rows that chose it, the classifiers
# at its vertices have the rates that are printed, and charts are drawn.
set -eu
command -v python3 > /dev/null || exit 77
for part in train valid test; do
    awk -v seed=$part 'BEGIN { srand(length(seed) * 7 + (seed == "test")); for (i = 1; i <= 160; i++) {
        y = i % 3 ? -1 : 1; printf "%d", y
        for (j = 1; j <= 3; j++) printf " %d:%.6g", j, (y > 0 ? 1 : 2) * (2 * rand() - 1) + y / 3
        print "" } }' > $part.svm
done
neyman roc -q --json train.svm --valid valid.svm --test test.svm --regular 1 --c-max 100 \
    --save-path all.path --plot roc.svg -o curves.tsv --kernel rbf > v.json
neyman roc -q --json train.svm --splits 4 --regular 0 --plot s.png > s.json
grep -q '</svg>' roc.svg
test -s s.png
neyman pick -q --json all.path --cost-fn 3 --cost-fp 1 -o p.model > p.json
neyman evaluate -q --json p.model valid.svm > pv.json
neyman pick -q --json all.path --max-fpr 0.2 -o f.model > f.json
neyman evaluate -q --json f.model valid.svm > fv.json
neyman evaluate -q --json f.model test.svm > ft.json
python3 - <<'PY'
import csv, json
load = lambda n: json.load(open(n + ".json"))
v, s, p, pv, f, fv, ft = map(load, ("v", "s", "p", "pv", "f", "fv", "ft"))

def at(curve, x):                 # the highest tpr of a broken line at fpr x
    best = 0
    for a, b in zip(curve, curve[1:]):
        if a["fpr"] <= x <= b["fpr"]:
            d = b["fpr"] - a["fpr"]
            best = max(best, b["tpr"] if d == 0 else a["tpr"] + (b["tpr"] - a["tpr"]) * (x - a["fpr"]) / d)
    return best

for o in v, s:
    c = o["curves"]
    assert o["auc_both"] >= o["auc_intercept"] and o["auc_both"] >= o["auc_asymmetry"]
    for name in ("intercept", "asymmetry"):
        assert all(at(c["both"], q["fpr"]) >= q["tpr"] - 1e-9 for q in c[name]), name
    for name, points in c.items():
        assert (points[0]["fpr"], points[0]["tpr"]) == (0, 0), name
        assert (points[-1]["fpr"], points[-1]["tpr"]) == (1, 1), name
    slopes = [(b["tpr"] - a["tpr"]) / (b["fpr"] - a["fpr"] or 1e-300)
              for a, b in zip(c["both"], c["both"][1:])]
    assert all(x > y for x, y in zip(slopes, slopes[1:])), slopes
assert "tpr_error" in s["curves"]["both"][1] and "tpr_error" not in v["curves"]["both"][1]
assert "optimistic" in s["warnings"][0] and "optimistic" in v["warnings"][0]
assert "test_auc_both" in v and "test_auc_both" not in s

both = v["curves"]["both"]
share = v["n_pos"] / v["n"]
cost = lambda q: 3 * share * (1 - q["tpr"]) + (1 - share) * q["fpr"]
best = min(both, key=cost)
assert abs(3 * share * p["fnr"] + (1 - share) * p["fpr"] - cost(best)) < 1e-12
for claim, seen in ((p, pv), (f, fv)):
    assert abs(claim["fpr"] - seen["fpr"]) < 1e-12 and abs(claim["fnr"] - seen["fnr"]) < 1e-12, (claim, seen)
assert f["fpr"] <= 0.2
vertex = [q for q in both if q["fpr"] == f["fpr"] and abs(1 - q["tpr"] - f["fnr"]) < 1e-12][0]
assert abs(vertex["test_fpr"] - ft["fpr"]) < 1e-12 and abs(1 - vertex["test_tpr"] - ft["fnr"]) < 1e-12

rows = list(csv.DictReader(open("curves.tsv"), delimiter="\t"))
assert len(rows) == sum(len(c) for c in v["curves"].values())
area = sum((b["fpr"] - a["fpr"]) * (a["tpr"] + b["tpr"]) / 2 for a, b in zip(both, both[1:]))
assert abs(area - v["auc_both"]) < 1e-12
PY
