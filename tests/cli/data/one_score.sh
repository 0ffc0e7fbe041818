#!/bin/sh
# A row has one score in text, whatever format, compression, cache, order, batch or number of threads it
# comes with; for every family, with columns that single precision holds and columns that it does not.
set -eu
# train.csv and test.csv: decimals and zeros of both signs, a year, a pressure (mean 100 deviations from
# zero), seconds since 1970 of a few days (other days in the test), a category
rows() {
    awk -v seed="$1" -v n="$2" -v day="$3" 'BEGIN { srand(seed); print "type,a,zero,year,pressure,seconds,town"
        for (i = 1; i <= n; i++) { y = rand() < 0.5; split("Rome,Oslo,Bonn", t, ",")
            printf "%s,%.6g,%s,%d,%.2f,%.0f,%s\n", y ? 1 : -1, rand() + y, i % 3 ? (i % 2 ? "-0.0" : "0") : sprintf("%.3f", rand() - y),
                1990 + int(30 * rand()) + 3 * y, 1000 + 10 * rand() + 5 * y, 1600000000 + 86400 * (day + 3 * rand() + y), t[1 + int(3 * rand())] } }'
}
rows 1 400 0 > train.csv
rows 2 150 5 > test.csv
tail -n +2 test.csv | awk -F , 'NR == 1 { print "type,a,zero,year,pressure,seconds,town" } { print }' > same.csv
cmp test.csv same.csv
for format in svm ney; do
    neyman convert -q --label type test.csv test.$format > out
done
tr , '\t' < test.csv > test.tsv
awk -F , 'BEGIN { OFS = "\t" } NR == 1 { $1 = "Label" } { print (NR == 1 ? "SpecId" : "s" NR), $1, (NR == 1 ? "ScanNr" : NR),
    $2, $3, $4, $5, $6, $7, (NR == 1 ? "Peptide" : "P"), (NR == 1 ? "Proteins" : "Q") }' test.csv > test.pin
# categories are features of their own in svmlight text: in the order of bytes
tail -n +2 test.csv | awk -F , '{ printf "%s 1:%s 2:%s 3:%s 4:%s 5:%s", $1, $2, $3, $4, $5, $6
    print ($7 == "Bonn" ? " 6:1" : $7 == "Oslo" ? " 7:1" : " 8:1") " 99:3" }' > wide.svm # and one column too many
gzip -c test.csv > test.csv.gz
gzip -c test.svm > test.svm.gz
files='test.tsv test.svm test.ney test.pin wide.svm test.csv.gz test.svm.gz'
if command -v zstd > found; then
    zstd -q test.csv
    files="$files test.csv.zst"
fi
(head -n 1 test.csv; tail -n +2 test.csv | sort -t , -k 2) > sorted.csv

check() {
    neyman predict -q --scores "$1" test.csv 2> err | cut -f 2 > expected
    test "$(sort -u expected | wc -l)" -gt 40
    for file in $files; do
        neyman predict -q --scores "$1" "$file" 2> err | cut -f 2 > got
        cmp expected got || { echo "$1: $file differs" >&2; exit 1; }
    done
    for threads in 1 2 5; do
        neyman predict -q --scores --threads $threads "$1" test.csv 2> err | cut -f 2 > got
        cmp expected got
    done
    neyman predict -q --scores "$1" sorted.csv 2> err | cut -f 2 | sort > got
    sort expected | cmp - got
    for row in 2 17 90; do
        (head -n 1 test.csv; sed -n ${row}p test.csv) > row.csv
        neyman predict -q --scores "$1" row.csv 2> err | cut -f 2 | tail -n 1 > got
        sed -n ${row}p expected | cmp - got || { echo "$1: row $row alone differs" >&2; exit 1; }
    done
}
neyman train -q --label type train.csv -o linear > out
neyman train -q --label type --scale minmax train.csv -o minmax > out
neyman train -q --label type --scale unit train.csv -o unit > out
for kernel in rbf poly sigmoid; do
    neyman train -q --label type --kernel $kernel train.csv -o $kernel > out 2> err || test $? -eq 5
done
neyman train -q --label type --max-fpr 0.2 --method online --network 6 --epochs 3 train.csv -o network > out 2> err || test $? -eq 5
neyman train -q --label type --max-fpr 0.2 --method online --features 40 --epochs 3 train.csv -o features > out 2> err || test $? -eq 5
for model in linear minmax unit rbf poly sigmoid network features; do
    check $model
done

# a shifted column that svmlight text leaves out is 0; one that equals the shift is stored as 0
shift=$(awk '/^shift/ { print $6 }' linear)
test "$shift" -gt 1600000000
{ head -n 1 test.csv; printf '1,0.5,0,2000,1001,0,Rome\n1,0.5,0,2000,1001,%s,Rome\n1,0,0,0,0,7,none\n' "$shift"; } > edge.csv
printf '1 1:0.5 3:2000 4:1001 8:1\n1 1:0.5 3:2000 4:1001 5:%s 8:1 77:1\n1 5:7 40:1\n' "$shift" > edge.svm
for model in linear network; do
    neyman predict -q --scores $model edge.csv 2> err | cut -f 2 > expected
    neyman predict -q --scores $model edge.svm 2> err | cut -f 2 > got
    cmp expected got
done

# the labels follow the same number everywhere: score >= threshold
neyman predict -q --scores network test.csv > predicted 2> err
neyman evaluate -q --json network test.csv > report 2> err
neyman evaluate -q --json network test.ney > cached 2> err
for key in tp fp tn fn; do
    grep "\"$key\":" report > a
    grep "\"$key\":" cached | cmp - a
done

# decimals beyond what single precision holds: text of either kind gives the same scores, a cache that was
# stored around another mean is refused
awk -F , 'BEGIN { OFS = "," } { $4 = NR == 1 ? "far" : sprintf("%.3f", 5000000 + NR % 7 + $2); print }' train.csv > far.csv
awk -F , 'BEGIN { OFS = "," } { $4 = NR == 1 ? "far" : sprintf("%.3f", 5000000 + NR % 9 + $2); print }' test.csv > fartest.csv
neyman train -q --label type far.csv -o m > out
tail -n +2 fartest.csv | awk -F , '{ printf "%s 1:%s 2:%s 3:%s 4:%s 5:%s", $1, $2, $3, $4, $5, $6
    print ($7 == "Bonn" ? " 6:1" : $7 == "Oslo" ? " 7:1" : " 8:1") }' > fartest.svm
neyman predict -q --scores m fartest.csv 2> err | cut -f 2 > expected
neyman predict -q --scores m fartest.svm 2> err | cut -f 2 > got
cmp expected got
neyman convert -q --label type fartest.csv fartest.ney > out
status=0
neyman predict -q --scores m fartest.ney > out 2> err || status=$?
test $status -eq 3
grep -q "column 'far'.*use the table" err
neyman convert -q --label type far.csv far.ney > out # around the model's own mean
neyman predict -q --scores m far.csv 2> err > expected
neyman predict -q --scores m far.ney 2> err > got
cmp expected got
