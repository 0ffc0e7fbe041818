#!/bin/sh
# The same rows in every format, plain, compressed and from standard input, give the same weights,
# the same scores and the same evaluation.
set -eu
awk 'BEGIN { OFMT = "%.9g"; print "label,a,b,c" > "d.csv"
    print "SpecId\tLabel\tScanNr\ta\tb\tc\tPeptide\tProteins" > "d.pin"
    for (i = 1; i <= 60; i++) {
        y = i % 3 ? -1 : 1; a = (i * 7 % 11) / 4 + y; b = (i * 5 % 13) - 6; c = i % 4 ? 0 : i / 8
        print y, "1:" a, "2:" b, "3:" c > "d.svm"
        print y "," a "," b "," c > "d.csv"
        print "s" i "\t" y "\t" i "\t" a "\t" b "\t" c "\tK.PEP.R\tP1\tP2" > "d.pin" } }'
tr ',' '\t' < d.csv > d.tsv
neyman convert -q d.svm d.ney
gzip -k d.svm d.csv
set -- d.svm d.csv d.tsv d.pin d.ney d.svm.gz d.csv.gz
if command -v zstd > /dev/null; then
    zstd -q -k d.svm d.pin
    set -- "$@" d.svm.zst d.pin.zst
fi
for f in "$@"; do
    neyman train -q --scale none --cost-fp 3 "$f" -o "$f.model" > out
    neyman predict -q "$f.model" "$f" --scores > "$f.scores"
    neyman evaluate -q --json "$f.model" "$f" | grep -v seconds > "$f.eval"
    sed -n '/^thresholds/,$p' "$f.model" | grep -v '^end' > "$f.part"
    cmp d.svm.part "$f.part"
    cmp d.svm.scores "$f.scores"
    grep -v -e '"model"' -e '"data"' d.svm.eval > want
    grep -v -e '"model"' -e '"data"' "$f.eval" > have
    cmp want have
done
test "$(wc -l < d.svm.scores)" -eq 61
grep -q '"n":[[:space:]]*60' d.svm.eval
# Any model reads any of the files that has its columns; standard input too.
for f in d.svm d.csv d.tsv d.pin d.csv.gz; do
    neyman train -q --scale none --cost-fp 3 - -o piped < "$f" > out
    cmp "$f.model" piped
    neyman predict -q d.svm.model - --scores < "$f" > piped.scores
    cmp d.svm.scores piped.scores
done
