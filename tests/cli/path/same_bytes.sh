#!/bin/sh
# Two processes, one and two threads, rows kept or computed again: the same path, to the last byte.
set -eu
awk 'BEGIN { srand(6); for (i = 1; i <= 200; i++) { y = i % 4 ? -1 : 1; printf "%d", y
    for (j = 1; j <= 6; j++) printf " %d:%.6g", j, 2 * rand() - 1 + y / 4
    print "" } }' > a.svm
neyman path -q a.svm --kernel rbf --from 2 0 --to 0 2 --threads 1 -o one.path > out
neyman path -q a.svm --kernel rbf --from 2 0 --to 0 2 --threads 2 -o two.path > out
neyman path -q a.svm --kernel rbf --from 2 0 --to 0 2 --cache 0.001 -o three.path > out
cmp one.path two.path
cmp one.path three.path
neyman roc -q a.svm --splits 2 --regular 0 --threads 1 -o one.tsv > out
neyman roc -q a.svm --splits 2 --regular 0 --threads 2 -o two.tsv > out
cmp one.tsv two.tsv
