#!/bin/sh
# --positive X --rest reads all other label values as one class, --negative lists those; the model keeps it; without them the error names the way out.
set -eu
awk 'BEGIN { srand(7); print "label,a,b"; for (i = 0; i < 120; i++) { k = i % 4; printf "%s,%.4f,%.4f\n", substr("redbluegreygold", k == 0 ? 1 : 4 * k, k == 0 ? 3 : 4), k + rand(), rand() } }' > d.csv
status=0; neyman train d.csv -o m > out 2> err || status=$?
[ $status -eq 3 ]
grep -q 'd.csv:4: found label .grey.*--positive VALUE --rest' err
neyman train -q d.csv --positive red --rest -o m > out
awk -F, 'NR > 1 && $1 != "red" { sub(/^[a-z]*/, "rest") } 1' d.csv > two.csv
neyman train -q two.csv --positive red -o n > out
strip() { grep -v -e '^pooled' -e '^neyman-model' -e '^end ' "$1"; }
strip m > ms; strip n > ns
cmp ms ns
# New rows keep their own labels.
neyman evaluate -q m d.csv --json | grep -v -e seconds -e '"data"' -e '"model"' > e1
neyman evaluate -q n two.csv --json | grep -v -e seconds -e '"data"' -e '"model"' > e2
cmp e1 e2
neyman predict -q m d.csv > p; grep -q '^rest$' p; grep -q '^red$' p
# Listed labels, and one that is not listed.
status=0; neyman train d.csv --positive red --negative blue,grey -o x > out 2> err || status=$?
[ $status -eq 3 ]
grep -q "found label 'gold'" err
[ ! -e x ]
neyman train -q d.csv --positive red --negative blue,grey --negative gold -o x > out
grep -q '^negative blue,grey,gold$' x
grep -v gold d.csv > three.csv
neyman evaluate -q x three.csv > out
# svmlight, and a score file.
awk -F, 'NR > 1 { printf "%d 1:%s 2:%s\n", NR % 4, $2, $3 }' d.csv > d.svm
neyman train -q d.svm --positive 2 --rest -o s > out
grep -q '^negative rest$' s
neyman evaluate -q s d.svm > out
awk -F, 'NR > 1 { print $1 "\t" $2 }' d.csv > scores
neyman evaluate --from-scores scores --positive gold --rest --threshold 3 --json | tr -d ' \t' | grep -q '"fnr":0,'
# A label that no row has.
for others in --rest '--negative red,blue,grey,gold'; do
    status=0; neyman train d.csv --positive Red $others -o y > out 2> err || status=$?
    [ $status -eq 3 ]
    grep -q "d.csv: has no row with the label 'Red', which --positive names" err
    [ ! -e y ]
done
# Misuse.
for wrong in '--rest' '--negative blue' '--positive red --rest --negative blue'; do
    status=0; neyman train d.csv $wrong -o y > out 2> err || status=$?
    [ $status -eq 2 ]
    grep -q -e 'needs --positive' -e 'exclude each other' err
    [ ! -e y ]
done
