#!/bin/sh
# liblinear-predict gives the labels that neyman predict gives, both ways.
set -eu
command -v liblinear-predict > found && command -v liblinear-train >> found || exit 77
awk 'BEGIN { srand(8); for (i = 1; i <= 900; i++) { y = i % 3 ? 2 : 5; printf "%d", y
    for (j = 1; j <= 8; j++) if ((i * j) % 5) printf " %d:%.7g", j, j * (rand() + y / 9) + j; print "" } }' > d.svm
head -n 300 d.svm > train.svm

for options in "-s 3 -B 1" "-s 0 -B -1" "-s 5 -B 2.5"; do
    # shellcheck disable=SC2086
    liblinear-train -q $options train.svm theirs > out 2> err
    liblinear-predict d.svm theirs expected > out
    neyman predict -q theirs d.svm > got
    cmp expected got
    neyman export theirs --format liblinear -o again > out
    liblinear-predict d.svm again got > out
    cmp expected got
done
for scale in none standard minmax; do
    neyman train -q --scale $scale --cost-fp 3 train.svm -o ours > out
    neyman predict -q ours d.svm > expected
    neyman export ours --format liblinear -o ours.liblinear > out
    liblinear-predict d.svm ours.liblinear got > out
    cmp expected got
    neyman predict -q ours.liblinear d.svm > got
    cmp expected got
done
