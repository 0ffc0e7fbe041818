#!/bin/sh
# A model and data give the rows that the scores of predict give; usage errors name the next step.
set -eu
awk 'BEGIN { srand(7); for (i = 1; i <= 300; i++) { y = i % 3 ? -1 : 1
             print y, "1:" rand() + y / 2, "2:" rand() - y / 5 } }' > d.svm
neyman train d.svm -o m -q > out
neyman predict m d.svm --scores -o s.tsv -q > out
neyman qvalues m d.svm --max-fdr 0.2 -q > a
neyman qvalues --from-scores s.tsv --max-fdr 0.2 -q > b
cmp a b
test "$(wc -l < a)" -gt 10
status=0; neyman qvalues > out 2> err || status=$?
test $status -eq 2
grep -q 'qvalues needs MODEL DATA, or --from-scores FILE' err
status=0; neyman qvalues --from-scores s.tsv -o no/such/folder/q > out 2> err || status=$?
test $status -eq 1
grep '^1' d.svm > positives.svm
status=0; neyman qvalues m positives.svm > out 2> err || status=$?
test $status -eq 3
grep -q 'both classes' err
status=0; neyman qvalues nosuch.model d.svm > out 2> err || status=$?
test $status -eq 1
# predict --qvalues: the same values, a row a line in the order of DATA
neyman qvalues --from-scores s.tsv --all --with-decoys -q | awk -F '\t' 'NR > 1 { print $1, $4 }' | sort -n | cut -d ' ' -f 2 > a
neyman predict m d.svm --qvalues -q > q.tsv
head -1 q.tsv | grep -qx 'predicted	score	label	q'
cut -f 4 q.tsv | tail -n +2 | cmp - a
neyman predict m d.svm --qvalues --json -q | grep -q '"q":'
sed 's/^[-0-9]* //' d.svm > unlabelled.svm
status=0; neyman predict m unlabelled.svm --qvalues > out 2> err || status=$?
test $status -eq 3
