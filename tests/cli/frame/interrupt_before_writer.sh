#!/bin/sh
# The program waits for a pipe without a writer; one SIGINT ends it, and the message says so.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
for command in 'info pipe' 'train pipe -o m' 'convert pipe d.ney'; do
    rm -f pipe
    mkfifo pipe
    # shellcheck disable=SC2086
    env --default-signal=INT neyman $command > out 2> err &
    pid=$!
    wait_until $pid catches_int $pid
    kill -INT $pid
    status=0; wait $pid || status=$?
    test $status -eq 130 || { echo "$command: exit $status"; cat err; exit 1; }
    grep -q '^neyman: interrupted$' err || { cat err; exit 1; }
    test ! -e m
done
