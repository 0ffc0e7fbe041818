#!/bin/sh
# 58 negatives cannot certify 5 % with confidence 95 %, 59 can; the refusal is exit 4, states the number
# needed and the tightest rate, names the next step, and writes no model.
set -eu
rows() { awk -v n="$1" 'BEGIN { srand(2); print "label\tscore"
             for (i = 1; i <= n; i++) print "-1\t" rand()
             for (i = 1; i <= 30; i++) print "1\t" rand() + 0.5 }'; }
rows 58 > few.tsv
rows 59 > enough.tsv
awk 'BEGIN { srand(3); for (i = 1; i <= 40; i++) { y = i % 2 ? 1 : -1; print y, "1:" rand() + y } }' > d.svm
neyman train d.svm -o m -q > out
status=0; neyman certify few.tsv --max-fpr 0.05 --model m -o certified > out 2> err || status=$?
test $status -eq 4
test ! -e certified
test ! -s out
grep -q 'at least 59 are needed' err
grep -q 'tightest rate that these can certify is 0.05034' err
grep -q "Try 'neyman plan --max-fpr 0.05 --confidence 0.95'" err
status=0; neyman certify few.tsv --max-fpr 0.05 --json > out 2> err || status=$?
test $status -eq 4
grep -q '"code":.*4' out
grep -q '"rate":[[:space:]]*"fpr"' out
grep -q '"n":[[:space:]]*58' out
grep -q '"needed":[[:space:]]*59' out
grep -q '"tightest_rate":[[:space:]]*0.050339' out
neyman certify enough.tsv --max-fpr 0.05 --model m -o certified -q > out
test -s certified
# the highest negative is the order statistic: no negative of the file is at or above the threshold
grep -q '^  calibration rows misclassified *0$' out
grep -q '^  rank of the threshold *59$' out
# both rates share the confidence: 59 are too few then
status=0; neyman certify enough.tsv --max-fpr 0.05 --max-fnr 0.5 > out 2> err || status=$?
test $status -eq 4
grep -q 'at least 72 are needed' err
status=0; neyman certify few.tsv --max-fnr 0.01 --json > out 2> err || status=$?
test $status -eq 4
grep -q '"rate":[[:space:]]*"fnr"' out
grep -q '"n":[[:space:]]*30' out

misused() {
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; exit 1; }
}
misused certify enough.tsv
grep -q 'needs --max-fpr RATE or --max-fnr RATE' err
misused certify enough.tsv --max-fpr 1
misused certify enough.tsv --max-fpr 0.1 --confidence 1
misused certify enough.tsv --max-fpr 0.1 --model m
grep -q 'go together' err
misused certify enough.tsv --max-fpr 0.1 --model m -o - --json
