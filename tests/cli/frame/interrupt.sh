#!/bin/sh
# SIGINT while training: the best model so far is written and marked, exit 130. SIGINT while waiting
# for input: exit 130 and no model. The number of columns makes the solver slow.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(11); for (i = 1; i <= 20000; i++) { printf "%d", i % 2 ? 1 : -1
             for (j = 1; j <= 30; j++) printf " %d:%g", 30 * j, rand() - 0.5; print "" } }' > noise.svm
env --default-signal=INT neyman train noise.svm -o m -C 1000 --tol 1e-12 --max-iter 1000000000 > out 2> err &
pid=$!
wait_until $pid has_line positive err
kill -INT $pid
status=0; wait $pid || status=$?
test $status -eq 130
neyman info m | grep -q 'cancelled'
if grep -q "$(printf '\033')" err; then exit 1; fi # no progress line where there is no terminal

mkfifo pipe
env --default-signal=INT neyman train - -o m2 < pipe > out 2> err &
pid=$!
exec 3> pipe
wait_until $pid catches_int $pid
kill -INT $pid
wait_until $pid false # its input stays open
exec 3>&-
status=0; wait $pid || status=$?
test $status -eq 130
test ! -e m2
