#!/bin/sh
# Real mail, end to end: spam is positive, and the model is better than chance on test rows.
set -eu
train=$(find "$DATA" -name 'spambase*train*' 2> /dev/null | head -n 1)
test=$(find "$DATA" -name 'spambase*test*' 2> /dev/null | head -n 1)
test -n "$train" || exit 77
test -n "$test" || exit 77
neyman train -q "$train" --label type --tol 0.01 -o m > out
neyman evaluate -q --json m "$test" > j
awk -F '[:,]' '/"auc"/ { exit !($2 + 0 > 0.9 && $2 + 0 <= 1) }' j
neyman convert -q "$test" --label type t.ney
neyman predict -q m t.ney --scores > a
neyman predict -q m "$test" --scores > b
cmp a b
