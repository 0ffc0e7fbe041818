#!/bin/sh
# A model without folds knows the file it was trained on, in any order of rows and any format: rates
# are marked and q-values are estimates. A part of the file is known by the fingerprint.
set -eu
awk 'BEGIN { srand(2); for (i = 0; i < 200; i++) print (i % 2 ? 1 : -1), "1:" rand() + i % 2, "2:" int(3 * rand()) }' > d.svm
sort -k 2 d.svm > sorted.svm
head -150 d.svm > part.svm
sed 's/ 1:0/ 1:1/' d.svm > other.svm
neyman convert -q d.svm d.csv > out
for options in '' '--max-fpr 0.1 --confidence none' '--kernel rbf' '--reject-cost 0.2'; do
    neyman train -q $options d.svm -o m > out
    for file in d.svm sorted.svm d.csv; do
        neyman evaluate m $file --json > e.json 2> err
        grep -q '"rates_on":	"training rows"' e.json
        grep -q 'trained on these rows: their rates are optimistic' e.json
        neyman qvalues -q m $file --json | grep -q '"fdr_reason":	"the model was trained on these rows"'
    done
    for file in part.svm other.svm; do
        neyman evaluate m $file --json > e.json 2> err
        if grep -q 'trained on\|rates_on' e.json; then exit 1; fi
    done
    neyman evaluate m part.svm --json | grep -q '150 of 150 rows were used in training'
    neyman qvalues -q m part.svm --json | grep -q '"fdr_reason":	"the model was trained on these rows"'
done
neyman tune -q --grid 'C=1' --refine 0 d.svm -o m > out
neyman evaluate -q m sorted.svm --json | grep -q '"rates_on":	"training rows"'
