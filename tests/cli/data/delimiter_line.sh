#!/bin/sh
# A first line "sep=;" states the delimiter and is no row: in tables, several files, score files and a growing stream; a header with
# a delimiter more than the rows; lines above the header are pointed at.
set -eu
awk 'BEGIN { srand(6); for (i = 0; i < 80; i++) print rand() + i % 2 ";" rand() ";" i % 2 }' > rows
{ echo 'a;b;label'; cat rows; } > plain.csv
{ printf 'sep=;\r\n'; cat plain.csv; } > excel.csv
{ printf '\357\273\277"SEP=;"\n'; cat plain.csv; } > mark.csv
{ printf 'sep=^\n'; tr ';' '^' < plain.csv; } > other.csv
{ printf 'sep=\t\n'; tr ';' '\t' < plain.csv; } > tab.tsv
{ echo 'a;b;label;'; cat rows; } > longer.csv
neyman train -q plain.csv -o plain > out
strip() { grep -v -e '^end ' -e '^recipe' "$1"; }
strip plain > want
for f in excel.csv mark.csv other.csv tab.tsv longer.csv; do
    neyman train -q $f -o m > out
    strip m > got
    cmp want got || { echo "$f"; exit 1; }
    neyman predict -q plain $f --scores > got
    neyman predict -q plain plain.csv --scores > scores
    cmp scores got || { echo "$f"; exit 1; }
    neyman info $f | grep -q '^80 rows with 2 features'
done
# longer than the piece of text that one thread reads, 256 KB
for end in '' ';'; do
    awk -v end="$end" 'BEGIN { print "a;b;label" end; for (i = 0; i < 60000; i++) print i % 7 ";" i % 5 ";" i % 2 }' > long.csv
    neyman convert -q long.csv "again$end.csv" > out
done
cmp again.csv 'again;.csv'
neyman predict -q plain excel.csv mark.csv > both
[ "$(wc -l < both)" = 160 ]
(printf 'se'; sleep 0.2; printf 'p=;\na;b;label\n'; cat rows) | neyman predict -q plain - > streamed
head -80 both | cmp - streamed
# an error is counted in lines of the file
{ cat excel.csv; echo '1;x;1'; } > bad.csv
status=0; neyman predict -q plain bad.csv > out 2> err || status=$?
[ $status = 3 ] && grep -q "bad.csv:83:" err
# a column that is called so, and one of one file only
printf 'sep=,b,label\n1,2,0\n2,1,1\n' > name.csv
neyman info name.csv | grep -q '^ *sep=  *feature'
# scores
{ echo 'sep=;'; awk 'BEGIN { srand(1); print "label;score"; for (i = 0; i < 60; i++) print i % 2 ";" rand() + i % 2 }'; } > s.csv
neyman certify s.csv --max-fpr 0.3 --json | grep -v -e seconds > got
tail -n +2 s.csv > bare.csv
neyman certify bare.csv --max-fpr 0.3 --json | grep -v -e seconds > want
cmp want got
(printf 'sep'; sleep 0.2; printf '=;\nlabel;score\n0;-1\n1;2\n') > slow.csv
neyman train -q plain.csv --max-fpr 0.4 -o bounded > out
(printf 'sep'; sleep 0.2; printf '=;\nlabel;score\n0;-1\n1;2\n') | neyman monitor -q bounded > out
# lines above the header
{ echo '# made by hand'; cat plain.csv; } > comment.csv
status=0; neyman train comment.csv --delimiter ';' -o m > out 2> err || status=$?
[ $status = 3 ] && grep -q "as in the first line, '# made by hand' (take out lines above the header" err
