#!/bin/sh
# Rows that a model was trained on cannot certify it: update, certify and monitor end with exit 4 and
# write nothing, evaluate warns, predict --seen marks them. In any format, order and storage, in part,
# a second time, and after streaming. Chance repeats do not cause a refusal.
set -eu
rows() { # seed, rows
    awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed); print "x,y,city,kind"
        for (i = 1; i <= n; i++) { p = i % 3 == 0
            printf "%.6f,%.6f,%s,%s\n", 1000 + rand() + 0.4 * p, (i % 5 ? 50 * rand() - 9 * p : 0), rand() < 0.5 ? "a" : "b", p ? "no" : "yes" } }'
}
rows 1 900 > d.csv
rows 2 900 > new.csv
{ head -1 d.csv; tail -n +2 d.csv | sort -t , -k 2; } > sorted.csv
{ head -1 d.csv; tail -n +2 d.csv | head -200; tail -n +2 new.csv | head -400; } > part.csv
gzip -c sorted.csv > sorted.csv.gz
neyman convert -q d.csv d.ney --label kind > out
online="--label kind --positive no --max-fpr 0.1 --method online --epochs 2"
# shellcheck disable=SC2086
{
    neyman train -q $online d.csv -o m > out
    neyman train -q $online d.csv --memory 0.001 -o streamed > out
    neyman train -q $online --no-fingerprint d.csv -o private > out
    neyman train -q $online --confidence none d.csv -o plain > out
}
cmp m streamed
refused() { # code, text, command
    code=$1 text=$2 status=0
    shift 2
    "$@" > out 2> err || status=$?
    test $status -eq "$code" || { echo "$*: exit $status" >&2; cat err >&2; exit 1; }
    grep -q "$text" err || { echo "$*: no '$text'" >&2; cat err >&2; exit 1; }
    test ! -e x
    test ! -s out
}
# what the model keeps
neyman info m --json | tr -d '\t' > info.json
grep -q '"fingerprint":true' info.json
grep -q '"fingerprint_rows":900' info.json
grep -q '"fingerprint_hashes":900' info.json
neyman info private --json | tr -d '\t' | grep -q '"fingerprint":false'
if grep -q 'training_rows\|rows_checksum' private; then exit 1; fi
# update
for file in d.csv sorted.csv sorted.csv.gz d.ney; do
    refused 4 '900 of 900 rows were used in training' neyman update m $file -o x
