#!/bin/sh
# A slip among numbers is told with its line; --words makes categories of any column, for good.
set -eu
printf 'label,a,zip\n1,2.5,90210\n0,2.5x,10001\n1,3,90210\n0,1,10001\n' > slip.csv
status=0; neyman train slip.csv -o m > out 2> err || status=$?
test $status -eq 3
grep -q "slip.csv:3: column 'a' holds '2.5x', which is no number, among 3 numbers" err
grep -q -e '--words a' err
sed 's/2.5x/2.5/' slip.csv > mended.csv
neyman train -q --words zip mended.csv -o m > out
grep -q '^category zip 10001 90210$' m
neyman predict -q m mended.csv > out
status=0; neyman train --words zip --ignore 'a, zip' mended.csv -o m2 > out 2> err || status=$?
test $status -eq 2 || test $status -eq 3
grep -q "'zip' is named under both --ignore and --words" err
