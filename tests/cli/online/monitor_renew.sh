#!/bin/sh
# Renewal: on the rows after the alarm alone, N fixed in advance; both bounds and the band are kept;
# nothing is written before all rows have arrived.
set -eu
awk 'BEGIN { srand(8); for (i = 0; i < 2000; i++) print (i % 2 ? 1 : -1), "1:" rand() + 0.8 * (i % 2) }' > d.svm
neyman train -q --max-fpr 0.1 --confidence 0.9 d.svm -o m > out
neyman train -q --max-fpr 0.1 --max-fnr 0.1 --confidence 0.9 d.svm -o m2 > out
key() { awk -F '[:,]' -v k="\"$2\"" '$1 ~ k { gsub(/[ \t]/, "", $2); print $2; exit }' "$1"; }
# before: negatives around -9; after: all of them around 5, above any threshold
stream() { awk -v n="$1" -v after="$2" 'BEGIN { srand(3)
    for (i = 0; i < n; i++) { print "-1\t" (rand() - 9); print "1\t" (9 + rand()) }
    for (i = 0; i < after; i++) { print "-1\t" (5 + rand()); print "1\t" (5.5 + rand()) } }'; }
status=0
stream 500 1000 | neyman monitor m --window 300 -o new --json > new.json 2> err || status=$?
test $status -eq 6
test "$(key new.json renewed)" = true
test "$(key new.json model)" = '"new"'
grep -q 'valid if the rate changed before the alarm' err
neyman info new --json > info.json
test "$(key info.json fpr_n)" = 300
test "$(key info.json fpr_max_rate)" = 0.1
test "$(key info.json fpr_delta)" = 0.1 # the confidence of the model is kept
grep -q '"origin".*renewed after an alarm' info.json
awk -F '[:,]' '/"threshold"/ { exit !($2 > 5.8 && $2 < 6) }' info.json # of the rows after the change
# nine tenths of the negatives and half of the positives are below: the renewed model is watched on
stream 0 400 | neyman monitor new --json > on.json
test "$(key on.json alarm)" = false
# two bounds: both are kept, and the rows between are rejected
status=0
stream 500 1000 | neyman monitor m2 -o new2 --json > new.json 2> err || status=$?
test $status -eq 6
neyman info new2 --json > info.json
test "$(key info.json fpr_max_rate)" = 0.1
test "$(key info.json fnr_max_rate)" = 0.1
awk -F '[:,]' '/"threshold_low"/ { low = $2 } /"threshold"/ && !high { high = $2 } END { exit !(low > 5.5 && low < high) }' info.json
stream 0 400 | neyman monitor new2 --json > on.json
test "$(key on.json alarm)" = false
# too few rows after the alarm: nothing is written, the alarm stands, and the message counts
status=0
stream 500 60 | neyman monitor m --window 300 -o never --json > few.json 2> err || status=$?
test $status -eq 6 && test ! -e never
test "$(key few.json renewed)" = false
missing=$(key few.json missing_neg)
test "$missing" -gt 240 && test "$missing" -lt 300
grep -q "$missing negatives" err
# no alarm: nothing is written, and that is said
stream 500 0 | neyman monitor m -o never > out 2> err
test ! -e never && grep -q 'no alarm: never is not written' err
