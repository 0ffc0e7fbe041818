#!/bin/sh
# A cache with one wrong byte, anywhere, or cut short, is refused: exit 3, the file's name.
set -eu
awk 'BEGIN { for (i = 1; i <= 50; i++) print (i % 2 ? 1 : -1), "1:" i, "2:" i / 4 }' > d.svm
neyman convert -q d.svm d.ney
neyman train -q d.ney -o m > out
size=$(wc -c < d.ney)
refuse() {
    for command in "info" "train -o new" "predict m" "evaluate m"; do
        status=0
        # shellcheck disable=SC2086
        neyman $command bad.ney > out 2> err || status=$?
        test $status -eq 3 || { echo "$1: $command: exit $status" >&2; exit 1; }
        grep -q 'bad.ney' err
        test ! -e new
    done
}
# Bytes of the header (version, rows, checksum), of the block, of the table and of the preprocessing.
for at in 9 17 100 130 200 400 600 $((size - 100)) $((size - 3)); do
    test "$at" -lt "$size" || continue
    cp d.ney bad.ney
    old=$(od -An -tu1 -j "$at" -N 1 d.ney | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf '%o' $((old ^ 32)))" | dd of=bad.ney bs=1 seek="$at" conv=notrunc 2> dd.log
    if cmp -s d.ney bad.ney; then exit 1; fi
    case $at in # padding behind the header belongs to no checksum
        1[0-2][0-9]) if neyman info bad.ney > out 2> err; then continue; fi ;;
    esac
    refuse "byte $at"
done
for length in 8 60 127 $((size / 2)) $((size - 1)); do
    head -c "$length" d.ney > bad.ney
    refuse "first $length bytes"
done
{ cat d.ney; printf x; } > bad.ney
refuse "a byte more"
