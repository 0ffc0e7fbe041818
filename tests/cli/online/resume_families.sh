#!/bin/sh
# Random features and networks continue from a checkpoint and give the same bytes as an uninterrupted run;
# the linear model: kill_and_resume.sh.
set -eu
awk 'BEGIN { srand(5); for (i = 0; i < 15000; i++) { y = i % 4 ? -1 : 1; printf "%d", y
             for (j = 1; j <= 12; j++) printf " %d:%.3f", j, rand() - 0.5 + 0.05 * y; print "" } }' > d.svm
# random features, in the first epoch and when rows are skipped
features() { neyman train -q --max-fpr 0.1 --confidence none --features 40 --gamma 0.5 --epochs 6 d.svm "$@"; }
features -o whole2 > out
for visits in 1000 20000 32000; do
    rm -f point2
    status=0; features --max-iter $visits --checkpoint point2 --memory 0.1 -o m > out 2> err || status=$?
    test $status -eq 5
    features --checkpoint point2 --resume --threads 1 -o m > out
    cmp whole2 m
done
# a network goes on between two of its batches, whatever their size; the last of a window is shorter
# shellcheck disable=SC2086 # words
net() { neyman train -q --max-fpr 0.1 --confidence none --epochs 3 --network $units d.svm "$@"; }
for run in 1:6 7:6 32:6 256:6 '1:6,4 --activation relu' '32:6,4 --activation relu'; do
    size=${run%%:*} units=${run#*:}
    net --batch $size -o net > out
    rm -f point.net
    status=0; net --batch $size --max-iter 30000 --checkpoint point.net -o m > out 2> err || status=$?
    test $status -eq 5
    net --batch $size --checkpoint point.net --resume --threads 1 -o m > out
    cmp net m
    net --batch $size --memory 0.1 -o m > out
    cmp net m
done
units=6
net --batch 32 -o m > out
net -o net > out # the default
cmp net m
status=0; net --batch 32 --checkpoint point.net --resume -o bad 2> err || status=$?
test $status -eq 3
test ! -e bad