done
refused 4 '200 of 600 rows were used in training' neyman update m part.csv -o x
neyman update -q m new.csv -o later > out
neyman info later --json | tr -d '\t' | grep -q '"fingerprint_rows":1800'
refused 4 '900 of 900 rows were used' neyman update later new.csv -o x
refused 4 '900 of 900 rows were used' neyman update later d.csv -o x
neyman update -q m d.csv --confidence none -o again > out # nothing is certified
refused 4 '900 of 900 rows were used' neyman update again d.csv --confidence 0.9 -o x
neyman update -q private d.csv -o unnoticed > out
neyman info unnoticed --json | tr -d '\t' | grep -q '"fingerprint":false'
neyman update -q --no-fingerprint m new.csv -o bare > out
neyman info bare --json | tr -d '\t' | grep -q '"fingerprint":false'
refused 4 '900 of 900 rows were used' neyman update plain d.csv --confidence 0.9 -o x
# evaluate
neyman evaluate -q m part.csv --json > eval.json
grep -q '"200 of 600 rows were used in training' eval.json
grep -q '"rows_seen":.*200' eval.json
neyman evaluate -q m new.csv --json > eval.json
if grep -q 'used in training\|rows_seen' eval.json; then exit 1; fi
# predict, then certify, evaluate and monitor from its scores
neyman predict m part.csv --seen -o part.tsv --json | tr -d '\t' | grep -q '"rows_seen":200'
test "$(head -1 part.tsv)" = "$(printf 'predicted\tscore\tlabel\tseen')"
test "$(awk 'NR > 1 && NR <= 201 && $4 == 1' part.tsv | wc -l)" -eq 200
test "$(awk 'NR > 201 && $4 == 0' part.tsv | wc -l)" -eq 400
neyman predict -q m part.csv --seen --json | tr -d ' \t\n' | grep -q '"seen":\[1,1'
neyman predict m new.csv --seen -o new.tsv > out
test "$(awk 'NR > 1 && $4 == 0' new.tsv | wc -l)" -eq 900
refused 4 '200 of 600 rows are marked in column seen' neyman certify part.tsv --max-fpr 0.1 --positive no --model m -o x
refused 4 '200 of 600 rows are marked in column seen' neyman certify part.tsv --max-fpr 0.1
refused 4 '200 of 600 rows are marked' sh -c 'neyman certify - --max-fpr 0.1 < part.tsv'
neyman certify new.tsv --max-fpr 0.1 --positive no --model m -o sure --json -q > c.json
if grep -q 'not checked' c.json; then exit 1; fi
neyman predict m new.csv --scores -o bare.tsv > out
neyman certify bare.tsv --max-fpr 0.1 --positive no --model m -o sure --json -q | grep -q 'it was not checked whether'
neyman evaluate --from-scores part.tsv --json -q | grep -q '200 of 600 rows are marked in column seen'
neyman monitor m --state w.state < new.tsv > out || test $? -eq 6
cp w.state before.state
refused 4 'marked in column seen' sh -c 'neyman monitor m --state w.state < part.tsv'
cmp w.state before.state
refused 4 'marked in column seen' sh -c 'neyman monitor m -o x < part.tsv'
sed 's/\t1$/\tyes/' part.tsv > odd.tsv
refused 3 "odd.tsv:2:.*found 'yes' in column seen" neyman certify odd.tsv --max-fpr 0.1
refused 2 'private has none' neyman predict private d.csv --seen -o x
# rows that repeat by chance: two samples of 64 values
for seed in 3 4; do
    awk -v seed=$seed 'BEGIN { srand(seed); for (i = 0; i < 600; i++) print (i % 2 ? 1 : -1), "1:" int(8 * rand()), "2:" int(8 * rand() + i % 2) }' > bits$seed.svm
done
neyman train -q --max-fpr 0.3 --method online --epochs 2 bits3.svm -o bits > out
neyman update -q bits bits4.svm -o more > out
neyman predict bits bits4.svm --seen | awk 'NR > 1 && $4 != 0 { exit 1 }'
# tuning, paths and comparisons of other files
awk 'BEGIN { srand(5); for (i = 0; i < 120; i++) print (i % 2 ? 1 : -1), "1:" rand() + i % 2, "2:" rand() }' > t.svm
awk 'BEGIN { srand(6); for (i = 0; i < 120; i++) print (i % 2 ? 1 : -1), "1:" rand() + i % 2, "2:" rand() }' > v.svm
head -60 t.svm > half.svm
cat half.svm v.svm > both.svm
neyman tune -q --grid C=1 --refine 0 t.svm --valid v.svm -o tuned --json > tune.json
if grep -q 'used in training' tune.json; then exit 1; fi
neyman tune -q --grid C=1 --refine 0 t.svm --valid both.svm -o tuned --json | grep -q '60 of 180 validation rows were used in training'
neyman info tuned --json | tr -d '\t' | grep -q '"fingerprint_rows":300'
neyman evaluate -q tuned v.svm --json | grep -q '120 of 120 rows were used in training'
neyman roc -q t.svm --valid both.svm --test v.svm --regular 0 --c-max 1 --save-path p --json > roc.json
grep -q '60 of 180 validation rows were used in training' roc.json
grep -q '120 of 120 test rows were used in validation' roc.json
neyman pick -q p --cost-fn 1 -o picked > out
neyman evaluate -q picked half.svm --json | grep -q '60 of 60 rows were used in training'
neyman pick -q p --cost-fn 1 --no-fingerprint -o picked > out
if neyman evaluate -q picked half.svm --json | grep -q 'used in training'; then exit 1; fi
neyman compare -q t.svm --test both.svm --grid C=1 --refine 0 --max-fpr 0.3 --confidence none --folds 2 --json | grep -q '60 of 180 test rows were used in training'
