#!/bin/sh
# SIGINT in the middle: the best model so far is written, marked, and meets the bound; exit 130.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(11); for (i = 1; i <= 6000; i++) { y = i % 2 ? 1 : -1; printf "%d", y
             for (j = 1; j <= 20; j++) printf " %d:%g", j, rand() - 0.5 + 0.02 * y; print "" } }' > d.svm
env --default-signal=INT neyman train -v --max-fpr 0.02 --confidence none --method uzawa -C 100 --tol 1e-6 d.svm -o m > out 2> err &
pid=$!
wait_until $pid has_line 'step 1:' err
kill -INT $pid
status=0; wait $pid || status=$?
test $status -eq 130
neyman info m | grep -q 'stopped by *cancelled'
neyman evaluate -q --json m d.svm | awk -F '[:,]' '/"fpr"/ { exit !($2 + 0 <= 0.02) }'
