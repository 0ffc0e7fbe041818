#!/bin/sh
# --state: one test over many runs; an alarm stays; Ctrl-C saves; a run that fails leaves it
# unchanged; another model, other options, damage and a second process are refused; a renewal starts a new test.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(8); for (i = 0; i < 2000; i++) print (i % 2 ? 1 : -1), "1:" rand() + 0.8 * (i % 2) }' > d.svm
neyman train -q --max-fpr 0.1 --confidence 0.9 d.svm -o m > out
key() { awk -F '[:,]' -v k="\"$2\"" '$1 ~ k { gsub(/[ \t]/, "", $2); print $2; exit }' "$1"; }
# a weekly job: 20 % errors in files of ten rows, too few to be noticed in one week
awk 'BEGIN { for (i = 0; i < 1000; i++) print "-1\t" (i % 5 ? -9 : 9) }' > all.tsv
split -l 10 all.tsv week.
status=0 weeks=0
for week in week.*; do
    neyman monitor m < "$week" > out # alone, no week is noticed
    neyman monitor m --state s --json < "$week" > one.json 2> err || status=$?
    weeks=$((weeks + 1))
    test $status -eq 0 || break
    test "$(key one.json n)" = $((10 * weeks))
done
test $status -eq 6 && test $weeks -gt 2
row=$(key one.json alarm_row)
# the same as one run over all rows
status=0; neyman monitor m --json < all.tsv > whole.json 2> err || status=$?
test $status -eq 6 && test "$(key whole.json alarm_row)" = "$row"
# the alarm stays, whatever comes, and also when nothing comes
printf -- '-1\t-9\n' > good.tsv
for input in good.tsv /dev/null; do
    status=0; neyman monitor m --state s --json < $input > again.json 2> err || status=$?
    test $status -eq 6 && test "$(key again.json alarm_row)" = "$row"
    grep -q "alarm at row $row of an earlier run" err
done
# a run that fails leaves the state as it was
cp s before
status=0; printf -- '-1\t-9\nbad\n' | neyman monitor m --state s > out 2> err || status=$?
test $status -eq 3
cmp s before
# refused: other options, another model, damage, no state at all
status=0; neyman monitor m --state s --confidence 0.95 < good.tsv > out 2> err || status=$?
test $status -eq 3 && grep -q 'confidence' err
neyman train -q --max-fpr 0.1 --confidence 0.9 --seed 2 d.svm -o m2 > out
status=0; neyman monitor m2 --state s < good.tsv > out 2> err || status=$?
test $status -eq 3 && grep -q 'another model' err
sed 's/^rows.*/rows 5 0/' s > damaged
status=0; neyman monitor m --state damaged < good.tsv > out 2> err || status=$?
test $status -eq 3 && grep -q checksum err
: > empty
status=0; neyman monitor m --state empty < good.tsv > out 2> err || status=$?
test $status -eq 3
ln -s s link # replacing it would not change the file that it names
status=0; neyman monitor m --state link < good.tsv > out 2> err || status=$?
test $status -eq 1 && grep -q 'regular file' err
mkfifo queue # refused before it is opened: what its writer has is left to others
sh -c 'echo anything > queue' &
writer=$!
status=0; neyman monitor m --state queue < good.tsv > out 2> err || status=$?
kill $writer
test $status -eq 1 && grep -q 'regular file' err
test ! -e queue.lock
mkdir -p folder
status=0; neyman monitor m --state folder < good.tsv > out 2> err || status=$?
test $status -eq 1 && grep -q 'regular file' err
status=0; neyman monitor m --state nowhere/s < good.tsv > out 2> err || status=$?
test $status -eq 1
# a stop (SIGTERM, as Ctrl-C) saves what was seen; meanwhile no other process can use the state
mkfifo pipe
neyman monitor m --state t --json < pipe > cut.json 2> err &
pid=$!
exec 3> pipe
awk 'BEGIN { for (i = 0; i < 20; i++) print "-1\t9" }' >&3
wait_until $pid has_line 'alarm at row' err
status=0; neyman monitor m --state t < good.tsv > out 2> busy || status=$?
test $status -eq 1 && grep -q 'another process' busy
kill -TERM $pid
status=0; wait $pid || status=$?
exec 3>&-
test $status -eq 130 && test "$(key cut.json rows_read)" = 20
test ! -e t.lock
status=0; neyman monitor m --state t --json < good.tsv > on.json 2> err || status=$?
test $status -eq 6 && test "$(key on.json n)" = 21
# collecting goes on over runs; after the renewal the state is that of the new model
awk 'BEGIN { srand(4); for (i = 0; i < 100; i++) print "-1\t" (5 + rand()) }' > after.tsv
rm s
for run in 1 2 3 4; do
    status=0
    neyman monitor m --state s --window 250 -o new --json < after.tsv > r.json 2> err || status=$?
    test $status -eq 6
    test ! -e new || break
done
test $run -eq 3 && test "$(key r.json renewed)" = true
test "$(neyman info new --json | awk -F '[:,]' '/"fpr_n"/ { print $2 + 0 }')" = 250
neyman monitor new --state s --window 250 --json < after.tsv > on.json
test "$(key on.json n)" = 100 && test "$(key on.json alarm)" = false
status=0; neyman monitor m --state s --window 250 < after.tsv > out 2> err || status=$?
test $status -eq 3 && grep -q 'another model' err
# collected without -o: a later run with it needs no more rows
rm s
for run in 1 2 3; do neyman monitor m --state s --window 250 < after.tsv > out 2> err || test $? -eq 6; done
status=0; neyman monitor m --state s --window 250 -o late < /dev/null > out 2> err || status=$?
test $status -eq 6 && cmp new late
