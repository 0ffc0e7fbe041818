#!/bin/sh
# A write error is a failure, also when it is reported at close.
set -eu
test -c /dev/full || exit 77
awk 'BEGIN { for (i = 1; i <= 20; i++) print (i % 2 ? 1 : -1), "1:" i % 7 }' > d.svm
neyman train d.svm -o m -q > out
refused() {
    status=0; neyman "$@" > /dev/full 2> err || status=$?
    test $status -eq 1 || { echo "exit $status: $*"; exit 1; }
    test -s err
}
refused --version
refused help train
refused predict m d.svm
grep -q '^neyman: standard output: ' err
refused evaluate m d.svm
refused info m --json
status=0; neyman predict m d.svm -o /dev/full 2> err || status=$?
test $status -eq 1
