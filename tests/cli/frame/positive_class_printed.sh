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
# the command that predict suggests measures the same class, also where it is not the larger label
neyman train mail.csv --label class --positive nonspam -o m -q > out
neyman predict m mail.csv --label class --scores -o s.tsv > out
grep '^Next: ' out | sed 's/^Next: //' > next
grep -q -e '--positive nonspam' next
sh -eu next | grep '^  positive class' > found
grep -q 'nonspam$' found
neyman predict m mail.csv --label class --only positive --scores -o s.tsv > out
if grep -q '^Next: ' out; then exit 1; fi # rates of some of the rows are no rates
# where the larger class is positive by its name alone, the option is named
sed -e 's/nonspam/good/' -e 's/spam/bad/' mail.csv > words.csv
neyman train words.csv --label class -o m > out 2> err
grep -q 'positive: good (40 rows), negative: bad (20 rows); --positive VALUE makes the other class the positive one' err
neyman train words.csv --label class --positive bad -o m > out 2> err
grep -q 'positive: bad (20 rows), negative: good (40 rows)$' err
