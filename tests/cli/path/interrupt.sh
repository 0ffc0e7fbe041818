#!/bin/sh
# Ctrl-C while a path is followed: exit code 130, soon, and no file.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(8); for (i = 1; i <= 4000; i++) { y = i % 2 ? -1 : 1; printf "%d", y
    for (j = 1; j <= 10; j++) printf " %d:%.6g", j, 2 * rand() - 1 + y / 9
    print "" } }' > a.svm
env --default-signal=INT neyman path -q a.svm --kernel rbf --to 1000 1000 -o p.path > out 2> err &
pid=$!
wait_until $pid catches_int $pid
kill -INT $pid
status=0
wait $pid || status=$?
test $status -eq 130
test ! -e p.path
