#!/bin/sh
# The online method in a search: linear by C, random features by gamma as well; the chosen model meets its
# bound, and the result does not depend on the number of threads.
set -eu
awk 'BEGIN { srand(3); for (i = 0; i < 600; i++) { a = 6.2832 * rand(); y = i % 3 ? -1 : 1; r = (y > 0 ? 1 : 2) + 0.6 * rand()
             printf "%d 1:%.4f 2:%.4f\n", y, r * cos(a), r * sin(a) } }' > rings.svm
confidence=none
tune() { neyman tune -q --max-fpr 0.1 --confidence $confidence --folds 2 --epochs 3 --refine 0 --no-extend --fresh rings.svm "$@"; }
tune --method online --grid C=0.1,1 -o linear --json > linear.json
tune --features 60 --grid 'C=1 gamma=0.001,1' --threads 1 -o a --json > features.json
tune --features 60 --grid 'C=1 gamma=0.001,1' --threads 2 -o b > out
cmp a b
again() { neyman tune -q --max-fpr 0.1 --confidence none --folds 2 --epochs 3 --refine 0 --no-extend rings.svm "$@"; }
again --features 60 --grid 'C=1 gamma=0.001,1' -o a --json > again.json # all is in the table
grep -q '"fits":.*0' again.json
grep -q '"reused":.*4' again.json
cmp a b
again --features 62 --grid 'C=1 gamma=0.001,1' -o a --json > again.json # of other options
grep -q '"reused":.*0' again.json
cp b a
tune --network 4 --grid C=1,10 -o network > out
confidence=0.8
tune --features 20 --grid C=1 -o bounded > out # gamma by itself
grep -q '"family":.*"features"' features.json
grep -q '"gamma":.*1' features.json
neyman info a > out
grep -q 'tuned' out
neyman info bounded > out
grep -qi certif out
status=0; tune --method online --kernel rbf -o no 2> err || status=$?
test $status -eq 2
