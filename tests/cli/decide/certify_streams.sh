#!/bin/sh
# A file, a pipe and a compressed file, one thread or many: the same certificate.
set -eu
awk 'BEGIN { srand(8); print "score\tother\tlabel"
             for (i = 1; i <= 20000; i++) { y = i % 5 == 0; printf "%.5f\tx%d\t%d\n", rand() + y / 2, i, y } }' > s.tsv
gzip -k s.tsv
neyman certify s.tsv --max-fpr 0.01 --json -q | grep -v seconds > file
neyman certify s.tsv --max-fpr 0.01 --json -q --threads 1 | grep -v seconds | cmp - file
neyman certify - --max-fpr 0.01 --json -q < s.tsv | grep -v seconds | cmp - file
cat s.tsv | neyman certify - --max-fpr 0.01 --json -q | grep -v seconds | cmp - file
cat s.tsv.gz | neyman certify - --max-fpr 0.01 --json -q | grep -v seconds | cmp - file
neyman certify s.tsv.gz --max-fpr 0.01 --json -q | grep -v seconds | cmp - file
# negatives alone are enough to certify
grep -v '1$' s.tsv > negatives.tsv
neyman certify negatives.tsv --max-fpr 0.01 --json -q > alone
for key in threshold rank bound calibration_hash; do
    grep "\"$key\"" file > want
    grep "\"$key\"" alone | cmp - want
done
grep -q '"tpr":.*null' alone
printf 'label\tscore\n1\t0.5\n0\tnan\n' > broken.tsv
status=0; neyman certify broken.tsv --max-fpr 0.5 > out 2> err || status=$?
test $status -eq 3
grep -q '^neyman: broken.tsv:3:' err
