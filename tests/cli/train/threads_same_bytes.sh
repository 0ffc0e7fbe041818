#!/bin/sh
# The number of threads changes nothing: models, predictions, caches and converted files are the same.
set -eu
# Several pieces of text, so that several threads have work; categories and missing cells too.
awk 'BEGIN { srand(5); for (i = 1; i <= 12000; i++) { y = i % 4 ? -1 : 1; printf "%d", y > "d.svm"
    for (j = 1; j <= 12; j++) if ((i * j) % 5) printf " %d:%.9g", j, rand() + y / 4 > "d.svm"
    print "" > "d.svm" } }'
awk -v OFS=, 'BEGIN { srand(6); print "label,k,a,b"; for (i = 1; i <= 20000; i++)
    print i % 3 ? 0 : 1, "w" i % 17, (i % 50 ? rand() + (i % 3 ? 0 : 1) : ""), 1700000000 + i }' > d.csv
for n in 1 2 5; do
    neyman train -q --threads $n d.svm --max-iter 3000 -o "s$n.model" > out || test $? -eq 5
    neyman predict -q --threads $n "s$n.model" d.svm --scores -o "s$n.scores" > out
    neyman convert -q --threads $n d.svm "s$n.ney"
    neyman convert -q --threads $n d.svm "s$n.csv"
    neyman train -q --threads $n --missing mean d.csv --max-iter 3000 -o "t$n.model" > out || test $? -eq 5
    neyman predict -q --threads $n "t$n.model" d.csv --scores -o "t$n.scores" > out
    neyman convert -q --threads $n --missing mean d.csv "t$n.ney"
    neyman info --json --threads $n "t$n.ney" | grep -v '"file"' > "t$n.info"
done
for n in 2 5; do
    cmp s1.model s$n.model
    cmp s1.scores s$n.scores
    cmp s1.ney s$n.ney
    cmp s1.csv s$n.csv
    cmp t1.model t$n.model
    cmp t1.scores t$n.scores
    cmp t1.ney t$n.ney
    cmp t1.info t$n.info
done
