#!/bin/sh
# --scale auto: each column by standard, asinh or rank, whichever correlates most with the labels of the rows learned from; a row has
# one score whatever it is stored in; sparse rows keep their zeros; the model file and its exports hold the maps; what is held out
# takes no part; targets and decoys are refused.
set -eu
awk 'BEGIN {
    srand(7); print "label,line,tail,curve,two"
    for (i = 0; i < 600; i++) {
        y = i % 2; u = rand() + rand() + rand() + 0.5 * y; v = rand() + 0.3 * y
        printf "%d,%.6f,%.8g,%.6f,%d\n", y, u, exp(4 * u), v ^ 9, rand() < 0.3 + 0.2 * y
    }
}' > a.csv
neyman train --scale auto a.csv -o m > out 2> err
grep -q 'scale auto: 2 columns standard, [0-2] asinh, [0-2] rank' err
grep -q '^scaling auto$' m
for mapped in 2 3; do grep -q "^rank $mapped " m; done
for plain in 1 4; do if grep -q "^rank $plain " m; then exit 1; fi; done
neyman info m --json | tr -d " \t" | grep -q '"scaling":"auto"'
# One score: from CSV, TSV, a cache, a pipe.
tr ',' '\t' < a.csv > a.tsv
neyman convert -q a.csv a.ney
neyman predict -q m a.csv --scores > s
for other in a.tsv a.ney; do
    neyman predict -q m $other --scores > s2
    cmp s s2
done
neyman predict -q m - --scores < a.csv > s2
cmp s s2
# Fitted on a cache as on text, in memory and from the file.
neyman train -q --scale auto a.ney -o m2 > out
neyman predict -q m2 a.csv --scores > s2
cmp s s2
neyman train -q --scale auto --method online --memory 1 a.ney -o on > out
sed -n '/^scaling/,/^end-recipe/p' m > maps
sed -n '/^scaling/,/^end-recipe/p' on > maps2
cmp maps maps2
# Where all columns need a map, fewer rows are misclassified than after standard.
cut -d, -f1,3,4 a.csv > curved.csv
rate() {
    neyman train -q --scale "$1" curved.csv -o c > out
    neyman evaluate -q c curved.csv --json | sed -n 's/.*"error_rate":[[:space:]]*\([0-9.]*\),.*/\1/p' | head -n 1
}
awk "BEGIN { exit !($(rate auto) < $(rate standard)) }"
# A column that needs no map: the file is that of standard, but for the word.
cut -d, -f1,2,5 a.csv > plain.csv
neyman train -q --scale auto plain.csv -o p1 > out
neyman train -q --scale standard plain.csv -o p2 > out
sed '1d; /^end /d; /^scaling/d' p1 > r1
sed '1d; /^end /d; /^scaling/d' p2 > r2
cmp r1 r2
neyman export -q p1 --format liblinear -o p1.ll
# Sparse rows: zeros stay zeros.
awk 'BEGIN { srand(3); for (i = 0; i < 300; i++) { y = i % 2 ? 1 : -1; s = y; for (j = 1; j <= 30; j++) if (rand() < 0.3 + 0.1 * (j < 5) * (y + 1)) s = s " " j ":" exp(3 * rand()); print s } }' > s.svm
neyman train -q --scale auto s.svm -o k > out
grep -q '^rank ' k
neyman predict -q k s.svm --scores > s3
neyman convert -q s.svm s.ney
neyman predict -q k s.ney --scores > s4
cmp s3 s4
# Without --scale nothing has changed: tables are standardised.
neyman train -q --scale standard a.csv -o ms > out
neyman train -q a.csv -o d > out
cmp d ms
neyman train -q --scale default a.csv -o d > out
cmp d ms
# Without --scale a line says that columns need a map; not where another scaling is stated or the score is not linear.
advises() { neyman train "$@" -o x > out 2> err && grep -q '2 of 4 features correlate more with the labels.*--scale auto' err; }
advises a.csv
for other in '--scale standard' '--kernel rbf' '--scale auto'; do
    if advises $other a.csv; then exit 1; fi
done
if advises s.svm; then exit 1; fi
# Labels of targets and decoys are what --max-fdr decides by.
awk 'BEGIN { srand(5); print "SpecId\tLabel\tScanNr\ta\tb\tPeptide\tProteins"; for (i = 1; i <= 400; i++) { t = i % 2 ? 1 : -1; print "s" i "\t" t "\t" i "\t" exp(rand() + (t > 0) * rand()) "\t" rand() "\tP" i "\tQ" i } }' > a.pin
status=0
neyman train --max-fdr 0.05 --scale auto a.pin -o f > out 2> err || status=$?
test $status -eq 2
grep -q 'asinh' err
# Exports hold the maps, or say why not.
neyman export -q m --format json -o m.json
grep -q '"scaling": "auto"' m.json
neyman export -q m --format onnx -o m.onnx
neyman export -q m --format c -o m.c
status=0
neyman export m --format liblinear -o x 2> err > out || status=$?
test $status -ne 0
grep -q 'rank' err
if command -v cc > /dev/null; then
    cc -c m.c -o m.o
fi
