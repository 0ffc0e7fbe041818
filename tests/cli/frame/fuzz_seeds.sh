#!/bin/sh
# Seeds of fuzz targets that stand for good files are good files behind their first byte. A seed
# that is refused at its first line tests nothing.
set -eu
corpus=$NEY_SOURCE/tests/fuzz/corpus
n=0
for seed in "$corpus"/model/*.ney "$corpus"/path/*; do
    tail -c +2 "$seed" > file
    neyman info -q file > out || { echo "$seed is refused"; exit 1; }
    test "$(wc -c < "$seed")" -le 4096 || { echo "$seed is longer than an input of the fuzzer"; exit 1; }
    n=$((n + 1))
done
test $n -ge 15
for family in linear kernel features network trees; do
    grep -a -q "^family $family" "$corpus"/model/*.ney || { echo "no seed of family $family"; exit 1; }
done
