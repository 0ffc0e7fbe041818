#!/bin/sh
# convert chooses the format by file name or --to; it refuses formats that it cannot write before reading.
set -eu
awk 'BEGIN { for (i = 1; i <= 20; i++) print (i % 2 ? 1 : -1), "1:" i % 7 - 3.5, "3:" i }' > d.svm
says() {
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; exit 1; }
    grep -q -- "$want" err || { cat err; exit 1; }
}
says 'not written' convert nofile d.csv.gz
says 'not written' convert nofile d.svm.zst --to svmlight
says 'expected --to' convert nofile d.unknown
says 'expected --to' convert nofile -
says 'name a file' convert nofile - --to cache
neyman convert d.svm d.csv > out
neyman convert d.svm - --to csv > piped.csv 2> err
cmp d.csv piped.csv
neyman convert d.svm other.csv --to svmlight > out # what is said counts more than the name
neyman info other.csv | grep -q '^ *format  *svmlight'
neyman convert d.svm d.ney > out
grep -q '^rows  *20' out
for name in d.svm d.csv d.ney; do
    neyman info $name --json | grep -E '^[[:space:]]"(n|cols|n_pos|n_neg|low|high|stored)":' > $name.facts
    cmp d.svm.facts $name.facts
done
