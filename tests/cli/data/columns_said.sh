#!/bin/sh
# Training says which column is the label, which became categories and which are not features, with the reason.
set -eu
printf 'type,a,town,id,w,\nx,1,Rome,r1,1,\ny,2,Paris,r2,1,\nx,3,Rome,r3,2,\ny,1,Oslo,r4,1,\n' > d.csv
neyman train d.csv --label type --ignore id --weight w -o m > out 2> err
grep -q 'd.csv: label: type; categories: town (3 values); not features: id (--ignore), w (--weight), c6 (no name)$' err
neyman train -q d.csv --label type --ignore id --weight w -o m > out 2> err
[ ! -s err ]
# A model has said it before: predict is silent.
neyman predict m d.csv > out 2> err
! grep -q categories err
# Of many columns the first are named.
awk 'BEGIN { s = "label"; for (j = 1; j <= 12; j++) s = s ",k" j; print s; for (i = 0; i < 6; i++) { s = i % 2; for (j = 1; j <= 12; j++) s = s "," substr("abc", i % 3 + 1, 1); print s } }' > wide.csv
neyman train wide.csv -o m > out 2> err
grep -q 'k8 (3 values) and 4 more$' err
