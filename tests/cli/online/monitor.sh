#!/bin/sh
# The watch: quiet while the bound is kept, an alarm (exit 4) soon after it is left, at once and not
# at the end of the input; a new threshold on request; bad lines are told.
set -eu
awk 'BEGIN { srand(8); for (i = 0; i < 400; i++) print (i % 2 ? 1 : -1), "1:" rand() + (i % 2) }' > d.svm
neyman train -q --max-fpr 0.05 d.svm -o m > out
good() { awk -v n="$1" 'BEGIN { srand(1); for (i = 0; i < n; i++) print "-1\t" (rand() < 0.03 ? 9 : -9); print "1\t9" }'; }
bad() { awk -v n="$1" 'BEGIN { srand(2); for (i = 0; i < n; i++) print "-1\t" (rand() < 0.3 ? 9 : -9) }'; }
good 5000 | neyman monitor m --json > quiet.json
grep -q '"alarm":.*false' quiet.json
grep -q '"n_pos":.*1,' quiet.json
grep -q '"max_fpr":.*0.05' quiet.json
status=0
(good 2000; bad 500) | neyman monitor m --json > loud.json 2> err || status=$?
test $status -eq 4
grep -q 'alarm at line' err
awk -F '[:,]' '/"alarm_at"/ { exit !($2 > 2000 && $2 < 2300) }' loud.json
# at once: the alarm is there while the input is still open, and --stop does not wait for its end
mkfifo pipe
neyman monitor m --stop < pipe > stopped 2> err &
pid=$!
exec 3> pipe
bad 400 >&3
status=0; wait $pid || status=$?
exec 3>&-
test $status -eq 4
# a header, other separators, the other error
printf 'predicted,score,label\n1,9,-1\n1,9,1\n' | neyman monitor m --json --max-fnr 0.1 > other.json
grep -q '"max_fnr":.*0.1' other.json
grep -q '"mistaken":.*0' other.json
# a new threshold, certified on the last outcomes
status=0
(good 2000; bad 500) | neyman monitor m --window 400 --confidence 0.9 -o new --json > new.json 2> err || status=$?
test $status -eq 4
grep -q '"calibrated_on":.*400' new.json
neyman info new --json | grep -q '"fpr_n":.*400'
status=0
(bad 10) | neyman monitor m -o never > out 2> err || status=$?
test $status -eq 4 && test ! -e never # ten outcomes certify nothing
for line in '-1' '-1 x' '7 1'; do
    status=0
    echo "$line" | neyman monitor m > out 2> err || status=$?
    test $status -eq 3
    grep -q 'standard input:1' err
done
neyman train -q d.svm -o plain > out
status=0; neyman monitor plain < /dev/null 2> err || status=$?
test $status -eq 2
