#!/bin/sh
# Data that cannot be trained on are bad input, and the message describes the file; an output that cannot be written is
# reported before anything is read.
set -eu
code() {
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq "$want" || { echo "exit $status, expected $want: $*"; cat err; exit 1; }
}
printf 'label\n1\n0\n1\n' > labels.csv
code 3 train labels.csv -o m
grep -q 'no feature' err
printf '1\n-1\n1\n' > labels.svm
code 3 train labels.svm -o m --format svmlight
printf 'label,a,b\n' > header.csv
code 3 train header.csv -o m
grep -q 'has a header but no rows' err
awk 'BEGIN { print "city,size"; for (i = 1; i <= 20; i++) print (i % 2 ? "Rome" : "Oslo") "," i }' > words.csv
code 3 train words.csv -o m
grep -q -- '--label COLUMN, one of: city, size$' err
code 2 train nofile.csv -o ''
grep -q -- '-o has an empty value' err
code 2 train nofile.csv --output=
code 2 predict - -
grep -q 'standard input' err
code 2 evaluate - -
code 2 certify - --max-fpr 0.1 --model - -o m
mkdir box
code 1 train nofile.csv -o box/none/m
grep -q '^neyman: box/none/m: ' err
if test "$(id -u)" -ne 0; then
    chmod 600 box # names may be listed and none be made
    code 1 train nofile.csv -o box/m
    grep -q '^neyman: box/m: ' err
    chmod 700 box
fi
test ! -e m
