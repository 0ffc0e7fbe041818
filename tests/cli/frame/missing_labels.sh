#!/bin/sh
# Data without labels cannot be trained on or evaluated: exit 3, and the message says what to do.
set -eu
{ echo 'height,width,kind'
  awk 'BEGIN { for (i = 1; i <= 30; i++) print i % 9 "," i % 4 + (i % 2) * 3 "," (i % 2 ? "good" : "bad") }'
} > with.csv
cut -d, -f1,2 with.csv > without.csv
neyman train with.csv --label kind -o m -q > out
status=0; neyman train without.csv -o m2 > out 2> err || status=$?
test $status -eq 3
grep -q 'without.csv: ' err
grep -q -- '--label COLUMN' err
grep -q 'height' err && grep -q 'width' err
test ! -e m2
status=0; neyman evaluate m without.csv > out 2> err || status=$?
test $status -eq 3
neyman predict m without.csv > predicted
test "$(wc -l < predicted)" -eq 30
