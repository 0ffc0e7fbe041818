#!/bin/sh
# What info finds in a data file and in a model, in figures that can be checked by eye.
set -eu
printf 'label,a,b,k\n1,1,0,5\n0,2,0,5\n1,1,0,5\n0,1,0,5\n1,-3.5,7,5\n' > d.csv
neyman info --json d.csv > j
has() { grep -q "\"$1\":[[:space:]]*$2[,}]*\$" j || { echo "no $1: $2" >&2; cat j >&2; exit 1; }; }
has kind '"data"'
has format '"csv"'
has n 5
has cols 3
has n_pos 3
has n_neg 2
has constant_columns 1
has duplicate_rows 2
has low -3.5
has high 7
has missing 0
has infinite 0
printf 'label,a\n1,inf\n0,\n1,nan\n0,4\n' > odd.csv
neyman info --json odd.csv > j
has missing 2
has infinite 1
for f in d.csv odd.csv; do
    gzip -c "$f" > "$f.gz"
    neyman info --json "$f" | grep -v '"file"' > a
    neyman info --json "$f.gz" | grep -v '"file"' > b
    cmp a b
done
neyman info d.csv | grep -q 5
neyman train -q d.csv --scale minmax -o m > out
neyman info --json m > j
has kind '"model"'
has family '"linear"'
has cols 3
has scaling '"minmax"'
has positive '"1"'
has negative '"0"'
has threshold 0
