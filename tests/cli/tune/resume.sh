#!/bin/sh
# A run that is killed or interrupted continues where it stopped, and gives the same bytes as an
# uninterrupted one. Another number of threads makes no difference; other options start a new search.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(5); for (i = 1; i <= 150; i++) { p = i % 3 == 0; printf "%d", p ? 1 : -1
             for (j = 1; j <= 8; j++) printf " %d:%g", j, rand() + (j < 3 ? 0.4 * p : 0); print "" } }' > data.svm
tune() { neyman tune --json --max-fpr 0.05 --confidence none --kernel rbf --folds 3 --grid 'C=0.1:10:3 gamma=0.1:1:3' "$@" data.svm -o m; }
has_results() { test "$(lines)" -gt "$1"; }
lines() { if test -e m.tune.tsv; then wc -l < m.tune.tsv; else echo 0; fi; }
for signal in KILL INT; do
    rm -f m m.tune.tsv
    (exec neyman tune --json --max-fpr 0.05 --confidence none --kernel rbf --folds 3 --grid 'C=0.1:10:3 gamma=0.1:1:3' data.svm \
        -o m > out 2> err) &
    pid=$!
    wait_until $pid has_results 10
    kill -$signal $pid || true # a quick machine may be done
    status=0; wait $pid || status=$?
    test ! -e m || test $status -eq 0
    if test $signal = INT && test $status -ne 0; then
        test $status -eq 130
        grep -q 'the same command continues' err
    fi
    before=$(lines)
    test "$before" -gt 10
    tune --threads 1 > out.$signal 2> err
    grep -q 'results are taken from m.tune.tsv' err
    mv m m.$signal
done
rm -f m.tune.tsv
tune > out 2> err
cmp m m.KILL
cmp m m.INT
if grep -q 'are taken' err; then exit 1; fi
# an existing table is used, unless --fresh is given or it has other options
tune > out 2> err
grep -q '"fits":.*0,' out
cmp m m.KILL
tune --seed 2 > out 2> err
grep -q 'starting over' err
tune --seed 2 --fresh > out 2> err
if grep -q 'are taken' err; then exit 1; fi
# a file that is something else is left alone
echo 'a letter' > letter
status=0; tune --table letter > out 2> err || status=$?
test $status -ne 0
grep -q 'a letter' letter
