#!/bin/sh
# Two processes, the same data and options, bit-identical results. Tests within one process cannot detect an
# address used as entropy.
set -eu
awk 'BEGIN { srand(3); for (i = 1; i <= 400; i++) { printf "%d", i % 3 ? -1 : 1
    for (j = 1; j <= 20; j++) printf " %d:%.9g", j, rand() + (i % 3 ? 0 : 0.3); print "" } }' > d.svm
for options in "" "--scale standard --cost-fp 5" "-C 10 --scale unit" "--max-iter 50"; do
    # shellcheck disable=SC2086
    neyman train -q $options d.svm -o a > out || test $? -eq 5
    # shellcheck disable=SC2086
    neyman train -q $options d.svm -o b > out || test $? -eq 5
    cmp a b
    neyman predict -q a d.svm --scores > sa
    neyman predict -q b d.svm --scores > sb
    cmp sa sb
done
