#!/bin/sh
# SIGINT when training has ended: the model is complete, and the exit code says so.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(5); for (i = 1; i <= 4000; i++) { y = i % 2 ? 1 : -1; printf "%d", y
             for (j = 1; j <= 20; j++) printf " %d:%g", j, rand() - 0.5 + 0.3 * y; print "" } }' > d.svm
for options in '--kernel rbf --gamma 1 -C 0.01' '--max-fpr 0.1 --confidence none --kernel rbf --method convex --tol 0.01'; do
    rm -f m
    # shellcheck disable=SC2086
    env --default-signal=INT neyman train d.svm -o m $options --threads 1 > out 2> err &
    pid=$!
    wait_until $pid test -e m
    kill -INT $pid 2> gone || true
    status=0; wait $pid || status=$?
    test $status -eq 0 || { echo "$options: exit $status"; cat err; exit 1; }
    neyman info m | grep -q '^ *stop *converged\|^ *converged *yes'
done
