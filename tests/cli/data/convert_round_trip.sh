#!/bin/sh
# From every format to every other and back: the same bytes.
set -eu
# Numbers with all the digits of a float, empty rows, weights, gaps between the columns.
awk 'BEGIN { for (i = 1; i <= 40; i++) { printf "%d", i % 2 ? 1 : -1
    if (i % 5) printf " 1:%.9g", (i * 7919 % 1000) / 997.0
    if (i % 3) printf " 2:%.9g", -1 / i
    printf " 3:%d\n", i } }' > seed.svm
neyman convert -q seed.svm a.svm # the shortest text of every number
for to in csv tsv pin ney; do
    neyman convert -q a.svm "a.$to"
    neyman convert -q "a.$to" back.svm
    cmp a.svm back.svm
    for via in csv tsv pin ney; do
        test "$to.$via" != ney.ney || continue # is a cache already
        neyman convert -q "a.$to" "via.$via"
        neyman convert -q "via.$via" back.svm
        cmp a.svm back.svm
    done
done
neyman convert -q a.ney b.csv
cmp a.csv b.csv
# Through pipes, and compressed on the way.
neyman convert -q - - --to tsv < a.csv > piped.tsv
cmp a.tsv piped.tsv
gzip -c a.csv | neyman convert -q - - --to svmlight > piped.svm
cmp a.svm piped.svm
# Weights survive.
printf '1 cost:2 1:1\n-1 cost:0.5 1:2\n1 1:3\n' > w.svm
neyman convert -q w.svm w.ney
neyman convert -q w.ney w2.svm
cmp w.svm w2.svm
neyman convert -q w.svm w.csv
neyman convert -q --weight weight w.csv w3.svm
cmp w.svm w3.svm
# What a PIN file says beside the features survives too.
printf 'SpecId\tLabel\tScanNr\tExpMass\ts\tPeptide\tProteins\na\t1\t1\t900.25\t2\tK.A.R\tP1\tP2\nb\t-1\t2\t800\t3\tR.B.K\tdecoy\n' > n.pin
neyman convert -q n.pin n.ney
neyman convert -q n.ney n2.pin
cmp n.pin n2.pin
# Rows without labels or entries stay rows.
printf 'a,b\n1,2\n0,0\n3,0\n' > u.csv
neyman convert -q u.csv u.svm
test "$(wc -l < u.svm)" -eq 3
neyman convert -q u.svm u2.csv
test "$(tail -n +2 u2.csv | tr '\n' ' ')" = '1,2 0,0 3,0 '
# A single entry, and a row without any.
printf '1 9:1\n-1\n' > one.svm
neyman convert -q one.svm one.ney
neyman convert -q one.ney one2.svm
cmp one.svm one2.svm
