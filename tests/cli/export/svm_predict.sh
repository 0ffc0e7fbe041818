#!/bin/sh
# svm-predict and liblinear-predict give the labels that neyman predict gives: models of ours exported,
# threshold and scaling folded in, and models of theirs read.
set -eu
command -v svm-predict > found && command -v svm-train >> found || exit 77
awk 'BEGIN { srand(4); for (i = 1; i <= 900; i++) { y = i % 3 ? -1 : 1; printf "%d", y
    for (j = 1; j <= 8; j++) if (j < 8 || i % 2) printf " %d:%.7g", j, j * (rand() + y / 5) + j; print "" } }' > d.svm
head -n 300 d.svm > train.svm

# theirs, every kernel
for t in 0 1 2 3; do
    svm-train -q -t $t -g 0.01 -r 0.5 -c 2 train.svm theirs
    svm-predict d.svm theirs expected > out
    neyman predict -q theirs d.svm > got
    cmp expected got
    # and back again
    neyman export theirs --format libsvm -o again > out
    svm-predict d.svm again got > out
    cmp expected got
done

# ours, scaled in every way that folds
for scale in none standard minmax; do
    neyman train -q --scale $scale --cost-fp 3 train.svm -o ours > out
    neyman predict -q ours d.svm > expected
    neyman export ours --format libsvm -o ours.libsvm > out
    svm-predict d.svm ours.libsvm got > out
    cmp expected got
    neyman predict -q ours.libsvm d.svm > got
    cmp expected got
done

# ours, with kernels: rows as they stand only, since scaling does not fold into a kernel
for kernel in rbf poly sigmoid; do
    neyman train -q --kernel $kernel --gamma 0.01 --scale none --cost-fp 3 train.svm -o ours > out || test $? -eq 5
    neyman predict -q ours d.svm > expected
    neyman export ours --format libsvm -o ours.libsvm > out
    svm-predict d.svm ours.libsvm got > out
    cmp expected got
    neyman predict -q ours.libsvm d.svm > got
    cmp expected got
done
neyman train -q --kernel rbf --scale standard train.svm -o ours > out || test $? -eq 5
status=0
neyman export ours --format libsvm -o no > out 2> err || status=$?
test $status -eq 2
grep -q -e '--scale none' err
