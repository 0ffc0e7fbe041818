#!/bin/sh
# Manual pages of the program and of every command are clean roff.
set -eu
neyman help --commands > names
echo neyman >> names
while read -r name; do
    neyman help --man "$name" > "$name.1"
    for section in NAME SYNOPSIS 'EXIT STATUS'; do
        grep -q "^.SH \"$section\"" "$name.1" || { echo "$name.1 lacks $section"; exit 1; }
    done
done < names
neyman help --man | cmp - neyman.1
grep -q '\\fB\\-C, \\-\\-C\\fR' train.1
grep -q '\\(aqneyman convert\\(aq' train.1 # quotes that can be copied
command -v groff > /dev/null || exit 77
for page in *.1; do
    LC_ALL=C groff -man -ww -Tascii -P-cbou "$page" > text 2> warnings
    test ! -s warnings || { cat warnings; exit 1; }
    grep -q 'EXIT STATUS' text
done
