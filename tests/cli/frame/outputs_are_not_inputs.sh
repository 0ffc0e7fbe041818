#!/bin/sh
# No output replaces an input or another output, under any name; state files
# replace only files of their own kind and follow no link; no output has wider permissions
# than the data.
set -eu
awk 'BEGIN { srand(7); for (i = 0; i < 400; i++) { y = i % 2 ? -1 : 1; printf "%d", y
             for (j = 1; j <= 3; j++) printf " %d:%.3f", j, rand() - 0.5 + 0.4 * y; print "" } }' > d
cp d before
ln d hard
ln -s d soft
refused() { # exit code 2, the reason, and the data are as they were
    status=0
    "$@" > out 2> err || status=$?
    test $status -eq 2
    grep -q 'name another file' err
    cmp d before
}
for name in d ./d hard soft; do
    refused neyman train d -o $name
    refused neyman tune d -o $name --grid C=1,2
    refused neyman path d --from 0.1 0.1 --to 1 1 -o $name
    refused neyman roc d --save-path $name
    refused neyman roc d -o $name
    refused neyman roc d --plot $name
    refused neyman convert d $name
done
# a word too many is not suggested as an output where it is a file
status=0; neyman train -q d -o other > out
status=0; neyman export other d --format c > out 2> err || status=$?
test $status -eq 2
grep -q "one operand too many: 'd'; expected MODEL" err
refused neyman train d -o m --method online --max-fpr 0.2 --confidence none --checkpoint d
refused neyman tune d -o m --grid C=1,2 --table d
refused neyman tune d -o m --grid C=1,2 --table m
refused neyman roc d -o curve --save-path curve
refused neyman compare d --max-fpr 0.2 --test hard -o soft
# two outputs that do not exist yet are one file, under another name or through links
mkdir -p new/folder
ln -s new linked
ln -s one two
ln -s ../new/folder/../folder/one new/three
ln -s "$PWD/new/three" four
for name in ./curve "$PWD/curve" new/../curve linked/../curve; do
    refused neyman roc d -o curve --save-path $name
    refused neyman roc d -o $name --plot curve
done
refused neyman roc d -o one --save-path two
refused neyman roc d -o two --save-path ./one
refused neyman roc d -o new/folder/one --save-path four
refused neyman roc d -o linked/folder/one --save-path four
test ! -e one
test ! -e new/folder/one
neyman train -q d -o m > out
refused neyman predict m d -o d
cp m model_before
refused neyman predict m d -o m
refused neyman export m --format c -o m
refused neyman evaluate m d --plot m
refused neyman report m d -o d
refused neyman report m d -o m
neyman path -q d --from 0.1 0.1 --to 1 1 -o p > out
for name in d ./d hard soft p; do
    refused neyman report p --test d -o $name
done
neyman predict -q m d --scores > s
cp s scores_before
refused neyman report --from-scores s -o s
refused neyman certify s --max-fpr 0.2 --model m -o s
cmp s scores_before
cmp m model_before

# files of its own
echo 'precious data' > precious
cp precious kept
status=0; neyman tune -q d -o t --grid C=1,2 --table precious > out 2> err || status=$?
test $status -eq 3
grep -q 'exists with other content' err
status=0; neyman train -q d -o t --method online --max-fpr 0.2 --confidence none --checkpoint precious \
    > out 2> err || status=$?
test $status -eq 3
cmp precious kept
ln -s precious planted
for option in --table --checkpoint; do
    status=0
    case $option in
    --table) neyman tune -q d -o t --grid C=1,2 --table planted > out 2> err || status=$? ;;
    *) neyman train -q d -o t --method online --max-fpr 0.2 --confidence none --checkpoint planted \
           > out 2> err || status=$? ;;
    esac
    test $status -eq 1
    grep -q 'symbolic link' err
    cmp precious kept
done
mkfifo pipe
status=0; neyman train -q d -o t --method online --max-fpr 0.2 --confidence none --checkpoint pipe \
    > out 2> err || status=$?
test $status -eq 1
grep -q 'not a regular file' err
test ! -e t

# caches of a run beside its output have a known name: a link that waits there is not followed
sh -c 'ln -s precious "s-0000.ney.$(printf %x $$)-0"; exec neyman convert -q d s-%04d.ney --shards 2' > out
cmp precious kept
sh -c 'ln -s precious "t.$(printf %x $$)-0"
       exec neyman train -q - -o t --method online --memory 0.1 --max-fpr 0.2 --confidence none' < d > out
cmp precious kept
test -f s-0001.ney
rm t s-*

# a model may be replaced by its successor
neyman train -q d -o u --max-fpr 0.2 --confidence none --method online > out
neyman update -q u d -o u > out

# modes
mode() { ls -ld "$1" | cut -c1-10; }
umask 022
cp d private
chmod 600 private
neyman train -q private -o pm --method online --max-fpr 0.2 --confidence none --checkpoint pc > out
neyman path -q private --from 0.1 0.1 --to 1 1 -o pp > out
neyman tune -q private -o pt --grid C=1,2 --table ptable > out
neyman convert -q private pcache.ney
for file in pm pc pp pt ptable pcache.ney; do
    test "$(mode $file)" = "-rw-------"
done
neyman train -q d -o public > out
test "$(mode public)" = "-rw-r--r--"
