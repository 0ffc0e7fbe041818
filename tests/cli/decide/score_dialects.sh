#!/bin/sh
# A score file may be separated by tabs, commas, semicolons, bars or spaces, and --score and --label name its columns.
set -eu
awk 'BEGIN { srand(2); print "id\tlabel\tscore"; for (i = 0; i < 80; i++) printf "r%d\t%d\t%.6f\n", i, i % 2, rand() + 0.4 * (i % 2) }' > s.tsv
neyman evaluate --from-scores s.tsv --threshold 0.7 --json | grep -v seconds > want
neyman certify s.tsv --max-fpr 0.2 --json | grep -v -e seconds -e scores > certified
for d in ',' ';' '|' ' '; do
    tr '\t' "$d" < s.tsv > t.txt
    neyman evaluate --from-scores t.txt --threshold 0.7 --json | grep -v seconds > got
    cmp want got
    neyman certify t.txt --max-fpr 0.2 --json | grep -v -e seconds -e scores > got
    cmp certified got
done
sed -e '1s/score/margin/' -e '1s/label/truth/' s.tsv > n.tsv
neyman evaluate --from-scores n.tsv --score margin --label truth --threshold 0.7 --json | grep -v seconds > got
cmp want got
neyman evaluate --from-scores n.tsv --score 3 --label 2 --threshold 0.7 --json | grep -v seconds > got
cmp want got
neyman certify n.tsv --score margin --label truth --max-fpr 0.2 --json | grep -v -e seconds -e scores > got
cmp certified got
tr '.' ',' < s.tsv > c.tsv
neyman evaluate --from-scores c.tsv --decimal , --threshold 0.7 --json | grep -v seconds > got
cmp want got
status=0; neyman evaluate --from-scores n.tsv --score gone > out 2> err || status=$?
[ $status -eq 3 ]
grep -q "n.tsv:1: there is no column 'gone'" err
