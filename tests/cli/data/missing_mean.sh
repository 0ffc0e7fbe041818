#!/bin/sh
# Missing cells are an error that names the cell, or are filled with the training mean, which the model stores.
set -eu
printf 'label,a,b\n1,1,2\n0,,1\n1,3,?\n0,NA,0\n' > gap.csv
status=0; neyman train gap.csv -o m 2> err > out || status=$?
test $status -eq 3
grep -q 'gap.csv:3:.*' err
grep -q "'a'" err
test ! -e m
neyman train gap.csv --missing mean --scale none -o m -q > out
# The mean of a is 2, of b 1: a gap scores as if those stood there.
printf 'label,a,b\n1,,5\n1,2,\n1,,\n' > new.csv
printf 'label,a,b\n1,2,5\n1,2,1\n1,2,1\n' > filled.csv
neyman predict -q m new.csv --scores > s1
neyman predict -q m filled.csv --scores > s2
cmp s1 s2
# svmlight writes a gap as nan.
printf '1 1:1 2:2\n0 1:nan 2:1\n1 1:3\n' > gap.svm
status=0; neyman train gap.svm -o m2 2> err > out || status=$?
test $status -eq 3
grep -q 'gap.svm:2:' err
neyman train gap.svm --missing mean -o m2 -q > out
grep -q '^fill 2 1$' m2
# A model trained without gaps never scores one, whatever is asked for and wherever it comes from.
printf 'label,a,b\n1,1,2\n0,2,1\n' > whole.csv
neyman train whole.csv -o m3 -q > out
status=0; neyman predict m3 new.csv > out 2> err || status=$?
test $status -eq 3
grep -q 'new.csv:2:.*train with --missing mean to allow missing values' err
test ! -s out
neyman convert -q --missing keep new.csv new.ney
status=0; neyman predict m3 new.ney > out 2> err || status=$?
test $status -eq 3
grep -q "new.ney: row 1: column 'a' is missing" err
test ! -s out
