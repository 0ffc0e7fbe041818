#!/bin/sh
# Labels and column names with commas, quotes, spaces and newlines come back from a table and from a
# cache unchanged; formats that cannot represent them refuse.
set -eu
printf 'label,"a, b","say ""x""",t\n"very good",1,2,"two\nlines"\n"not, so",3,4,one\n' > t.csv
neyman convert -q t.csv t2.csv
neyman convert -q t2.csv t3.csv
cmp t2.csv t3.csv
neyman convert -q t.csv t.ney
neyman convert -q t.ney t4.csv
cmp t2.csv t4.csv
neyman convert -q t.csv t.tsv
neyman convert -q t.tsv t5.csv
cmp t2.csv t5.csv
for f in t.csv t2.csv t.ney t.tsv; do
    neyman info --json "$f" > out
    grep -q '"n":[[:space:]]*2' out
    grep -q '"cols":[[:space:]]*4' out
    grep -q '"positive":[[:space:]]*"very good"' out
done
status=0; neyman convert -q t.csv t.svm 2> err || status=$?
if test $status -eq 0; then # then what was written can be read, and has the same two classes
    neyman info --json t.svm > out
    grep -q '"n_pos":[[:space:]]*1' out
    grep -q '"n_neg":[[:space:]]*1' out
else
    test $status -eq 3 || test $status -eq 2
    test ! -e t.svm
fi
neyman convert -q t.csv t.pin
neyman info --json t.pin > out
grep -q '"cols":[[:space:]]*4' out
