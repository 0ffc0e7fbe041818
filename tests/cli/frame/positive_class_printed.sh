#!/bin/sh
# The positive class is printed before training, on stderr, unless -q is given.
set -eu
{ echo 'length,links,class'
  awk 'BEGIN { for (i = 1; i <= 60; i++) print i % 9 "," (i % 3 == 0) * 2 + i % 4 "," (i % 3 ? "nonspam" : "spam") }'
} > mail.csv
neyman train mail.csv --label class -o m > out 2> err
grep -q 'positive: spam (20 rows), negative: nonspam (40 rows)' err
neyman train mail.csv --label class --positive nonspam -o m > out 2> err
grep -q 'positive: nonspam (40 rows), negative: spam (20 rows)' err
neyman train mail.csv --label class -o m -q > out 2> err
test ! -s err
neyman predict m mail.csv | sort -u > labels
printf 'nonspam\nspam\n' > both
comm -23 labels both > strange
test ! -s strange
