#!/bin/sh
# Rows in memory, rows of a cache, text converted to a cache, standard input, one thread or three: the same
# bytes. Covers the block shuffle, scaling, filling, weights and held-out rows.
set -eu
awk 'BEGIN { srand(7); print "x,y,city,w,kind"
             for (i = 1; i <= 6000; i++) { p = i % 5 == 0
                 print (i % 97 ? 1000 + rand() + 0.4 * p : "NA") "," 50 * rand() - 9 * p "," (rand() < 0.5 ? "a" : "b") \
                     "," 0.5 + rand() "," (p ? "no" : "yes") } }' > d.csv
awk 'BEGIN { srand(9); for (i = 0; i < 30000; i++) { y = i < 6000 ? 1 : -1; printf "%d", y
             for (j = 1; j <= 12; j++) printf " %d:%.2f", 9 * j + int(9 * rand()), rand() - 0.5 + 0.2 * y * (j > 6)
             print "" } }' > d.svm # sorted by class, and too large for one window
neyman convert -q d.svm d.ney > out
neyman convert -q d.csv t.ney --label kind --weight w --missing mean > out
table="--label kind --weight w"
csv="--positive no --missing mean --max-fpr 0.1 --confidence 0.9 --method online --epochs 4"
svm="--max-fnr 0.2 --confidence none --method online --epochs 2 --validation 0.1"
# shellcheck disable=SC2086
{
    neyman train -q $csv $table d.csv -o a > out
    neyman train -q $csv $table d.csv --memory 0.001 --threads 1 -o b > out
    neyman train -q $csv t.ney --memory 0.001 --threads 3 -o c > out 2> err
    neyman train -q $csv $table - --memory 0.001 -o d < d.csv > out
    cmp a b
    cmp a c
    cmp a d
    for scale in minmax rank; do
        neyman train -q $csv --scale $scale $table d.csv -o a > out
        neyman train -q $csv --scale $scale $table d.csv --memory 0.001 -o b > out
        cmp a b
    done
    neyman train -q --threads 1 $svm d.svm -o a > out
    neyman train -q --threads 3 $svm d.svm -o b > out
    neyman train -q --threads 3 $svm d.ney --memory 0.001 -o c > out
    neyman train -q --threads 1 $svm - --memory 0.001 -o d < d.svm > out
    neyman train -q --threads 1 $svm --features 50 --gamma 1 d.svm -o fa > out
    neyman train -q --threads 3 $svm --features 50 --gamma 1 d.svm -o fb > out
    neyman train -q --threads 3 $svm --features 50 --gamma 1 d.ney --memory 0.001 -o fc > out
    neyman train $svm d.ney --positive -1 --memory 0.001 -o e > out 2> err
    cmp a b
    cmp a c
    cmp a d
    cmp fa fb
    cmp fa fc
    grep -q 'positive: -1 (24000 rows), negative: 1 (6000 rows)' err
}
if ls ./*.rows-* 2> /dev/null; then exit 1; fi # what text became is gone
# errors and refusals are the same as in memory; no temporary file is left
status=0
neyman train -q --max-fpr 0.00001 --confidence 0.95 --method online d.ney --memory 0.001 -o bad 2> err > out || status=$?
test $status -eq 4
grep -q 'cannot certify' err
printf '1 1:x\n' >> d.svm
status=0
neyman train -q --max-fpr 0.1 --confidence none --method online d.svm --memory 0.001 -o bad 2> err > out || status=$?
test $status -eq 3
grep -q 'd.svm:30001' err
printf 'x' | dd of=d.ney bs=1 seek=5000 conv=notrunc 2> /dev/null
status=0
neyman train -q --max-fpr 0.1 --confidence none --method online d.ney --memory 0.001 -o bad 2> err > out || status=$?
test $status -eq 3
grep -q damaged err
test ! -e bad
if ls ./*.rows-* 2> /dev/null; then exit 1; fi
# more rows than scores are kept of: the threshold is found all the same, to the row
awk 'BEGIN { srand(3); for (i = 0; i < 1050000; i++) { y = i % 3 ? -1 : 1
             printf "%d 1:%.5f\n", y, rand() + 0.3 * y } }' > many.svm
neyman train -q --max-fpr 0.1 --confidence none --method online --epochs 1 many.svm -o m > out
neyman evaluate -q --json m many.svm | tr -d ' \t' > eval.json
grep -qE '"fp":(699[5-9][0-9]|70000),' eval.json # 700000 negatives, and some of them alike
