#!/bin/sh
# Three commands agree: the counts of evaluate are those of the rows of predict --scores, and a
# score never contradicts its label.
set -eu
awk 'BEGIN { srand(7); for (i = 1; i <= 300; i++) { y = i % 3 ? -1 : 1
             print y, "1:" rand() + y / 3, "2:" rand() - y / 5 } }' > d.svm
neyman train d.svm -o m --cost-fn 2 -q > out
neyman predict m d.svm > labels
neyman predict m d.svm --scores > scores.tsv
head -n 1 scores.tsv | grep -q "^predicted	score	label$"
tail -n +2 scores.tsv | cut -f1 | cmp - labels
neyman evaluate m d.svm --cost-fn 2 --cost-fp 3 --json > out
tr -d ' \t,"' < out > flat
awk -F'\t' 'NR > 1 { n[$1 > 0 ? ($3 > 0 ? "tp" : "fp") : ($3 > 0 ? "fn" : "tn")]++
                     if (($2 >= 0) != ($1 > 0)) exit 1 }
            END { print "tp:" n["tp"] + 0; print "fp:" n["fp"] + 0; print "tn:" n["tn"] + 0; print "fn:" n["fn"] + 0
                  printf "%.9f\n", (2 * n["fn"] + 3 * n["fp"]) / 300 > "cost" }' scores.tsv > counts
while read -r line; do
    grep -qx "$line" flat || { echo "evaluate does not say $line"; cat flat; exit 1; }
done < counts
sed -n 's/^cost://p' flat | awk '{ printf "%.9f\n", $1 }' | cmp - cost
