#!/bin/sh
# --positive exchanges the classes in every format, the cache included; the message says which
# class is which.
set -eu
awk 'BEGIN { print "label,a" > "d.csv"; print "SpecId\tLabel\tScanNr\ta\tPeptide\tProteins" > "d.pin"
    for (i = 1; i <= 12; i++) { y = i % 2 ? 1 : -1; a = y * i / 4 - 1
        print y, "1:" a > "d.svm"; print y "," a > "d.csv"
        print "s" i "\t" y "\t" i "\t" a "\tP\tQ" > "d.pin" } }'
tr ',' '\t' < d.csv > d.tsv
neyman convert -q d.svm d.ney
for f in d.svm d.csv d.tsv d.pin d.ney; do
    neyman train "$f" --scale none --tol 1e-9 -o plus 2> err > out
    grep -i positive err | grep -q '1'
    neyman train "$f" --scale none --tol 1e-9 --positive -1 -o minus 2> err > out
    grep -i positive err | grep -q -e '-1'
    grep -q '^positive 1$' plus
    grep -q '^positive -1$' minus
    neyman predict -q plus "$f" > a
    neyman predict -q minus "$f" > b
    cmp a b
    neyman predict -q plus "$f" --scores | awk 'NR > 1 { print $2 }' > sa
    neyman predict -q minus "$f" --scores | awk 'NR > 1 { print $2 }' > sb
    paste sa sb | awk '{ d = $1 + $2; if (d * d > 1e-12) exit 1 }'
    # The true labels stay what they are, and count for the class the model means.
    neyman predict -q minus "$f" --scores | awk 'NR > 1 { print $3 }' > labels
    cut -d ' ' -f 1 d.svm | cmp - labels
    neyman evaluate -q --json plus "$f" | grep -e '"fp"' -e '"tn"' | tr -dc '0-9\n' > negatives
    neyman evaluate -q --json minus "$f" | grep -e '"fn"' -e '"tp"' | tr -dc '0-9\n' | sort > positives
    sort negatives | cmp - positives
    status=0; neyman train "$f" --positive 7 -o none 2> err > out || status=$?
    test $status -eq 3
    test ! -e none
done
