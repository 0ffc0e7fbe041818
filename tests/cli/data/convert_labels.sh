#!/bin/sh
# convert reports the label column, warns if there is none, and never reads its own output.
set -eu
awk 'BEGIN { print "a,b,kind"; for (i = 1; i <= 20; i++) print i "," i % 3 "," (i % 2 ? "good one" : "bad") }' > d.csv
code() {
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq "$want" || { echo "exit $status, expected $want: $*"; cat err; exit 1; }
}
for to in d.tsv d.ney; do
    code 0 convert d.csv $to --label kind --json
    grep -q '"labelled":.*true' out
    grep -q '"positive":.*"good one"' out
    grep -q '"negative":.*"bad"' out
    test ! -s err
done
cut -d, -f1,2 d.csv > plain.csv
for to in plain.tsv plain.ney plain.svm; do
    code 0 convert plain.csv $to --json
    grep -q '"labelled":.*false' out
    grep -q '"positive":.*null' out
    grep -q 'warning: no label column: all columns are features; .*--label COLUMN' err
done
cp d.csv kept.csv
code 2 convert d.csv d.csv --label kind
ln d.csv other.tsv
code 2 convert d.csv other.tsv --label kind
cmp d.csv kept.csv
code 3 convert d.csv d.svm --label kind # a label of two words
test ! -e d.svm
code 3 convert d.ney again.ney
test ! -e again.ney
# one class, whichever it is, with columns and without: every format has it
for label in -1 1 0 2 ham; do
    for rest in ' 1:2' ''; do
        printf '%s%s\n%s%s\n' "$label" "$rest" "$label" "$rest" > one.svm
        code 0 info one.svm --json
        grep -E '"(n|cols|n_pos|n_neg|positive|negative)":' out > facts
        for to in one.ney again.svm; do
            code 0 convert one.svm $to
            code 0 info $to --json
            grep -E '"(n|cols|n_pos|n_neg|positive|negative)":' out | cmp - facts
        done
    done
done
# no features: not in a table, which could not be read
for to in n.csv n.tsv; do
    code 3 convert one.svm $to # of the last turn
    grep -q 'no features' err
    test ! -e $to
done
# rows without labels whose feature a table would call the label
printf 'label,a,kind\n1,2,?\n3,4,?\n' > unknown.csv
for to in u.csv u.tsv; do
    code 3 convert unknown.csv $to --label kind
    grep -q "feature 'label' would be read as their label" err
    test ! -e $to
done
code 0 convert unknown.csv u.ney --label kind
code 0 convert unknown.csv u.svm --label kind

# A row that would be read as initial weights is not written to a PIN file.
printf 'SpecIds\tLabel\tScanNr\tscore\tPeptide\tProteins\na\t1\tDefaultDirection\t1\tA\tP\nb\t-1\t2\t3\tB\tP\n' > directions.pin
status=0; neyman convert -q --format pin directions.pin o.pin 2> err || status=$?
test $status -eq 3
grep -q "row 1 has 'DefaultDirection' in column 'ScanNr'" err
test ! -e o.pin
neyman convert -q --format pin directions.pin o.csv
