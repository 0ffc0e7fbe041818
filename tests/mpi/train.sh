#!/bin/sh
# Models do not depend on the number of processes, nor on how many files each of them reads; the optimum is that of
# one process.
set -eu
. "$CASE_DIR/lib.sh"
neyman convert -q "$DATA/wdbc-train.csv.gz" one.ney --label diagnosis > out
neyman train -q one.ney --cost-fn 3 -C 0.1 --json -o plain > plain.json
for n in 1 2 3 4; do
    ranks $n train -q one.ney --cost-fn 3 -C 0.1 --json -o "model.$n" > "json.$n" 2> err
    test ! -s err || { cat err >&2; exit 1; }
    cmp model.1 "model.$n"
done
value() { sed -n "s/^.\"$1\":.\([0-9.e-]*\),*$/\1/p" "$2"; }
for key in objective gap dual_objective; do
    test -n "$(value $key json.2)"
done
awk -v a="$(value objective plain.json)" -v b="$(value objective json.2)" -v g="$(value gap json.2)" \
    'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= g + 1e-4 * a) }'
# the model is one that neyman reads, and predictions are those of the plain one
neyman predict -q plain "$DATA/wdbc-test.csv.gz" > p0
neyman predict -q model.2 "$DATA/wdbc-test.csv.gz" > p1
test "$(wc -l < p0)" -eq "$(wc -l < p1)"

# text, a file or two for each process
gzip -dc "$DATA/wdbc-train.csv.gz" > all.csv
head -n 1 all.csv > head.csv
for k in 0 1 2; do
    { cat head.csv; tail -n +2 all.csv | awk -v k=$k 'NR % 3 == k'; } | gzip > part-000$k.csv.gz
done
ranks 1 train -q 'part-*.csv.gz' --label diagnosis --max-fpr 0.2 -C 0.001 --tol 0.01 -o a > out
: > part-0009-old.csv.gz # has another name
ranks 2 train -q 'part-%04d.csv.gz' --label diagnosis --max-fpr 0.2 -C 0.001 --tol 0.01 -o b > out
cmp a b
grep -q certified out
for k in 0 1 2; do
    cp part-000$k.csv.gz "spaced-   $k.csv.gz"
done
ranks 2 train -q 'spaced-%4d.csv.gz' --label diagnosis --max-fpr 0.2 -C 0.001 --tol 0.01 -o b > out
cmp a b
