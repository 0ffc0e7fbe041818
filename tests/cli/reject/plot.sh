#!/bin/sh
# Curves as charts: every kind, by the ending of the name; what cannot be drawn is refused at once.
set -eu
awk 'BEGIN { srand(5); print "label\tscore"
             for (i = 1; i <= 200; i++) print i % 2 "\t" rand() + 0.4 * (i % 2) }' > s.tsv
for kind in roc pr det hull cost risk-coverage error-reject; do
    neyman evaluate -q --from-scores s.tsv --thresholds 0.5,0.7 --curve $kind -o c.tsv --plot $kind.svg > out
    grep -q '</svg>' $kind.svg
    neyman evaluate -q --from-scores s.tsv --thresholds 0.5,0.7 --curve $kind --plot again.svg > out
    cmp $kind.svg again.svg
    grep -q 'Rates' out # a chart is drawn: the summary, not the rows of the curve
done
neyman evaluate -q --from-scores s.tsv --thresholds 0.5,0.7 --plot band.svg > out
grep -q 'fpr' out # the summary is there as ever
neyman evaluate -q --from-scores s.tsv --threshold 0.6 --plot roc.pdf > out
head -c 5 roc.pdf | grep -q '%PDF-'
status=0; neyman evaluate --from-scores s.tsv --plot chart.txt > out 2> err || status=$?
test $status -eq 2; test ! -e chart.txt
