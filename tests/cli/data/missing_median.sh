#!/bin/sh
# --missing median fills with the median of the training rows; keep is refused where the family needs every cell.
set -eu
printf 'label,a,b\n1,1,2\n0,,1\n1,3,?\n0,NA,0\n1,1000,4\n' > gap.csv
neyman train -q gap.csv --missing median --scale none -o m > out
# a: 1 3 1000, median 3; b: 2 1 0 4, median 1.5.
grep -q '^missing median$' m
grep -q '^fill 3 1.5$' m
printf 'label,a,b\n1,,5\n1,2,\n' > new.csv
printf 'label,a,b\n1,3,5\n1,2,1.5\n' > filled.csv
neyman predict -q m new.csv --scores > s1
neyman predict -q m filled.csv --scores > s2
cmp s1 s2
# The same from a cache, read whole or in parts.
neyman convert -q --missing keep gap.csv gap.ney
neyman train -q gap.ney --missing median --scale none -o mc > out
neyman predict -q mc new.csv --scores > s3
cmp s1 s3
for family in '' '--kernel rbf' '--features 50 --max-fpr 0.1' '--network 4 --max-fpr 0.1'; do
    status=0; neyman train $family gap.csv --missing keep -o k > out 2> err || status=$?
    [ $status -eq 2 ]
    grep -q 'needs a number in every cell; expected error, mean, median or indicator' err
    [ ! -e k ]
done
status=0; neyman path gap.csv --missing keep -o k > out 2> err || status=$?
[ $status -eq 2 ]
