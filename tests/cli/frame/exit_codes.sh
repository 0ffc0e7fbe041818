#!/bin/sh
# The exit codes are a contract: 1 failed, 2 usage, 3 bad input with its place, 5 not converged.
set -eu
code() {
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq "$want" || { echo "exit $status, expected $want: $*"; cat err; exit 1; }
}
awk 'BEGIN { srand(3); for (i = 1; i <= 400; i++) { printf "%d", i % 2 ? 1 : -1
             for (j = 1; j <= 10; j++) printf " %d:%g", j, rand() - 0.5; print "" } }' > noise.svm
printf '1 1:2\n-1 1:3\n1 1:x\n' > broken.svm
printf '1 1:2\n1 1:3\n' > oneclass.svm
code 1 train nofile.svm -o m
grep -q '^neyman: nofile.svm: ' err
code 1 train noise.svm -o no/such/folder/m
code 3 train broken.svm -o m
grep -q '^neyman: broken.svm:3:' err
test ! -e m
code 3 train oneclass.svm -o m
grep -q -- '--label' err
code 5 train noise.svm -o m --max-iter 1 --tol 1e-9
test -s m
neyman info m --json | grep -q '"stop":.*"iterations"'
code 0 train noise.svm -o m
code 3 predict noise.svm noise.svm
code 0 predict m noise.svm
