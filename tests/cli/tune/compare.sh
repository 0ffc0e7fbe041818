#!/bin/sh
# All methods on one split: rates against an independent count from the curves, differences from the first,
# a separate test file, costs.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(8); for (i = 1; i <= 900; i++) { p = i % 2; printf "%d", p ? 1 : -1
             for (j = 1; j <= 3; j++) printf " %d:%g", j, rand() + (j < 3 ? 0.4 * p : 0); print "" } }' > data.svm
head -600 data.svm > train.svm
tail -300 data.svm > test.svm
quick='--folds 2 --no-extend'
neyman compare -q --json --max-fpr 0.1 $quick --grid 'C=0.1,1' --test test.svm train.svm -o curves.tsv > np.json
neyman compare -q --json --max-fpr 0.01 --confidence none $quick --grid 'C=1' --test test.svm train.svm > few.json
neyman compare -q --json --cost-fp 4 $quick --grid 'C=0.1,1' --test test.svm train.svm > cost.json
neyman compare -q --max-fpr 0.1 --kernel rbf $quick --grid 'C=1,10 gamma=1' data.svm > rbf.txt
head -1 rbf.txt | grep -q '^On .* test rows: .*no difference shown between np and'
# Trees against the others, which read no option of trees and take no missing cells.
{ echo a,b,c,kind; tr ' ' , < data.svm | sed 's/[0-9]*://g' | awk -F, -v OFS=, '{ print $2, $3, $4, $1 }'; } > table.csv
neyman compare -q --json --max-fpr 0.3 --trees 3 --cv 2 $quick --grid depth=2 --label kind table.csv > trees.json
awk -F, -v OFS=, 'NR == 9 { $2 = "" } 1' table.csv > gap.csv
neyman compare -q --max-fpr 0.3 --trees 3 $quick --label kind gap.csv > out 2> refused && exit 1 || test $? = 3
grep -q "column 'b' is missing here" refused
neyman compare -q --cost-fp 2 --trees 3 $quick --label kind gap.csv > out
# what has no method to compare with, and rows that were trained on, are refused
for wrong in '--max-fdr 0.1' '--max-fpr 0.1 --max-fnr 0.1' '--reject-cost 0.1' '--max-fpr 0.1 --test train.svm'; do
    code=0
    neyman compare -q $wrong train.svm 2> refused || code=$?
    [ "$code" = 2 ] || { echo "$wrong: exit $code, expected 2"; cat refused; exit 1; }
done
grep -q 'generative' rbf.txt
python3 - <<'PY'
import csv, json
assert [m["method"] for m in json.load(open("trees.json"))["methods"]][:3] == ["trees", "np", "cost-weighted"]
o = json.load(open("np.json"))
assert [m["method"] for m in o["methods"]] == ["np", "cost-weighted", "threshold-moved", "generative", "chebyshev", "perf"]
assert o["n"] == 600 and o["n_test"] == 300 and o["confidence"] == 0.95
curves = {}
for r in csv.DictReader(open("curves.tsv"), delimiter="\t"):
    curves.setdefault(r["method"], []).append((float(r["fpr"]), float(r["tpr"])))
first = o["methods"][0]
for m in o["methods"]:
    matched = 1 - max(t for f, t in curves[m["method"]] if f <= 0.1)
    assert abs(matched - m["matched"]) < 1e-12, (m, matched)
    assert any(abs(f - m["fpr"]) < 1e-12 and abs(1 - t - m["fnr"]) < 1e-12 for f, t in curves[m["method"]])
    assert m["certified"] is True and m["fpr_interval"][0] <= m["fpr"] <= m["fpr_interval"][1]
    if m is not first:
        assert abs(m["difference"] - (m["matched"] - first["matched"])) < 1e-12
        low, high = m["difference_interval"]
        assert -1 <= low < m["difference"] < high <= 1
        assert 0 < m["p_adjusted"] <= 1 and (m["p_adjusted"] > 0.05 or not low <= 0 <= high)
        shown = o["verdict"].split("no difference shown between np and")[-1]
        assert (m["method"] in shown) == (m["p_adjusted"] > 0.05), o["verdict"]
c = json.load(open("cost.json"))
assert [m["method"] for m in c["methods"]] == ["cost", "threshold-moved", "plain"]
for m in c["methods"]:
    assert abs(m["cost"] - (0.5 * m["fnr"] + 4 * 0.5 * m["fpr"])) < 1e-12
assert c["methods"][2]["fpr"] > c["methods"][0]["fpr"]
assert "warnings" not in o and c["verdict"]
few = json.load(open("few.json"))
assert few["verdict"].startswith("no difference can be shown") and "368 or more" in few["warnings"][0]
assert all(m["difference_interval"] == [-1, 1] and m["p_adjusted"] == 1 for m in few["methods"][1:])
PY
