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
# a number that is the name of a column is not the place of another, and its line is no row
sed -e '1s/id/3/' -e '1s/score/4/' s.tsv | awk -F '\t' -v OFS='\t' '{ print $3, $2, $1 }' > digits.tsv
neyman evaluate --from-scores digits.tsv --score 4 --label label --threshold 0.7 --json | grep -v seconds > got
cmp want got
status=0; neyman evaluate --from-scores n.tsv --score gone > out 2> err || status=$?
[ $status -eq 3 ]
grep -q "n.tsv:1: there is no column 'gone'" err
# what the columns are called, which comes first, decimal commas: the next step is named
says() {
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    [ $status -eq 3 ] && grep -q -e "$want" err || { echo "$*: exit $status"; cat err; exit 1; }
}
awk -F '\t' '{ print $2 "," $3 }' s.tsv | sed '1s/.*/y_true,y_score/' > two.csv
says "are called 'y_true' and 'y_score', expected label and score: state which is which with --score" certify two.csv --max-fpr 0.2
neyman certify two.csv --label y_true --score y_score --max-fpr 0.2 --json | grep -v -e seconds -e scores > got
cmp certified got
awk -F '\t' 'NR > 1 { print $3 " " $2 }' s.tsv > swapped.txt
says 'if scores come first, --label 2 --score 1' certify swapped.txt --max-fpr 0.2
neyman certify swapped.txt --label 2 --score 1 --max-fpr 0.2 --json | grep -v -e seconds -e scores > got
cmp certified got
says "found score '0,[0-9]*', expected a number: state --decimal ," evaluate --from-scores c.tsv
# three labels, as --rest and --negative say, and the next command says so too
awk -F '\t' 'NR == 1 { print; next } { print $1 "\t" ($2 == 1 ? "bad" : NR % 3 ? "good" : "fair") "\t" $3 }' s.tsv > three.tsv
says '--positive VALUE --rest' certify three.tsv --max-fpr 0.2 --positive bad
for how in --rest '--negative good,fair'; do
    neyman certify three.tsv --positive bad $how --max-fpr 0.2 --json | grep '"threshold"' > got
    grep '"threshold"' certified | cmp - got
    neyman evaluate --from-scores three.tsv --positive bad $how | grep '^Next: ' | sed -e 's/^Next: //' -e 's/  (.*//' -e 's/0.01/0.2/' > next
    sh -eu next > out
done
status=0; neyman certify s.tsv --max-fpr 0.2 --delimiter xx > out 2> err || status=$?
[ $status -eq 2 ] && grep -q -e '--delimiter xx, expected one character' err
