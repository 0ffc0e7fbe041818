#!/bin/sh
# SIGINT while training, linear and rbf: exit 130; the model so far is written, is marked, predicts, and the
# JSON result has no rates (an interrupted run does not compute them). The number of columns makes the solver slow.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(3); for (i = 1; i <= 6000; i++) { printf "%d", rand() < 0.3 ? 1 : -1
             for (j = 1; j <= 12; j++) printf " %d:%g", 30 * j, rand() - 0.5; print "" } }' > noise.svm
head -n 50 noise.svm > few.svm
for options in '-C 1000' '-C 1e6 --kernel rbf --gamma 5 --cost-fp 30'; do
    # shellcheck disable=SC2086
    env --default-signal=INT neyman train noise.svm -o m $options --tol 1e-12 --max-iter 1000000000 --json > out 2> err &
    pid=$!
    wait_until $pid has_line positive err
    kill -INT $pid
    status=0; wait $pid || status=$?
    test $status -eq 130 || { echo "$options: exit $status" >&2; cat err >&2; exit 1; }
    grep -q 'best model so far is in m' err
    grep -q '"stop":[[:space:]]*"cancelled"' out
    grep -q '"converged":[[:space:]]*false' out
    grep -q '"gap":' out
    if grep -q '"fpr":' out; then echo 'rates after an interrupt' >&2; exit 1; fi
    neyman info --json m > out
    grep -q '"stop":[[:space:]]*"cancelled"' out
    neyman predict -q m few.svm > out
    test "$(wc -l < out)" -eq 50
    test -z "$(ls | grep -v -x -e m -e out -e err -e noise.svm -e few.svm)"
    rm m err
done
