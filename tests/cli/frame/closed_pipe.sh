#!/bin/sh
# A reader that has seen enough is no error: no message, and what was to be written is written.
set -eu
awk 'BEGIN { for (i = 1; i <= 60000; i++) print (i % 2 ? 1 : -1), "1:" i % 7 - 3 * (i % 2) }' > d.svm
head -n 200 d.svm > few.svm
neyman train few.svm -o m -q > out
{ neyman predict m d.svm --scores 2> err; echo $? > code; } | head -n 1 > first
grep -q '^predicted' first
test ! -s err
test "$(cat code)" -eq 0
{ sleep 0.2; neyman train few.svm -o m2 2>&1; } | true
cmp m m2
