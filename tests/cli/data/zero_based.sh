#!/bin/sh
# Columns start at 0 only with --zero-based; the data are the same in both cases.
set -eu
printf '1 0:1 2:3\n-1 1:2\n1 0:2\n' > zero.svm
printf '1 1:1 3:3\n-1 2:2\n1 1:2\n' > one.svm
status=0; neyman train zero.svm -o m 2> err > out || status=$?
test $status -eq 3
grep -q 'zero.svm:1:3: .*zero-based' err
neyman train -q zero.svm --zero-based -o m0 > out
neyman train -q one.svm -o m1 > out
cmp m0 m1
neyman predict -q m0 zero.svm --zero-based --scores > s0
neyman predict -q m1 one.svm --scores > s1
cmp s0 s1
neyman convert -q --zero-based zero.svm back.svm
cmp one.svm back.svm
