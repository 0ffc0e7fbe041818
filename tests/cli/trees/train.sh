#!/bin/sh
# Boosted trees for every goal that they serve; the same model whatever the number of threads; what the
# library writes does not reach the user; --max-time keeps the best so far; refusals name the reason.
set -eu
data="$DATA/spambase-train.csv.gz"
if ! neyman train -q --trees 2 --label type "$data" -o probe > /dev/null 2> err; then
    grep -q "needs libxgboost" err && exit 77
    cat err
    exit 1
fi
for t in 1 3; do
    neyman train -q --threads $t --max-fpr 0.05 --trees 20 --label type "$data" -o "m$t" > /dev/null 2> err
    test ! -s err
done
cmp m1 m3
neyman evaluate -q m1 "$data" --json > out.json
neyman train -q --trees 10 --cost-fn 5 --label type "$data" -o c > /dev/null
neyman train -q --trees 10 --reject-cost 0.1 --label type "$data" -o r > /dev/null
neyman train -q --trees 10 --max-fpr 0.05 --max-fnr 0.05 --label type "$data" -o b > /dev/null
neyman train -q --trees 10 --max-fnr 0.05 --method lagrangian --label type "$data" -o l > /dev/null
neyman train -q --trees 10 --conformal --label type "$data" -o p > /dev/null
neyman info c | grep -q trees
# stopped by the clock: a model all the same, marked
status=0
neyman train -q --trees 100000 --max-time 0.3 --label type "$data" -o s > /dev/null 2> err || status=$?
test "$status" = 5
neyman predict -q s "$data" -o labels
# the folds share the time, also on one thread; a machine that stands still for long gets another try
awk 'BEGIN { srand(3); print "label,a"; for (i = 0; i < 20000; i++) print i % 2 "," rand() + i % 2 / 2 }' > small.csv
for try in 1 2 3; do
    neyman train -q --threads 1 --trees 100000 --max-time 2 small.csv -o shared > out || test $? = 5
    boosters=$(neyman info shared --json | tr -d ' \t' | sed -n 's/^"boosters":\([0-9]*\).*/\1/p')
    test "$boosters" -lt 5 || break
done
test "$boosters" = 5
neyman train -q --trees 3 small.csv -o all > out
neyman info all --json | grep -q '"boosters":[[:space:]]*5'
# refused
for words in "--method boosting" "--depth 3" "--trees 5 --kernel rbf" "--trees 5 --tol 0.1" "--trees 5 --memory 0.1"; do
    status=0
    # shellcheck disable=SC2086 # words
    neyman train -q $words --label type "$data" -o x > out 2> err || status=$?
    test "$status" = 2
    test ! -e x
done
grep -q -- "--memory" err
