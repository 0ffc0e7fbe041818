#!/bin/sh
# --scale asinh: linear near the median, logarithmic far from it; a row has one score whatever it is stored in; sparse rows keep
# their zeros; the model file and its exports hold the map; a column of long tails is detected better than after standard.
set -eu
awk 'BEGIN {
    srand(7); print "label,a,b,c"
    for (i = 0; i < 600; i++) {
        y = i % 2; u = rand() + rand() + rand() + 0.5 * y
        printf "%d,%.8g,%.6f,%d\n", y, exp(4 * u), rand() - 0.2 * y, rand() < 0.8 ? 0 : 5 * rand()
    }
}' > a.csv
neyman train -q --scale asinh a.csv -o m > out
grep -q '^scaling asinh$' m
grep -q '^rank 1 ' m
neyman info m --json | tr -d " \t" | grep -q '"scaling":"asinh"'
# One score: from CSV, TSV, a cache.
tr ',' '\t' < a.csv > a.tsv
neyman convert -q a.csv a.ney
neyman predict -q m a.csv --scores > s
for other in a.tsv a.ney; do
    neyman predict -q m $other --scores > s2
    cmp s s2
done
# Fitted on a cache as on text.
neyman train -q --scale asinh a.ney -o m2 > out
neyman predict -q m2 a.csv --scores > s2
cmp s s2
# The long tail no longer governs the score.
neyman train -q --scale standard a.csv -o ms > out
fnr() { neyman evaluate -q "$1" a.csv --json | sed -n 's/.*"error_rate":[[:space:]]*\([0-9.]*\),.*/\1/p' | head -n 1; }
awk "BEGIN { exit !($(fnr m) < $(fnr ms)) }"
# Sparse rows: zeros stay zeros.
awk 'BEGIN { srand(3); for (i = 0; i < 300; i++) { y = i % 2 ? 1 : -1; s = y; for (j = 1; j <= 30; j++) if (rand() < 0.1 + 0.02 * (j < 5) * (y + 1)) s = s " " j ":" exp(3 * rand()); print s } }' > s.svm
neyman train -q --scale asinh s.svm -o k > out
neyman info s.svm | grep -q 'storage  *sparse'
neyman predict -q k s.svm --scores > s3
neyman convert -q s.svm s.ney
neyman predict -q k s.ney --scores > s4
cmp s3 s4
# Exports: C, JSON and ONNX hold the map, the other formats say why not.
neyman export -q m --format json -o m.json
grep -q '"scaling": "asinh"' m.json
neyman export -q m --format c -o m.c
neyman export -q m --format onnx -o m.onnx
status=0
neyman export m --format liblinear -o x 2> err > out || status=$?
test $status -ne 0
grep -q asinh err
if command -v cc > /dev/null; then
    cc -c m.c -o m.o
fi
