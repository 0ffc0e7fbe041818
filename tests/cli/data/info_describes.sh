#!/bin/sh
# info describes what train refuses, with the reason, the next step and exit code 0; and says which bounds can be certified.
# shellcheck disable=SC2059
set -eu
has() { grep -q -e "$1" out || { echo "no '$1'" >&2; cat out >&2; exit 1; }; }
lacks() { if grep -q -e "$1" out; then echo "has '$1'" >&2; exit 1; fi; }
# Every column, with what it looks like.
awk 'BEGIN { print "account,patient,town,day,amount,gone,type"; for (i = 0; i < 60; i++) print "A" i ",p" int(i / 4) "," (i % 3 ? "Rome" : "Oslo") ",2024-03-" 10 + i % 20 "," i / 8 ",," (i % 2 ? "good" : "bad") }' > d.csv
neyman info -q d.csv --label type > out
has 'account .*looks like an id: --id account'
has 'patient .*looks like a group: --group patient'
has 'town  *feature  *category .* 2  '
has 'day  *feature  *date '
has 'amount  *feature  *number  *0  *7.375  *0  *60 '
has "^Reason: column 'gone' has no values: leave it out with --ignore gone"
has '^Reason: 60 cells are missing: fill them'
neyman info -q d.csv --label type --ignore gone --id account --group patient > out
lacks Reason
has '60 rows with'
# The advice is right: train takes the file.
neyman train -q d.csv --label type --ignore gone --id account -o m > out
# No label column, more than two labels, one class.
neyman info -q d.csv > out
has 'Reason: has no labels'
has 'type .*two values, could be the label: --label type'
printf 'y,a\nred,1\nblue,2\ngreen,3\nred,4\n' > three.csv
neyman info -q three.csv > out
has 'Reason: line 4: .*--rest'
has '^  red  *2$'
has '^  green  *1$'
neyman info -q three.csv --positive red --rest > out
lacks Reason
printf 'y,a\n1,1\n1,2\n' > one.csv
neyman info -q one.csv > out
has "Reason: all rows are of the class '1'"
# Rows that cannot be read, from a file and from a pipe.
printf 'label,a,b\n1,2,3\n0,4\n1,3,4\n0,5,6,7\n0,1,2\n' > ragged.csv
neyman info -q ragged.csv > out
has 'Reason: line 3: found 2 fields, expected 3'
has 'rows that cannot be read  *2$'
has '^  5  *found 4 fields, expected 3$'
has '^  rows  *3$'
neyman info -q --json ragged.csv > a
neyman info -q --json - < ragged.csv > b
cmp a b
printf 'label,a\n1,2\n0,\0003\n1,4\n' > nul.csv
neyman info -q nul.csv > out
has 'Reason: .*NUL'
has '^  3  *found a NUL byte'
printf '1 1:2\n-1 2:1 1:3\n7 3:1\n' > bad.svm
neyman info -q bad.svm > out
has 'Reason: line 2'
has '^  2  *.*ascend'
printf 'label,a\n1,1\n0,2\n1,oops\n0,3\n' > mixed.csv
neyman info -q mixed.csv > out
has "a  *feature  *mixed .*holds 'oops'"
# Nothing can be said: the reason, exit 3.
status=0
head -c 64 /dev/zero > zeros
neyman info -q zeros > out 2> err || status=$?
test $status -eq 3
grep -q NUL err
# Bounds: what these rows can certify, and what train then does.
awk 'BEGIN { print "label,x"; for (i = 0; i < 200; i++) print i % 2 "," i % 7 + i % 2 }' > b.csv
neyman info -q b.csv --max-fpr 0.05 > out
has 'are enough to certify an FPR of at most 5 % with 95 % confidence: at least 59 of the 100 negatives'
neyman train -q b.csv --max-fpr 0.05 -o m > out
neyman info -q b.csv --max-fpr 0.01 > out
has 'too few to certify an FPR of at most 1 % with 95 % confidence: 299 negatives'
status=0
neyman train -q b.csv --max-fpr 0.01 -o m2 > out 2> err || status=$?
test $status -eq 4
neyman info -q --json b.csv --max-fpr 0.0298 --max-fnr 0.2 --confidence 0.9 > out
grep -q '"certifiable":[[:space:]]*true' out
# The smallest bound that is printed can be certified, and nothing below it.
neyman info -q --json b.csv > out
tight=$(sed -n 's/.*"tightest_rate":[[:space:]]*\([0-9.]*\),.*/\1/p' out | head -n 1)
above=$(awk "BEGIN { print $tight * 1.0001 }")
below=$(awk "BEGIN { print $tight * 0.9999 }")
neyman info -q --json b.csv --max-fpr "$above" | grep -q '"certifiable":[[:space:]]*true'
neyman info -q --json b.csv --max-fpr "$below" | grep -q '"certifiable":[[:space:]]*false'
status=0
neyman info b.csv --max-fpr 1 > out 2> err || status=$?
test $status -eq 2
status=0
neyman info m --max-fpr 0.1 > out 2> err || status=$?
test $status -eq 2
grep -q -e '--max-fpr applies to data' err
# Of many columns those with a note are listed; all with --columns.
awk 'BEGIN { s = "label"; for (j = 1; j <= 120; j++) s = s ",k" j; print s; for (i = 0; i < 6; i++) { s = i % 2; for (j = 1; j <= 120; j++) s = s "," (j == 7 ? 1 : i * j % 5); print s } }' > wide.csv
neyman info -q wide.csv > out
has '^  k7 .*constant'
lacks '^  k8 '
neyman info -q wide.csv --columns > out
has '^  k8 '
