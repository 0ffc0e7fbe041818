#!/bin/sh
# monitor --drift: scores without labels against calibration rows of the model or a file; alarms, states,
# restarts, what is refused.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
rows() { awk -v seed="$1" -v n="$2" -v more="$3" 'BEGIN { srand(seed)
    for (i = 0; i < n; i++) { y = rand() < 0.3; print (y ? 1 : -1), "1:" rand() + 0.6 * y + more } }'; }
rows 1 4000 0 > d.svm
rows 2 3000 0 > same.svm
rows 3 3000 0.3 > moved.svm
neyman train -q --max-fpr 0.1 --calibrate 0.2 d.svm -o m > out
neyman train -q --max-fpr 0.1 d.svm -o plain > out
for f in same moved; do neyman predict m $f.svm --scores > $f.tsv; done
key() { awk -F '[:,]' -v k="\"$2\"" '$1 ~ k { gsub(/[ \t]/, "", $2); print $2; exit }' "$1"; }
neyman monitor m --drift --json < same.tsv > same.json
test "$(key same.json alarm)" = false && test "$(key same.json n)" = 3000 && test "$(key same.json n_reference)" = 800
status=0; neyman monitor m --drift --json < moved.tsv > moved.json 2> err || status=$?
test $status -eq 6 && grep -q 'alarm at row' err
row=$(key moved.json alarm_row)
test "$row" -lt 1000
# labels are not read: without the column, and with wrong ones, the same
cut -f 1,2 moved.tsv > nolabel.tsv
sed '1d; s/.*\t\(.*\)\t.*/\1/' moved.tsv > bare.tsv
awk 'BEGIN { FS = OFS = "\t" } NR > 1 { $3 = "?" } { print }' moved.tsv > wrong.tsv
for f in nolabel bare wrong; do
    status=0; neyman monitor m --drift --json < $f.tsv > $f.json 2> err || status=$?
    test $status -eq 6
    test "$(key $f.json alarm_row)" = "$row" && test "$(key $f.json log_evidence)" = "$(key moved.json log_evidence)"
done
# plain words
status=0; neyman monitor m --drift < moved.tsv > text 2> err || status=$?
grep -q '^Alarm: scores have changed' text && grep -q 'does not show that an error rate' text && grep -q 'Next: neyman monitor m' text
# over runs, with a state; a permanent alarm; --stop
split -l 100 bare.tsv part.
status=0 n=0
for part in part.*; do
    neyman monitor m --drift --state s --json < "$part" > run.json 2> err || status=$?
    n=$((n + 100))
    test $status -eq 0 || break
done
test $status -eq 6 && test "$(key run.json alarm_row)" = "$row" && test "$(key run.json n)" = $n
cp s before
status=0; echo bad | neyman monitor m --drift --state s > out 2> err || status=$?
test $status -eq 3 && cmp s before
status=0; neyman monitor m --drift --state s < /dev/null > out 2> err || status=$?
test $status -eq 6 && grep -q 'earlier run is permanent' err
status=0; neyman monitor m --drift --stop --json < bare.tsv > stop.json 2> err || status=$?
test $status -eq 6 && test "$(key stop.json n)" = "$row"
# kill -9 in the middle leaves the state of the last run
mkfifo pipe
neyman monitor m --drift --state t < part.aa > out 2> err || test $? -eq 6
cp t before
neyman monitor m --drift --state t < pipe > out 2> err &
pid=$!
exec 3> pipe
awk 'BEGIN { for (i = 0; i < 2000; i++) print 99 }' >&3
wait_until $pid has_line 'alarm at row' err
kill -KILL $pid
wait $pid || :
exec 3>&-
cmp t before
neyman monitor m --drift --state t --json < part.ab > on.json || test $? -eq 6
test "$(key on.json n)" = 200
# a reference from a file, for a model without one
neyman predict plain d.svm --scores > ref.tsv
for f in same moved; do neyman predict plain $f.svm --scores > p.$f.tsv; done
neyman monitor plain --drift --reference ref.tsv --json < p.same.tsv > out
cp ref.tsv ref.svg
status=0; neyman monitor plain --drift --reference ref.svg --plot ref.svg < p.same.tsv > refused 2> err || status=$?
test $status -eq 2 && grep -q "would overwrite 'ref.svg', which is an input" err
test "$(key out n_reference)" = 4000
status=0; neyman monitor plain --drift --reference ref.tsv < p.moved.tsv > out 2> err || status=$?
test $status -eq 6
# refused
refused() { code=$1 text=$2; shift 2; status=0; "$@" < same.tsv > out 2> err || status=$?; test $status -eq "$code" && grep -q -e "$text" err; }
refused 2 '--calibrate SHARE' neyman monitor plain --drift
refused 2 'which need labels' neyman monitor m --drift --max-fpr 0.1
refused 2 'which need labels' neyman monitor m --drift -o new
refused 2 'applies to --drift' neyman monitor m --reference ref.tsv
refused 3 'of another confidence' neyman monitor m --drift --state s --confidence 0.9
refused 3 'other reference' neyman monitor m --drift --state s --reference ref.tsv
neyman train -q --max-fpr 0.1 --calibrate 0.2 --seed 2 d.svm -o m2 > out
refused 3 'of another model' neyman monitor m2 --drift --state s
head -n 10 ref.tsv > few.tsv
refused 4 'at least 20' neyman monitor m --drift --reference few.tsv
status=0; neyman monitor m --drift < /dev/null > out 2> err || status=$?
test $status -eq 3 && grep -q 'no rows' err
neyman train -q --max-fpr 0.1 --calibrate-folds 3 d.svm -o folds > out
refused 2 'no reference scores' neyman monitor folds --drift
neyman predict m d.svm --seen > seen.tsv
status=0; neyman monitor m --drift < seen.tsv > out 2> err || status=$?
test $status -eq 4 && grep -q 'marked in column seen' err
