#!/bin/sh
# What ranks receive is counted and reported: nothing for one, the same in every run, more for more ranks.
set -eu
. "$CASE_DIR/lib.sh"
neyman convert -q "$DATA/wdbc-train.csv.gz" one.ney --label diagnosis > out
value() { sed -n "s/^.\"$1\":.\([0-9.e+-]*\),*$/\1/p" "$2"; }
for n in 1 2 4; do
    ranks $n train one.ney --cost-fn 3 -C 0.1 --json -v -o "model.$n" > "json.$n" 2> "err.$n"
    test "$(value ranks "json.$n")" -eq $n
    test "$(value peak_memory "json.$n")" -gt 1000000
    grep -q 'reading: all ranks have received [0-9]* bytes' "err.$n"
done
test "$(value bytes_received json.1)" -eq 0
test "$(value messages_received json.1)" -eq 0
test "$(value bytes_received json.2)" -gt 0
test "$(value bytes_received json.4)" -gt "$(value bytes_received json.2)"
ranks 2 train -q one.ney --cost-fn 3 -C 0.1 --json -o again > again.json
for key in bytes_received messages_received communication_calls; do
    test "$(value $key json.2)" -eq "$(value $key again.json)"
done
neyman train -q one.ney --cost-fn 3 -C 0.1 --json -o plain > plain.json
if grep -q bytes_received plain.json; then exit 1; fi
