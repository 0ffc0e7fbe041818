#!/bin/sh
# A file is replaced whole, with its mode kept; a failure leaves the old one and nothing beside it.
set -eu
awk 'BEGIN { for (i = 1; i <= 20; i++) print (i % 2 ? 1 : -1), "1:" i % 7 - 3 * (i % 2) }' > d.svm
neyman train d.svm -o m -q > out
mkdir box
echo old > box/p
chmod 640 box/p
printf '1 1:2\n-1 1:oops\n' > broken.svm
status=0; neyman predict m broken.svm -o box/p > out 2> err || status=$?
test $status -eq 3
test "$(cat box/p)" = old
neyman predict m d.svm -o box/p > out
test "$(wc -l < box/p)" -eq 20
test "$(ls -A box)" = p
test "$(find box -name p -perm 640)" = box/p
neyman predict m d.svm -o - > direct
cmp direct box/p
: > same
# shellcheck disable=SC2094
neyman predict m d.svm -o same > same
cmp same box/p
ln -s box/p link
neyman predict m d.svm --scores -o link > out
test -L link
grep -q '^predicted' box/p
status=0; neyman predict m d.svm -o box 2> err > out || status=$?
test $status -eq 1
