#!/bin/sh
# Two columns of one name, one of which is the label, the weight, the identifier, the group or the score: refused with
# both places, since models and written tables know such a column by its name alone. Features may share a name.
set -eu
refused() { # what the column is, then the command
    what=$1; shift
    status=0; "$@" > out 2> err || status=$?
    test $status -eq 3 || { echo "exit $status: $*"; exit 1; }
    grep -q ":1: columns [12] and [23] are both called .*, as one is the $what column" err || { cat err; exit 1; }
    test ! -e x.ney
}
printf 'a,a,k\n3,0,1\n5,1,0\n1,0,0\n2,1,1\n' > d.csv
for label in 1 2 a; do
    refused label neyman info d.csv --label $label
    refused label neyman convert d.csv x.ney --label $label
done
refused weight neyman info d.csv --label k --weight 1
refused id neyman info d.csv --label k --id a
refused group neyman info d.csv --label k --group 2
# A header that is a row of data is the likely cause; info says so for each of them.
printf '4,0,0\n5,1,0\n1,0,1\n' > rows.csv
refused label neyman train rows.csv --label 3 -o x.ney
grep -q 'if line 1 is a row, state --no-header' err
neyman info -q rows.csv > out
test "$(grep -c '^  0 .*another column has this name: rename one, or state --no-header' out)" -eq 2

printf 'label,label,b\n3,0,1\n5,1,0\n' > guessed.csv
refused label neyman info guessed.csv
neyman train -q d.csv --label k -o m > out
neyman evaluate -q m d.csv > out # features of one name are taken in their order

printf 'label\tscore\tscore\n1\t2\t-2\n0\t-1\t1\n' > s.tsv
refused score neyman evaluate --from-scores s.tsv
refused score neyman certify s.tsv --max-fpr 0.5
printf 'label\tLabel\tscore\n1\t0\t-2\n0\t1\t1\n' > s.tsv
refused label neyman evaluate --from-scores s.tsv
printf 'seen\tseen\tscore\tlabel\n1\t0\t-2\t1\n0\t0\t1\t0\n' > s.tsv
refused seen neyman evaluate --from-scores s.tsv
