#!/bin/sh
# Texts longer than what is read at a time: lines, quoted newlines and numbers of lines hold across
# the cuts, plain, piped and compressed, and one line may be longer than all of that.
set -eu
awk 'BEGIN { print "label,t,a" > "q.csv"; print "label,t,a" > "p.csv"
    for (i = 1; i <= 330000; i++) {
        y = i % 3 ? 0 : 1; k = i % 4; a = i % 1000 - 500
        print y ",\"word " k "\nsecond, line\"," a ".5" > "q.csv"
        print y ",w" k "," a ".5" > "p.csv" } }'
test "$(wc -c < q.csv)" -gt 9000000
neyman convert -q q.csv q.svm > out
neyman convert -q p.csv p.svm > out
cmp q.svm p.svm
test "$(wc -l < q.svm)" -eq 330000
neyman convert -q --threads 1 - - --to svmlight < q.csv > s.svm
cmp q.svm s.svm
gzip -1 -c q.csv > q.csv.gz
neyman convert -q --threads 3 q.csv.gz z.svm > out
cmp q.svm z.svm
# The number of the broken line: 2 lines a row, and a header.
{ cat q.csv; printf '1,w0,oops\n'; } > bad.csv
status=0; neyman convert -q bad.csv bad.svm > out 2> err || status=$?
test $status -eq 3
grep -q "bad.csv:660002: .*'oops'" err
{ cat q.csv; printf '1,w0\n'; } > bad.csv
status=0; neyman convert -q bad.csv bad.svm > out 2> err || status=$?
test $status -eq 3
grep -q 'bad.csv:660002:' err
{ cat p.svm p.svm p.svm; printf '1 1:x\n'; } > bad.svm
status=0; neyman convert -q bad.svm bad.ney > out 2> err || status=$?
test $status -eq 3
grep -q 'bad.svm:990001:5:' err
test ! -e bad.ney
# One line of more than 8 megabytes between two short ones.
awk 'BEGIN { print "1 1:1"; printf "-1"; for (i = 1; i <= 900000; i++) printf " %d:0.5", i; print ""; print "1 2:3" }' > long.svm
test "$(wc -c < long.svm)" -gt 9000000
neyman convert -q long.svm long.ney > out
neyman convert -q long.ney back.svm > out
cmp long.svm back.svm
