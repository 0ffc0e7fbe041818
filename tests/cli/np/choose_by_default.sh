#!/bin/sh
# With one certified rate train chooses C by default: as with -C auto, on the rows that are learned from, of many rows on a
# part of them, and at C = 1 where something else is stated or no folds can be made.
set -eu
command -v python3 > /dev/null || exit 77
gen() { awk -v seed="$1" -v n="$2" -v every="$3" 'BEGIN { srand(seed); print "a,b,c,who,kind"
        for (i = 1; i <= n; i++) { p = i % every == 0; print rand() + 0.5 * p "," exp(3 * rand() - 2 * p) "," rand() "," i % 7 "," (p ? "yes" : "no") } }'; }
gen 1 600 3 > d.csv
gen 2 4000 3 > many.csv
gen 3 300 150 > few.csv
gen 4 400 3 > new.csv
run() { # NAME OPTIONS: the model, its result, and what it says of new rows
    name=$1; shift
    neyman train --json --ignore who --label kind "$@" -o "$name" > "$name.json" 2> "$name.err"
    neyman predict -q "$name" new.csv --scores > "$name.tsv"
}
same() { cmp "$1.tsv" "$2.tsv"; cmp "$1" "$2"; }
chosen() { grep -q '"criterion":.*"expected"' "$1.json" && grep -q '"C":' "$1.json"; }
plain() { same "$1" "$2" && ! grep -q '"criterion"' "$1.json"; }
for rate in --max-fpr --max-fnr; do
    run default $rate 0.1 d.csv
    run auto $rate 0.1 -C auto d.csv
    same default auto
    chosen default
    if grep -q 'edge of the grid' default.err; then exit 1; fi # the grid does not grow
done
run rbf --max-fpr 0.1 --kernel rbf d.csv
chosen rbf
grep -q '"gamma":' rbf.json

# stated otherwise: C = 1
run one --max-fpr 0.1 -C 1 d.csv
! cmp -s one.tsv default.tsv
grep -q '"lambda":' one.json
run method --max-fpr 0.1 --method annealed d.csv
cmp one.tsv method.tsv
run limit --max-fpr 0.1 --max-time 1000 d.csv
cmp one.tsv limit.tsv
run none --max-fpr 0.1 --confidence none d.csv
run none1 --max-fpr 0.1 --confidence none -C 1 d.csv
plain none none1
for goal in '--max-fpr 0.2 --max-fnr 0.3' '--cost-fp 3' '--max-fpr 1' '--max-fpr 0.1 --method online' '--max-fpr 0.1 --network 2' \
    '--max-fpr 0.1 --features 20' '--max-fpr 0.1 --calibrate-folds 3' '--max-fpr 0.1 --conformal-folds 3' '--max-fpr 0.1 --kernel poly'; do
    run stated $goal d.csv
    run stated1 $goal -C 1 d.csv
    plain stated stated1
done

# of many rows a part is searched: all are learned from, and the same choice is made whatever the number of threads
run many --max-fpr 0.05 --threads 1 many.csv
run threads --max-fpr 0.05 --threads 3 many.csv
same many threads
chosen many
python3 - <<'PY'
import json
m, one = json.load(open("many.json")), json.load(open("one.json"))
assert m["learned_from"] == 4000 - m["held_out"] > 2500
assert m["fits"] == 3 * m["points"] and 1 < m["averaged"] <= 5
PY
# the search reads no more rows: the table of tune on all of them has other losses
neyman tune -q --json --max-fpr 0.05 --grid quick --folds 3 --average 5 --ignore who --label kind many.csv -o t > t.json
python3 - <<'PY'
import json
m, t = json.load(open("many.json")), json.load(open("t.json"))
assert m["points"] == t["points"] and m["held_out"] == t["held_out"] and m["loss"] != t["loss"]
PY

# too few rows, or groups, for three folds: C is 1, and a message says so
run few --max-fpr 0.1 few.csv
grep -q 'C = 1, not chosen: 2 rows of the smaller class are too few for 3 folds' few.err
python3 -c 'import json; r = json.load(open("few.json")); assert r["C"] == 1 and "criterion" not in r and r["certified"], r'
run few1 --max-fpr 0.1 -C 1 --scale auto few.csv
cmp few.tsv few1.tsv
awk 'BEGIN { srand(9); print "a,who,kind"; for (i = 1; i <= 900; i++) { p = i % 3 == 0; print rand() + p "," (p ? i % 2 : i) "," (p ? "yes" : "no") } }' > groups.csv
neyman train --json --max-fpr 0.1 --group who --label kind groups.csv -o g > g.json 2> g.err
grep -q 'C = 1, not chosen: with groups kept together' g.err
# no folds, no choice of a kernel
status=0; neyman train --max-fpr 0.1 --kernel auto --ignore who --label kind few.csv -o no > out 2> err || status=$?
test $status -eq 2 && test ! -e no && grep -q 'too few for 3 folds' err
