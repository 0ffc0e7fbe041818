#!/bin/sh
# Where C is chosen under a bounded rate, the scaling of dense rows of a file is too for a linear score and an rbf kernel, unless it is stated.
set -eu
awk 'BEGIN { srand(3); print "a,b,kind"
    for (i = 1; i <= 400; i++) { p = i % 3 == 0; print exp(4 * rand() + 2 * p) "," rand() "," (p ? "yes" : "no") } }' > tail.csv
awk 'BEGIN { srand(3); for (i = 1; i <= 400; i++) { p = i % 3 == 0; printf "%d %d:%g\n", p ? 1 : -1, 1 + i % 40, exp(4 * rand() + 2 * p) } }' > sparse.svm
scaling_of() { neyman info --json model | grep -q "$1" || { neyman info --json model; exit 1; }; }
for run in 'train -C auto' 'tune --folds 2 --grid C=1'; do
    neyman $run -q --max-fpr 0.2 --confidence none --label kind tail.csv -o model > out
    scaling_of '"scaling":.*"auto"'
    neyman $run -q --max-fpr 0.2 --confidence none --scale standard --label kind tail.csv -o model > out
    scaling_of '"scaling":.*"standard"'
    neyman $run -q --max-fpr 0.2 --confidence none sparse.svm -o model > out
    scaling_of '"scaling":.*"none"'
done
neyman train -q --max-fpr 0.2 --confidence none --label kind tail.csv -o model > out
scaling_of '"scaling":.*"standard"'
neyman tune -q --max-fpr 0.2 --confidence none --folds 2 --grid C=1 --gamma 1 --kernel rbf --label kind tail.csv -o model > out
scaling_of '"scaling":.*"auto"'
neyman tune -q --max-fpr 0.2 --confidence none --folds 2 --refine 0 --grid 'C=0.01 cost-fp=1' --gamma 0.1 --degree 1 --method convex --kernel poly --label kind tail.csv -o model > out
scaling_of '"scaling":.*"standard"'
neyman tune -q --folds 2 --grid C=1 --label kind tail.csv -o model > out
scaling_of '"scaling":.*"standard"'
# cv --tune scales as tune
for scale in '' '--scale auto' '--scale standard'; do
    neyman cv -q --json --max-fpr 0.2 --confidence none --tune --grid C=1 --folds 2 $scale --label kind tail.csv | grep -v seconds > "cv$scale"
done
cmp cv 'cv--scale auto'
if cmp -s cv 'cv--scale standard'; then echo 'cv --tune scales as train'; exit 1; fi
