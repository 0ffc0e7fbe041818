#!/bin/sh
# Sentences and next steps that depend on the case: only those that hold are printed.
set -eu
awk 'BEGIN { srand(3); print "a,b,y"; for (i = 0; i < 600; i++) { y = i % 2; print rand() + y * 0.7 "," rand() "," y } }' > d.csv
neyman train -q d.csv --label y --max-fpr 0.1 -o m > out
! grep -q 'table of all points' out # no file was asked for
# evaluate cannot read JSON lines: no step that says so.
neyman predict m d.csv --scores -o s.tsv 2>&1 | grep -q 'Next: neyman evaluate --from-scores s.tsv'
neyman predict m d.csv --scores -o s.jsonl > said 2>&1
! grep -q 'Next:' said
# What a model cannot do is refused before a header is written.
status=0; neyman predict m d.csv --conformal > out 2> err || status=$?
test $status -eq 2; test ! -s out; grep -q 'train it with --conformal' err
# Probabilities are all at or above 0.
awk -F'\t' 'NR == 1 { print "score,label"; next } { print 1 / (1 + exp(-$2)) "," $3 }' s.tsv > p.csv
neyman evaluate -q --from-scores p.csv > out
grep -q '^warning: all scores are from 0.* at or above the default threshold 0: state --threshold (0.5 for probabilities)' out
neyman evaluate -q --from-scores p.csv --threshold 0.5 > out
! grep -q 'all scores are' out
neyman evaluate -q --from-scores s.tsv > out
! grep -q 'all scores are' out
# The upper confidence bound of a certificate is not the bound that was asked for.
neyman info m > out
grep -q '^ *FPR: bound  *0.1$' out
grep -q '^ *FPR: upper confidence bound  *0.0' out
neyman evaluate -q m d.csv > out
! grep -q 'upper confidence bound' out
# An array of Python objects that are texts.
printf '\223NUMPY\001\000\106\000' > o.npy
printf "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }%14s" '' >> o.npy
status=0; neyman info o.npy > out 2> err || status=$?
cat out err | grep -q 'labels also as texts (y.astype(str))'
# Missing cells of columns of words are counted too.
printf 'a,w,y\n1,red,0\n2,,1\n,blue,0\n4,,1\n' > gaps.csv
neyman info gaps.csv --label y > out
grep -q '^ *missing values  *3$' out
grep -q '^Reason: 3 cells are missing: .*--trees auto' out
neyman info gaps.csv --label y --json | grep -q '"missing":.*3,$'
