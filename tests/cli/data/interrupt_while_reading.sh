#!/bin/sh
# SIGINT during a long read: exit 130, nothing written, no temporary file.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
mkdir box
awk 'BEGIN { for (i = 1; i <= 20000; i++) print (i % 2 ? 1 : -1), "1:" i % 7, "2:" i % 11 }' > part.svm
for command in "convert - box/out.ney" "convert - box/out.csv" "train - -o box/m"; do
    mkfifo pipe
    # shellcheck disable=SC2086
    env --default-signal=INT neyman $command < pipe > out 2> err &
    pid=$!
    # Rows without end, until the reader leaves.
    sh -c 'while cat part.svm; do :; done' > pipe 2> cat.err &
    feeder=$!
    wait_until $pid has_read $pid 1000000
    kill -INT $pid
    status=0; wait $pid || status=$?
    kill $feeder 2> kill.err || true
    wait $feeder 2> wait.err || true
    rm pipe
    test $status -eq 130 || { echo "$command: exit $status" >&2; cat err >&2; exit 1; }
    test -z "$(ls -A box)"
done
