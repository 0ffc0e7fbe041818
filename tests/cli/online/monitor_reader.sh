#!/bin/sh
# A line that is not a label and a score is an error that names the line, and an input
# without rows is an error, not "no alarm".
set -eu
awk 'BEGIN { srand(8); for (i = 0; i < 400; i++) print (i % 2 ? 1 : -1), "1:" rand() + (i % 2) }' > d.svm
neyman train -q --max-fpr 0.05 d.svm -o m > out
bad_input() { status=0; neyman monitor m > out 2> err || status=$?; test $status -eq 3; }
bad_input < /dev/null
grep -q 'no rows' err
printf '\n\n \n' | bad_input
printf 'label\tscore\n' | bad_input
grep -q 'no rows' err
printf '1\t9\n1\t-9\n' | bad_input # no negatives: the bounded rate was not tested
grep -q 'negative class' err
# errors, each behind a NUL byte
awk 'BEGIN { print "-1\t-9"; for (i = 0; i < 200; i++) printf "-1\t-9\n%c-1\t9\n", 0 }' > nul.tsv
bad_input < nul.tsv
grep -q 'standard input:' err && grep -q NUL err
(printf -- '-1\t-9\n'; sleep 0.2; cat nul.tsv) | bad_input
grep -q 'standard input:3' err && grep -q NUL err
printf -- '-1\t-9\n-1\t-9\000\n' | bad_input
printf -- '-1\t-9\n-1\000\t9\n' | bad_input
printf 'label\tscore\tx\n-1\t-9\ta\000b\n' | bad_input
# one line that never ends
(printf -- '-1\t-9\n-1\t-9\n'; yes 9999999 | tr -d '\n' | head -c 3000000) | bad_input
grep -q 'standard input:3: found a line of more than' err
(printf -- '-1\t-9\n-1\t"'; yes 9999999 | head -c 3000000) | bad_input # nor in a quoted field
yes 9999999 | tr -d '\n' | head -c 3000000 | bad_input
# an unknown label or an invalid score, with its line
for line in '-1' '-1\tx' '7\t1' '-1\tnan' '\t1' '-1\t1\t1' '-1:1'; do
    printf -- "$line\n" | bad_input
    grep -q 'standard input:1' err
    printf -- "-1\t-9\n\n1\t9\n$line\n" | bad_input
    grep -q 'standard input:4' err
done
# compressed input is read too
printf -- '-1\t-9\n1\t9\n' | gzip | neyman monitor m > out
# no other command takes NULs in a score file either
printf 'label\tscore\tx\n-1\t1\ta\n1\t2\ta\000b\n' > s.tsv
status=0; neyman evaluate --from-scores s.tsv > out 2> err || status=$?
test $status -eq 3
# other columns, another order, decimal commas
awk 'BEGIN { srand(1); print "row;margin;truth"; for (i = 0; i < 300; i++) printf "%d;%.4f;%d\n", i, 4 * rand() - 2, i % 2 ? 1 : -1 }' > own.csv
awk -F ';' '{ print $3 "\t" $2 }' own.csv | sed '1s/.*/label\tscore/' > usual.tsv
status=0; neyman monitor -q m --json < usual.tsv | grep -v seconds > want || status=$?
tr . , < own.csv | neyman monitor -q m --json --score margin --label 3 --decimal , --delimiter ';' | grep -v seconds > got || status=$?
cmp want got
bad_input < own.csv
grep -q -e '--score COLUMN --label COLUMN' err
status=0; neyman monitor m --drift --label truth < own.csv 2> err || status=$?
test $status -eq 2
