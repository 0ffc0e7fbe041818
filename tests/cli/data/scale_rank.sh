#!/bin/sh
# --scale rank: a monotone change of a column changes no decision; a row has one score whatever it is
# stored in; sparse rows stay sparse, with zeros at zero; the model file and its exports hold the ranks.
set -eu
awk 'BEGIN {
    srand(5); print "label,a,b,c"
    for (i = 0; i < 400; i++) {
        y = i % 2; u = rand() + 0.3 * y; v = rand() - 0.2 * y
        printf "%d,%.6f,%.6f,%d\n", y, u, v, rand() < 0.8 ? 0 : 5 * rand()
    }
}' > a.csv
# a becomes exp(10 a), b becomes its cube: the ranks are the same.
awk -F, 'NR == 1 { print; next } { printf "%d,%.17g,%.17g,%s\n", $1, exp(10 * $2), $3 * $3 * $3, $4 }' a.csv > b.csv
neyman train -q --scale rank a.csv -o ma > out
neyman train -q --scale rank b.csv -o mb > out
neyman predict -q ma a.csv > pa
neyman predict -q mb b.csv > pb
differ=$(paste pa pb | awk '$1 != $2' | wc -l)
[ "$differ" -le 2 ]
grep -q '^scaling rank$' ma
grep -q '^rank 3 0 ' ma
neyman info ma --json | tr -d " \t" | grep -q "\"scaling\":\"rank\""

# One score: from CSV, TSV, a cache, one row at a time.
tr ',' '\t' < a.csv > a.tsv
neyman convert -q a.csv a.ney
neyman predict -q ma a.csv --scores > s
for other in a.tsv a.ney; do
    neyman predict -q ma $other --scores > s2
    cmp s s2
done
for line in 2 77 401; do
    { head -1 a.csv; sed -n ${line}p a.csv; } > one.csv
    neyman predict -q ma one.csv --scores | sed -n 2p > one
    sed -n ${line}p s | cmp - one
done

# svmlight: a row without entries has the score of zeros, and far values keep the rank of the last.
awk -F, 'NR > 1 { printf "%d", $1 * 2 - 1; if ($4 != 0) printf " 3:%s", $4; if (NR % 3) printf " 1:%s", 0 ? "" : $2; print "" }' a.csv |
    awk '{ n = split($0, f, " "); s = ""; for (i = 2; i <= n; i++) if (f[i] ~ /^1:/) s = s " " f[i]
           for (i = 2; i <= n; i++) if (f[i] ~ /^3:/) s = s " " f[i]; print f[1] s " 400:0" }' > a.svm
neyman train --scale rank a.svm -o ms > out 2> err
grep -q 'are mapped relative to zero' err || neyman train -v --scale rank a.svm -o ms 2>&1 > out | grep -q 'mapped relative to zero'
printf -- '-1 2:7\n1 1:1e30\n1 1:2e30\n-1 1:0\n' > new.svm
neyman predict -q ms new.svm --scores | cut -f 2 > s
[ "$(sed -n 2p s)" = "$(sed -n 5p s)" ]
[ "$(sed -n 3p s)" = "$(sed -n 4p s)" ]

# LIBSVM's format has no place for ranks.
status=0; neyman export ma --format liblinear -o x > out 2> err || status=$?
[ $status -eq 2 ]
grep -q 'scaled by rank' err
[ ! -e x ]
