#!/bin/sh
# --plot of every command that has one: texts are texts in SVG, --title and --size act, the names of axes,
# bounds, AUC and certified point are there; what cannot be drawn is refused before the work.
set -eu
awk 'BEGIN { srand(5); for (i = 0; i < 1600; i++) { y = i % 2; print (y ? 1 : -1), "1:" rand() + 0.7 * y, "2:" rand() } }' > d.svm
awk 'BEGIN { srand(6); for (i = 0; i < 800; i++) { y = i % 2; print (y ? 1 : -1), "1:" rand() + 0.7 * y, "2:" rand() } }' > t.svm
head -n 60 d.svm > few.svm
head -n 400 d.svm > some.svm
neyman train -q --max-fpr 0.02 d.svm -o m > out
neyman train -q --max-fpr 0.2 --max-fnr 0.3 d.svm -o both > out
neyman train -q --calibrate 0.2 d.svm -o cal > out
neyman predict m t.svm --scores > s.tsv
has() { for text; do grep -q ">$text<" x.svg || { echo "no text '$text' in the chart"; grep -o '<text.*' x.svg; exit 1; }; done; }
plot() { neyman "$@" --plot x.svg --title 'A <title> & more' --size 89x70mm -q > out; has 'A &lt;title&gt; &amp; more'; grep -q 'width="252.28.*pt" height="198.4.*pt"' x.svg; }
fpr='false-positive rate (FPR)' tpr='true-positive rate (TPR)'
plot evaluate m t.svm
has "$fpr" "$tpr" 'simultaneous 95 % band' 'bound: FPR 2 %' 'certified threshold' 'ROC curve' 'AUC 0.[0-9]* \[0.[0-9]*, 0.[0-9]*\]'
plot evaluate m t.svm --threshold 0.3
has 'this threshold'
plot evaluate both t.svm --curve roc
has 'bound: FPR 20 %' 'bound: FNR 30 %'
plot evaluate m d.svm # training rows: no interval, no band
if grep -q 'simultaneous\|\[0' x.svg; then exit 1; fi
plot compare --max-fpr 0.2 --grid C=1 some.svm --test t.svm
has 'ROC curves on the test rows' "$fpr" 'bound: FPR 20 %'
plot tune few.svm -o tuned --grid C=0.1,1,10
has 'penalty on training errors (C)' 'loss on validation rows' 'chosen C'
plot qvalues --from-scores s.tsv --max-fdr 0.1
has 'q-value (estimated false-discovery rate)' 'targets accepted' 'FDR 10 %: [0-9]*'
plot path few.svm --to 1 1
has 'weight of positives (C+)' 'on the margin' 'intercept'
plot plan --max-fpr 0.01
has 'held-out negatives' "$fpr" bound
plot monitor m < s.tsv
has rows 'evidence (natural logarithm)' 'FPR, on negatives' alarm
test "$(grep -o ' L ' x.svg | wc -l)" -gt 100 # one point per row, not per batch
plot monitor both < s.tsv
has 'FPR, on negatives' 'FNR, on positives'
neyman predict cal t.svm --scores > c.tsv
plot monitor cal --drift < c.tsv
has 'Evidence that scores have changed' alarm
plot roc few.svm --splits 2 --regular 0 --c-max 1
has "$fpr" "$tpr"
plot asymmetry d.svm
has "$fpr" "$tpr"
# a logarithmic axis below 5 %, a linear one above
neyman evaluate -q m t.svm --plot x.svg > out
has 10 # of 10 to the power of -2
neyman evaluate -q both t.svm --plot x.svg > out
has 0.2 0.4
# the other formats
neyman evaluate -q m t.svm --plot x.png --size 3x2in > out
test "$(od -A n -t u1 -j 16 -N 8 x.png | tr -s ' ')" = ' 0 0 2 136 0 0 1 176' # 648 x 432 dots
neyman evaluate -q m t.svm --plot x.pdf > out
# refused
refused() { text=$1; shift; status=0; neyman "$@" > out 2> err || status=$?; test $status -eq 2 && grep -q -e "$text" err; }
refused 'expected WIDTHxHEIGHT' evaluate m t.svm --plot x.svg --size 89
refused 'expected WIDTHxHEIGHT' evaluate m t.svm --plot x.svg --size 1x1mm
refused 'expected WIDTHxHEIGHT' evaluate m t.svm --plot x.svg --size 9x9furlong
refused 'size' evaluate m t.svm --size 89x70mm
refused 'title' plan --max-fpr 0.1 --title x
for command in 'compare few.svm' 'tune few.svm -o x' 'qvalues --from-scores s.tsv' 'path few.svm --to 1 1' 'plan --max-fpr 0.1' 'monitor m'; do
    refused 'expected a name that ends in' $command --plot chart.txt
done
refused 'table of results' tune few.svm -o - --plot x.svg
