#!/bin/sh
# The model of tune is that of train with the chosen options; --valid chooses by that file and sets the
# threshold there; --confidence certifies on rows that take no part.
set -eu
command -v python3 > /dev/null || exit 77
gen() { awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed); print "a,b,c,kind"
        for (i = 1; i <= n; i++) { p = i % 3 == 0; print rand() + 0.5 * p "," 10 * rand() - 4 * p "," rand() "," (p ? "yes" : "no") } }'; }
gen 1 600 > train.csv
gen 2 400 > valid.csv
neyman tune -q --json --max-fpr 0.1 --confidence none --kernel rbf --average 1 --valid valid.csv --grid 'C=0.1:10:3 gamma=0.05,0.5' --label kind \
    train.csv -o m > out.json
neyman evaluate -q --json m valid.csv > valid.json
python3 - <<'PY'
import csv, json
o, e = json.load(open("out.json")), json.load(open("valid.json"))
assert o["goal"] == "np" and o["criterion"] == "expected" and o["certified"] is False
assert o["valid_fpr"] == e["fpr"] <= 0.1 and o["valid_fnr"] == e["fnr"], (o["valid_fpr"], e["fpr"])
rows = list(csv.DictReader(open("m.tune.tsv"), delimiter="\t"))
assert len(rows) == o["fits"] == o["points"] >= 6
best = min(rows, key=lambda r: float(r["loss"]))
assert float(best["loss"]) == o["loss"] and all(float(r["loss"]) >= o["loss"] for r in rows)
assert {r["method"] for r in rows} == {"annealed", "convex"}
assert any(r["method"] == o["method"] and float(r["C"]) == o["C"] and float(r["gamma"]) == o["gamma"] and float(r["loss"]) == o["loss"] for r in rows)
cost = f"--cost-fp {o['cost_fp']!r}" if o["method"] == "convex" else ""
open("chosen", "w").write(f"-C {o['C']!r} --gamma {o['gamma']!r} --method {o['method']} {cost}")
PY
neyman train -q --max-fpr 0.1 --confidence none --kernel rbf --scale auto $(cat chosen) --label kind train.csv -o t > out
neyman predict -q m valid.csv --scores | cut -f 2 > a
neyman predict -q t valid.csv --scores | cut -f 2 > b
cmp a b

# --average: the mean of the best points under the best kernel, at most half of those tried
for both in 'linear annealed' 'rbf annealed' 'linear generative'; do
    kernel=${both% *} method=${both#* }
    gamma=$(test $kernel = linear || echo 'gamma=0.05,0.5') scale='--scale auto'
    neyman tune -q --json --max-fpr 0.1 --confidence none --kernel $kernel --method $method --average 3 --refine 0 --valid valid.csv \
        --grid "C=0.01,0.1,1,10 $gamma" --label kind train.csv -o mean > mean.json
    python3 - <<'PY' > terms
import csv, json
o = json.load(open("mean.json"))
rows = [r for r in csv.DictReader(open("mean.tune.tsv"), delimiter="\t") if float(r["gamma"]) == float(o.get("gamma", 0))]
assert len(rows) == 4 and o["averaged"] == 2, (len(rows), o["averaged"])
rows.sort(key=lambda r: (float(r["loss"]), float(r["C"])))  # of equal ones the first of the grid
assert float(rows[0]["C"]) == o["C"]
for r in rows[:2]:
    print("-C", r["C"], *(["--gamma", r["gamma"]] if float(r["gamma"]) > 0 else []))  # 0: no such option
PY
    k=0
    while read -r options; do
        k=$((k + 1))
        neyman train -q --max-fpr 0.1 $scale --confidence none --kernel $kernel --method $method $options --label kind train.csv -o term > out
        neyman predict -q term valid.csv --scores | cut -f 2 > term.$k
    done < terms
    neyman predict -q mean valid.csv --scores | cut -f 2 | paste - term.1 term.2 | awk 'NR > 1 {
        d = $1 - ($2 + $3) / 2; if (d > 1e-5 || d < -1e-5) { print "not the mean:", $0; exit 1 } apart += $2 != $3 }
        END { exit apart == 0 }'
    neyman evaluate -q --json mean valid.csv | grep -q '"fpr":.*0\.0[0-9]'
done

# where no method is named, points of both methods
neyman tune -q --json --max-fpr 0.1 --confidence none --average 6 --refine 0 --valid valid.csv --grid 'C=0.01,1' --label kind train.csv -o both > both.json
python3 - <<'PY' > terms
import csv, json
o = json.load(open("both.json"))
rows = sorted(csv.DictReader(open("both.tune.tsv"), delimiter="\t"), key=lambda r: float(r["loss"]))
assert {r["method"] for r in rows} == {"annealed", "convex"} and o["averaged"] == 6 and o["method"] == rows[0]["method"]
if rows[5]["loss"] != rows[6]["loss"]:
    for r in rows[:6]:
        print("--method", r["method"], "-C", r["C"], "--cost-fp " + r["cost_fp"] if r["method"] == "convex" else "")
PY
k=0
: > sum
while read -r options; do
    k=$((k + 1))
    neyman train -q --max-fpr 0.1 --scale auto --confidence none $options --label kind train.csv -o term > out
    neyman predict -q term valid.csv --scores | cut -f 2 | paste sum - > more
    mv more sum
done < terms
neyman predict -q both valid.csv --scores | cut -f 2 | paste - sum | awk -v k=$k 'k > 0 && NR > 1 {
    d = $1; for (i = 2; i <= NF; i++) d -= $i / k
    if (NF != k + 1 || d > 1e-4 || d < -1e-4) { print "not the mean:", $0; exit 1 } }'

neyman tune -q --json --criterion rate --max-fpr 0.1 --no-extend --folds 2 --label kind train.csv -o x > x.json
grep -q '"criterion":.*"rate"' x.json
neyman tune -q --json --max-fpr 0.1 --confidence 0.9 --folds 3 --label kind train.csv -o c > cert.json
neyman info c | grep -q Certificate
neyman info c | grep -q 'tuned by'
grep -q '"certified":.*true' cert.json
for criterion in auc pauc discoveries cost; do
    neyman tune -q --json --criterion $criterion --folds 2 --no-extend --label kind train.csv -o x > x.json
    grep -q "\"criterion\":.*$criterion" x.json
done
# what cannot be
refused() {
    expected=$1; shift
    status=0; neyman tune -q "$@" --label kind train.csv -o no > out 2> err || status=$?
    test $status -eq "$expected" || { echo "exit $status: $*"; cat err; exit 1; }
    test ! -e no
}
refused 2 --grid 'C=one'
refused 2 --max-fpr 0.1 --grid 'cost-fp=1,2'
refused 2 --criterion rate
refused 2 --criterion expected
refused 4 --max-fpr 0.001 --confidence 0.99
refused 2 --folds 1
head -1 train.csv > none.csv; awk -F, '$4 == "no"' train.csv >> none.csv
refused 3 --valid none.csv
