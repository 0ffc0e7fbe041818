#!/bin/sh
# A missing file, or a folder in its place: exit 1, its name and the reason, nothing written.
set -eu
printf '1 1:1\n-1 1:2\n' > d.svm
neyman train -q d.svm -o m > out
mkdir folder
for name in absent.svm folder; do
    for command in "train -o new $name" "predict m $name" "evaluate m $name" "info $name" \
        "convert $name new.csv" "convert $name new.ney"; do
        status=0
        # shellcheck disable=SC2086
        neyman $command > out 2> err || status=$?
        test $status -eq 1 || { echo "$command: exit $status" >&2; exit 1; }
        grep -q "$name" err
        test ! -s out
    done
done
status=0; neyman predict absent.model d.svm > out 2> err || status=$?
test $status -eq 1
grep -q 'absent.model' err
status=0; neyman train -q d.svm -o nowhere/m > out 2> err || status=$?
test $status -eq 1
grep -q 'nowhere/m' err
test "$(find . -mindepth 1 | sort | tr '\n' ' ')" = './d.svm ./err ./folder ./m ./out '
