#!/bin/sh
# Every way of writing an option gives the same model; option names are not completed silently.
set -eu
awk 'BEGIN { for (i = 1; i <= 40; i++) print (i % 2 ? 1 : -1), "1:" i % 7 - (i % 2 ? 2 : 4), "2:" i % 5 }' > d.svm
neyman train d.svm -C 0.01 -o want -q > out
same() {
    rm -f got
    neyman "$@" > out
    cmp want got
}
same train -q -C0.01 d.svm -o got
same train -q --C=0.01 d.svm --output=got
same train --C 0.01 d.svm --output got --quiet
same train -q -C 0.01 d.svm -ogot
same train -qC0.01 d.svm -o got
same train -qq --verbose=false -C0.01 -o got -- d.svm
same train -q -C 0.01 -o got - < d.svm
neyman train -q -C 5 d.svm -o other > out
if cmp -s want other; then exit 1; fi
status=0; neyman train --out got d.svm 2> err || status=$?
test $status -eq 2
cp d.svm ./-d.svm
same train -q -C 0.01 -o got -- -d.svm
