#!/bin/sh
# predict --scores: a header, the label where it is known, and as many digits as a score needs.
set -eu
awk 'BEGIN { for (i = 1; i <= 30; i++) print (i % 2 ? 1 : -1), "1:" i / 7, "2:" (i * 5 % 9) / 3 }' > d.svm
neyman train -q d.svm -o m > out
neyman predict -q m d.svm --scores > s
test "$(head -n 1 s)" = "$(printf 'predicted\tscore\tlabel')"
test "$(wc -l < s)" -eq 31
tail -n +2 s | awk '{ x = $2; n += length(x) >= 16; p = x >= 0 ? 1 : -1
    if ($1 != p) exit 1 } END { exit !(n > 10) }'
tail -n +2 s | cut -f 3 > labels
cut -d ' ' -f 1 d.svm | cmp - labels
neyman predict -q m d.svm > plain
tail -n +2 s | cut -f 1 | cmp - plain
# Without labels there is no third column; the scores are the same.
cut -d ' ' -f 2- d.svm > bare.svm
neyman predict -q m bare.svm --scores > s2
test "$(head -n 1 s2)" = "$(printf 'predicted\tscore')"
cut -f 1,2 s > s3
cmp s2 s3
# To a file: the same bytes.
neyman predict -q m d.svm --scores -o s4 > out
cmp s s4
