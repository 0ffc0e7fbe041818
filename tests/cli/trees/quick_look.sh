#!/bin/sh
# Where a linear model cannot see what trees see, training says so once, in one line; not with -q, a named
# family, or where trees are no better. The model does not depend on it.
set -eu
neyman train -q --trees 1 --label type "$DATA/spambase-train.csv.gz" -o probe > /dev/null 2> err || {
    grep -q "needs libxgboost" err && exit 77
    cat err
    exit 1
}
awk 'BEGIN { srand(4); print "class,a,b"; for (i = 0; i < 1600; i++) { a = rand() - 0.5; b = rand() - 0.5
    print (rand() < 0.05 ? a * b < 0 : a * b > 0) "," a "," b } }' > product.csv
awk 'BEGIN { srand(5); print "class,a,b"; for (i = 0; i < 1600; i++) { y = i % 2
    print y "," rand() * 2 + y "," rand() * 2 - y } }' > shift.csv
for goal in "--max-fpr 0.1" "--max-fnr 0.1" "--cost-fp 2"; do
    # shellcheck disable=SC2086 # words
    neyman train $goal --label class product.csv -o loud > out 2> err
    test "$(grep -c "add --trees auto" err)" = 1
    if grep -q "quick comparison" out; then exit 1; fi
    # shellcheck disable=SC2086 # words
    neyman train -q $goal --label class product.csv -o quiet > out 2> err
    test ! -s err
    cmp loud quiet
done
neyman train --max-fpr 0.1 --label class product.csv --threads 1 -o m > out 2> one
neyman train --max-fpr 0.1 --label class product.csv --threads 3 -o m > out 2> three
test "$(grep look one)" = "$(grep look three)"
for words in "--kernel rbf" "--trees 3" "--method uzawa" "-C 2" "--max-time 100" "--max-fnr 0.3"; do
    # shellcheck disable=SC2086 # words
    neyman train --max-fpr 0.1 $words --label class product.csv -o m > out 2> err || true
    if grep -q "quick comparison" err; then exit 1; fi
done
neyman train --max-fpr 0.1 --label class shift.csv -o m > out 2> err
if grep -q "quick comparison" err; then exit 1; fi
