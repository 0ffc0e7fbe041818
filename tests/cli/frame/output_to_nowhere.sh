#!/bin/sh
# /dev/null is a place like any other, also when standard output is thrown away too; labels are never
# cut, however long they are.
set -eu
awk 'BEGIN { for (i = 1; i <= 20; i++) print (i % 2 ? 1 : -1), "1:" i % 7 - 3 * (i % 2) }' > d.svm
neyman train d.svm -o /dev/null --json > /dev/null 2> err || { cat err; exit 1; }
neyman train d.svm -o m -q > out
neyman predict m d.svm -o /dev/null --json > /dev/null
neyman convert d.svm /dev/null --to csv --json > /dev/null
long=$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "x" }')
{ echo 'a,kind'; awk -v long="$long" 'BEGIN { for (i = 1; i <= 20; i++) print i "," (i > 10 ? long : "short") }'
} > long.csv
neyman train long.csv --label kind -o m -q > out
neyman predict m long.csv | grep -q -x "$long"
neyman qvalues m long.csv --label kind --all | cut -f 3 | grep -q -x "$long"
