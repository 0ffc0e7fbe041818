#!/bin/sh
# The model file says what the scores are: w'x + b from its text, computed here by awk, and the rates
# that evaluate prints, counted here from the predictions.
set -eu
awk 'BEGIN { srand(9); for (i = 1; i <= 200; i++) { y = i % 4 ? -1 : 1; printf "%d", y
    for (j = 1; j <= 6; j++) printf " %d:%.9g", j, 2 * rand() + y / 3; print "" } }' > d.svm
neyman train -q d.svm --cost-fp 2 -o m > out
neyman predict -q m d.svm --scores > s
awk 'FILENAME == "m" { if ($1 == "intercept") b = $2; else if ($1 == "weights") on = 1
         else if ($1 == "end") on = 0; else if (on) w[++n] = $1; next }
     { f = b; for (i = 2; i <= NF; i++) { split($i, e, ":"); f += w[e[1]] * e[2] } print f }' OFMT=%.17g m d.svm > f
tail -n +2 s | paste - f | awk '{ d = $2 - $4; if (d * d > 1e-12) exit 1; n++ } END { exit n != 200 }'
neyman evaluate -q --json m d.svm > j
awk 'NR > 1 { if ($3 > 0) { if ($1 > 0) tp++; else fn++ } else if ($1 > 0) fp++; else tn++ }
     END { print "tp", tp + 0; print "fp", fp + 0; print "tn", tn + 0; print "fn", fn + 0 }' s > counts
while read -r key value; do
    grep -q "\"$key\":[[:space:]]*${value}[,}]*\$" j || { echo "$key is not $value" >&2; cat j >&2; exit 1; }
done < counts
