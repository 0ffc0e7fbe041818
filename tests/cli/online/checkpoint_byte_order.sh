#!/bin/sh
# A checkpoint has the native byte order. One from a machine with the other byte order is refused, with
# the reason; the version in bytes 8 to 15 shows it.
set -eu
awk 'BEGIN { for (i = 0; i < 400; i++) print (i % 2 ? 1 : -1), "1:" (i * 7 % 13), "2:" (i * 5 % 11) }' > d.svm
train() { neyman train -q --max-fpr 0.3 --confidence none --method online --epochs 3 d.svm -o m "$@"; }
status=0; train --max-iter 500 --checkpoint point > out 2> err || status=$?
test $status -eq 5
version=$(od -A n -j 8 -N 8 -t u1 point | tr -s ' ')
cp point other
for byte in $version; do
    printf '%s\n' "$byte"
done | tac | while read -r byte; do
    printf "\\$(printf %03o "$byte")"
done | dd of=other bs=1 seek=8 conv=notrunc 2> /dev/null
status=0; train --checkpoint other --resume > out 2> err || status=$?
test $status -eq 3
grep -q 'other: was written on a machine with another byte order: start without --resume' err
train --checkpoint point --resume > out # the original goes on
