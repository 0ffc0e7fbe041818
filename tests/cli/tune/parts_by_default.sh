#!/bin/sh
# By default the grid is searched on a part of the rows where they are many, except with a kernel.
set -eu
awk 'BEGIN { srand(7); for (i = 1; i <= 8300; i++) { p = i % 3 == 0; f = i > 8000 ? "held.svm" : "many.svm"
             printf "%d 1:%.3f 2:%.3f\n", p ? 1 : -1, rand() + 0.5 * p, rand() > f } }'
for run in linear:4000 rbf:8000; do
    grid='C=0.001:0.1:6 cost-fp=1'
    test ${run%:*} = linear || grid="$grid gamma=0.01"
    neyman tune --max-fpr 0.15 --kernel ${run%:*} --confidence none --valid held.svm --grid "$grid" --no-extend --refine 0 \
        --method convex --average 1 -o many --fresh many.svm > out 2> err
    test "$(cut -f 15 many.tune.tsv | grep -cx ${run#*:})" -eq 6
done
