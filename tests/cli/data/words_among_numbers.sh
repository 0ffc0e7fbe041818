#!/bin/sh
# A word in a column of numbers is reported with its line; --words makes any column categorical, also in the model.
set -eu
printf 'label,a,zip\n1,2.5,90210\n0,2.5x,10001\n1,3,90210\n0,1,10001\n' > slip.csv
status=0; neyman train slip.csv -o m > out 2> err || status=$?
test $status -eq 3
grep -q "slip.csv:3: column 'a' holds '2.5x', which is not a number, among 3 numbers" err
grep -q -e '--words a' err
sed 's/2.5x/2.5/' slip.csv > fixed.csv
neyman train -q --words zip fixed.csv -o m > out
grep -q '^category zip 10001 90210$' m
neyman predict -q m fixed.csv > out
status=0; neyman train --words zip --ignore 'a, zip' fixed.csv -o m2 > out 2> err || status=$?
test $status -eq 2 || test $status -eq 3
grep -q "'zip' is named under both --ignore and --words" err
# all words of the column are named at once, whatever piece of the file they are in, up to a few
awk 'BEGIN { print "label,a"; for (i = 0; i < 120000; i++) print i % 2 "," (i == 7 ? "--" : i == 60000 ? "missing" : i % 1000 == 9 ? "na" : i) }' > gaps.csv
for threads in 1 3; do
    status=0; neyman train --threads $threads gaps.csv -o m > out 2> err || status=$?
    test $status -eq 3
    grep -q "gaps.csv:9: column 'a' holds '--' (also 'na', 'missing'), which is not a number, among 119878 numbers" err
done
neyman info gaps.csv > out
grep -q "^ *a  .*holds '--' (also 'na', 'missing')" out
neyman train -q gaps.csv --na=--,na,missing --missing median -o m > out
awk 'BEGIN { print "label,a"; for (i = 0; i < 99; i++) print i % 2 "," (i < 40 ? "word number " i : i) }' > words.csv
status=0; neyman train words.csv -o m > out 2> err || status=$?
grep -q "holds 'word number 0' (also 'word number 1', 'word number 2' and others), which" err
# one long word, however often, is one word
awk 'BEGIN { print "label,a"; for (i = 0; i < 99; i++) print i % 2 "," (i % 10 == 3 ? "a word that is longer than what a message shows of it" : i) }' > long.csv
status=0; neyman train long.csv -o m > out 2> err || status=$?
grep -q "holds 'a word that is longer[^']*', which is not" err
if grep -q others err; then exit 1; fi
