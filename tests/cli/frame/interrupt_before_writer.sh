#!/bin/sh
# A pipe that nobody writes to is waited for; one SIGINT is enough, and the message says so.
set -eu
for command in 'info pipe' 'train pipe -o m' 'convert pipe d.ney'; do
    rm -f pipe
    mkfifo pipe
    # shellcheck disable=SC2086
    env --default-signal=INT neyman $command > out 2> err &
    pid=$!
    sleep 0.3
    kill -INT $pid
    tries=0
    while kill -0 $pid 2> gone && test $tries -lt 30; do
        tries=$((tries + 1))
        sleep 0.1
    done
    test $tries -lt 30 || { kill -KILL $pid; echo "$command: still there"; exit 1; }
    status=0; wait $pid || status=$?
    test $status -eq 130 || { echo "$command: exit $status"; cat err; exit 1; }
    grep -q '^neyman: interrupted$' err || { cat err; exit 1; }
    test ! -e m
done
