#!/bin/sh
# Every command that takes a model takes one of trees: report, card, cv, compare, qvalues, evaluate with
# subgroups, certify; update refuses it and says what to do.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(9); print "class,a,b,town"; for (i = 0; i < 400; i++) { y = i % 2
    print y "," rand() * 2 + y "," rand() * 2 - y "," (rand() < 0.5 + 0.2 * y ? "x" : "y") } }' > d.csv
awk 'BEGIN { srand(10); print "class,a,b,town"; for (i = 0; i < 200; i++) { y = i % 2
    print y "," rand() * 2 + y "," rand() * 2 - y "," (rand() < 0.5 + 0.2 * y ? "x" : "y") } }' > t.csv
if ! neyman train -q --trees 5 --max-fpr 0.2 --label class d.csv -o m > /dev/null 2> err; then
    grep -q "needs libxgboost" err && exit 77
    cat err
    exit 1
fi
neyman report -q m t.csv --importance -o r.html > /dev/null
grep -q trees r.html
neyman card -q m t.csv > card.md
grep -q "trees" card.md
neyman evaluate -q m t.csv --by town > /dev/null
neyman qvalues -q --max-fdr 0.3 m t.csv -o q.tsv > /dev/null
test "$(wc -l < q.tsv)" -gt 1
neyman cv -q --json --trees 3 --max-fpr 0.2 --folds 3 --label class d.csv > cv.json
neyman compare -q --json --max-fpr 0.2 --confidence none --trees 3 --label class d.csv > rate.json
neyman compare -q --json --cost-fp 3 --trees 3 --label class d.csv > cost.json
neyman predict -q --scores m t.csv -o s.tsv
neyman certify -q s.tsv --max-fpr 0.3 --confidence 0.9 > /dev/null
python3 - <<'PY'
import json
cv, rate, cost = (json.load(open(f"{n}.json")) for n in ("cv", "rate", "cost"))
assert 0 < cv["fnr"] < 0.5, cv["fnr"]
names = [m["method"] for m in rate["methods"]]
assert names[:2] == ["trees", "np"] and len(names) == len(set(names)) > 3, names
assert [m["method"] for m in cost["methods"]] == ["cost", "threshold-moved", "plain"]
PY
status=0
neyman update -q m t.csv -o u > out 2> err || status=$?
test "$status" = 2
test ! -e u
grep -q "trees model cannot be updated" err
grep -q "train on the old and the new rows" err
