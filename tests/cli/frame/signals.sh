#!/bin/sh
# SIGHUP and SIGTERM save the best model so far, as SIGINT does; a signal that the caller ignores
# stays ignored; a file beyond the size limit is a write error, not a crash.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(11); for (i = 1; i <= 20000; i++) { printf "%d", i % 2 ? 1 : -1
             for (j = 1; j <= 30; j++) printf " %d:%g", 30 * j, rand() - 0.5; print "" } }' > noise.svm
head -n 2000 noise.svm > small.svm
for signal in HUP TERM; do
    rm -f m err
    env --default-signal=HUP,TERM neyman train noise.svm -o m -C 1000 --tol 1e-12 --max-iter 1000000000 > out 2> err &
    pid=$!
    wait_until $pid has_line positive err
    kill -s $signal $pid
    status=0; wait $pid || status=$?
    test $status -eq 130
    neyman info m | grep -q 'cancelled'
done
# as `nohup` and `( ... & )` do; while it trains, the signal is still ignored, and another one ends it
for signal in INT:2 HUP:1; do
    rm -f m err
    (
        trap '' ${signal%:*}
        exec env --default-signal=TERM neyman train noise.svm -o m -C 1000 --tol 1e-12 --max-iter 1000000000 > out 2> err
    ) &
    pid=$!
    wait_until $pid has_line positive err
    ignores $pid "${signal#*:}"
    kill -s "${signal%:*}" $pid
    ignores $pid "${signal#*:}"
    kill -s TERM $pid
    status=0; wait $pid || status=$?
    test $status -eq 130
    test -s m
done
# 512 bytes at the most
neyman convert -q small.svm whole.ney
rm -f m
status=0
(ulimit -f 1 && exec neyman convert -q small.svm cut.ney > out 2> err) || status=$?
test $status -eq 1
grep -q 'writing failed' err
test ! -e cut.ney
test "$(ls -d cut* 2> /dev/null | wc -l)" -eq 0
