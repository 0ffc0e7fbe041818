#!/bin/sh
# -C auto: the small grid of tune on the rows that are learned from; refused where nothing is chosen.
set -eu
command -v python3 > /dev/null || exit 77
gen() { awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed); print "a,b,c,kind"
        for (i = 1; i <= n; i++) { p = i % 3 == 0; print rand() + 0.5 * p "," 10 * rand() - 4 * p "," rand() "," (p ? "yes" : "no") } }'; }
gen 1 600 > d.csv
gen 2 400 > new.csv
for kernel in linear rbf; do
    for confidence in 0.9 none; do
        neyman train -q --json --max-fpr 0.1 -C auto --kernel $kernel --confidence $confidence --label kind d.csv -o m > m.json
        neyman tune -q --json --max-fpr 0.1 --grid quick --folds 3 --average 5 --kernel $kernel --confidence $confidence --label kind d.csv -o t > t.json
        for model in m t; do
            neyman predict -q $model new.csv --scores > $model.tsv
        done
        cmp m.tsv t.tsv
        python3 - <<'PY'
import csv, json
m, t = json.load(open("m.json")), json.load(open("t.json"))
for key in ("C", "method", "criterion", "loss", "points", "averaged", "threshold", "fpr", "fnr", "certified"):
    assert m[key] == t[key], key
assert m["criterion"] == "expected" and m["extensions"] == 0 and 1 < m["averaged"] <= 5
rows = list(csv.DictReader(open("t.tune.tsv"), delimiter="\t"))
assert {r["method"] for r in rows} == {"annealed", "convex"} and len(rows) == 3 * m["points"]
PY
        rm t.tune.tsv
    done
done
test ! -e m.tune.tsv
# the seed draws the folds; the same seed gives the same model
for seed in 2 2 3; do
    neyman train -q --max-fpr 0.1 -C auto --confidence none --seed $seed --label kind d.csv -o s > out
    neyman predict -q s new.csv --scores >> s.$seed
done
test "$(sort -u s.2 | wc -l)" -le 401
refused() {
    status=0; neyman "$@" --label kind -o no > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; cat err; exit 1; }
    test ! -e no
    grep -q "$pattern" err || { cat err; exit 1; }
}
pattern='C = auto applies'
refused train -C auto d.csv
refused train -C auto --max-fpr 0.1 --method online d.csv
refused train -C auto --max-fpr 0.2 --max-fnr 0.2 d.csv
refused tune -C auto --max-fpr 0.1 d.csv
pattern='expected values of C'
refused tune --max-fpr 0.1 --grid C=0,1 d.csv
pattern='C = 0, expected a number above 0, at most 1000000000000, or auto'
refused train --max-fpr 0.1 -C 0 d.csv
