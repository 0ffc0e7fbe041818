#!/bin/sh
# monitor: no alarm while the bound is met, an alarm (exit 6) soon after the rate exceeds it, immediately and
# not at the end of the input.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(8); for (i = 0; i < 400; i++) print (i % 2 ? 1 : -1), "1:" rand() + (i % 2) }' > d.svm
neyman train -q --max-fpr 0.05 d.svm -o m > out
good() { awk -v n="$1" 'BEGIN { srand(1); for (i = 0; i < n; i++) print "-1\t" (rand() < 0.03 ? 9 : -9); print "1\t9" }'; }
bad() { awk -v n="$1" 'BEGIN { srand(2); for (i = 0; i < n; i++) print "-1\t" (rand() < 0.3 ? 9 : -9) }'; }
key() { awk -F '[:,]' -v k="\"$2\"" '$1 ~ k { gsub(/[ \t]/, "", $2); print $2; exit }' "$1"; }
good 5000 | neyman monitor m --json > quiet.json
test "$(key quiet.json alarm)" = false
test "$(key quiet.json n_pos)" = 1
test "$(key quiet.json n)" = 5001
test "$(key quiet.json max_fpr)" = 0.05
# the same rows in a file
good 5000 > quiet.tsv
neyman monitor m quiet.tsv --json > file.json
grep -v seconds file.json > a
grep -v seconds quiet.json > b
cmp a b
: > empty.tsv
status=0; neyman monitor m empty.tsv > out 2> err || status=$?
test $status -eq 3
grep -q '^neyman: empty.tsv:' err
printf '1\t9\n' > one.tsv
status=0; neyman monitor m one.tsv > out 2> err || status=$?
test $status -eq 3
grep -q '^neyman: one.tsv: found no row of the negative class' err
status=0; neyman monitor m one.tsv two.tsv > out 2> err || status=$?
test $status -eq 2
status=0
(good 2000; bad 500) | neyman monitor m --json > loud.json 2> err || status=$?
test $status -eq 6
grep -q 'alarm at row' err
test "$(key loud.json alarm)" = true
row=$(key loud.json alarm_row)
test "$row" -gt 2001 && test "$row" -lt 2300
# no matter how many errors: the evidence is a finite logarithm
status=0
awk 'BEGIN { for (i = 0; i < 20000; i++) print "-1\t9" }' | neyman monitor m --json > certain.json 2> err || status=$?
test $status -eq 6
test "$(key certain.json log_evidence | cut -d. -f1)" -gt 10000
if grep -q null certain.json; then exit 1; fi
# at once: the alarm is there while the input is still open, and --stop does not wait for its end
mkfifo pipe
neyman monitor m --stop < pipe > stopped 2> err &
pid=$!
exec 3> pipe
bad 400 >&3
status=0; wait $pid || status=$?
exec 3>&-
test $status -eq 6
# a slow writer: the alarm is reported after the rows that raise it, long before the end
neyman monitor m < pipe > out 2> slow &
pid=$!
exec 3> pipe
printf 'predicted\tscore\tlabel\n' >&3
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '1\t9\t-1\n' >&3; done
wait_until $pid has_line 'alarm at row' slow
kill -0 $pid
exec 3>&-
status=0; wait $pid || status=$?
test $status -eq 6
# a header, commas, the other error; both errors
printf 'predicted,score,label\n1,9,-1\n1,9,1\n' | neyman monitor m --json --max-fnr 0.1 > other.json
test "$(key other.json max_fnr)" = 0.1
test "$(key other.json fnr)" = 0
if grep -q max_fpr other.json; then exit 1; fi
printf '1\t9\n-1\t-9\n' | neyman monitor m --json --max-fnr 0.1 --max-fpr 0.2 > both.json
test "$(grep -c '"rate"' both.json)" = 2
test "$(key both.json delta_share)" = 0.025
# what cannot be watched, and options that would do nothing
neyman train -q d.svm -o plain > out
refused() { status=0; neyman monitor "$@" < /dev/null > out 2> err || status=$?; test $status -eq 2; }
refused plain
refused m --max-fpr 0
refused m --max-fpr 1
refused m --confidence 1
refused m --window 100
refused m --stop -o new && grep -q 'rows after it' err
refused m --state m
refused m --state x -o x
refused m -o -
refused m --max-fnr 0.1 -o new && grep -q 'would drop' err
status=0; neyman monitor m --window 20 -o new < /dev/null > out 2> err || status=$?
test $status -eq 4 && grep -q 'at least 59 are needed' err
