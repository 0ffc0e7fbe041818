#!/bin/sh
# However a run ends, kill -9 included, the next one continues from its checkpoint and gives the same
# bytes as an uninterrupted run.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(5); for (i = 0; i < 15000; i++) { y = i % 4 ? -1 : 1; printf "%d", y
             for (j = 1; j <= 12; j++) printf " %d:%.3f", j, rand() - 0.5 + 0.05 * y; print "" } }' > d.svm
train() { neyman train -q --max-fpr 0.1 --confidence none --method online --epochs 40 d.svm "$@"; }
train -o whole > out
for signal in KILL KILL INT TERM; do
    rm -f point m
    # in a file of rows as well as in memory
    memory=0
    test $signal = INT && memory=0.1
    env --default-signal=INT,TERM neyman train -q --max-fpr 0.1 --confidence none --method online --epochs 40 d.svm --memory $memory --checkpoint point \
        --checkpoint-every 0.01 -o m > out 2> err &
    pid=$!
    wait_until $pid test -e point
    sleep 0.1 # any moment will do
    kill -s $signal $pid 2> /dev/null || true
    status=0; wait $pid || status=$?
    case $signal in
    KILL) test $status -eq 137 || test $status -eq 0 ;;
    *) test $status -eq 130 || test $status -eq 0 ;;
    esac
    train --checkpoint point --resume --threads 1 -o m > out
    cmp whole m
    test "$(ls -d m* point*)" = "$(printf 'm\npoint')" # what a killed run left beside is gone
done
# in one epoch there is one average, and it is half done
neyman train -q --max-fpr 0.1 --confidence none --method online --epochs 1 d.svm -o whole1 > out
status=0; neyman train -q --max-fpr 0.1 --confidence none --method online --epochs 1 d.svm --max-iter 15000 --checkpoint point1 \
    -o m > out 2> err || status=$?
test $status -eq 5
neyman train -q --max-fpr 0.1 --confidence none --method online --epochs 1 d.svm --checkpoint point1 --resume -o m > out
cmp whole1 m
# stopped at a given visit
for visits in 1000 300000 700000; do
    rm -f point
    status=0; train --max-iter $visits --checkpoint point -o m > out 2> err || status=$?
    test $status -eq 5
    train --checkpoint point --resume -o m > out
    cmp whole m
done
# a run that is over stays over; without a checkpoint there is nothing to go on from
train --checkpoint point --resume -o again > out
cmp whole again
train --checkpoint none --resume -o again > out
cmp whole again
# other data, other options, damage: refused, and nothing is written
refuse() {
    status=0
    "$@" -o bad > out 2> err || status=$?
    test $status -eq 3
    test ! -e bad
}
refuse train --checkpoint point --resume --seed 2
grep -q 'other data or options' err
refuse neyman train -q --max-fpr 0.2 --confidence none --method online --epochs 40 d.svm --checkpoint point --resume
# the same numbers of rows and columns, but features negated, labels exchanged or rows in another order
awk '{ for (j = 2; j <= NF; j++) { split($j, e, ":"); $j = e[1] ":" (-e[2]) } print }' d.svm > negated.svm
awk 'NR % 4 == 1 { $1 = -1 } NR % 4 == 2 { $1 = 1 } { print }' d.svm > exchanged.svm
tail -n +2 d.svm > reordered.svm; head -n 1 d.svm >> reordered.svm
for data in negated exchanged reordered; do
    for memory in 0 0.1; do
        refuse neyman train -q --max-fpr 0.1 --confidence none --method online --epochs 40 $data.svm --memory $memory \
            --checkpoint point --resume
        grep -q 'other data or options' err
    done
done
head -c 300 point > short
refuse train --checkpoint short --resume
grep -q 'damaged' err
cp d.svm other
refuse train --checkpoint other --resume
grep -q "exists with other content" err
cmp d.svm other
status=0; train --resume -o bad 2> err || status=$?
test $status -eq 2
