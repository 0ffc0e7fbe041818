#!/bin/sh
# Columns named by name or by number, with and without a header.
set -eu
printf 'id,kind,a,w\n1,x,1,1\n2,y,-1,1\n3,x,2,1\n4,y,-3,1\n' > t.csv
tail -n +2 t.csv > bare.csv
neyman train t.csv --label kind --ignore id,w --scale none -o m1 --json -q > out
grep -q '"n_pos":[[:space:]]*2' out
neyman train bare.csv --no-header --label 2 --ignore 1,4 --scale none -o m2 -q > out
grep -q '^number a$' m1
grep -q '^number c3$' m2
sed -n '/^intercept/,/^end/p' m1 | grep -v '^end' > w1
sed -n '/^intercept/,/^end/p' m2 | grep -v '^end' > w2
cmp w1 w2
test "$(neyman predict -q m1 t.csv | tr '\n' ' ')" = 'x y x y '
test "$(neyman predict -q m2 bare.csv --no-header | tr '\n' ' ')" = 'x y x y '
# A weight of k counts as k equal rows.
printf 'y,a,w\n1,1,2\n0,-1,1\n1,-0.5,3\n0,0.25,1\n' > w.csv
printf 'y,a\n1,1\n1,1\n0,-1\n1,-0.5\n1,-0.5\n1,-0.5\n0,0.25\n' > repeated.csv
neyman train w.csv --weight w --scale none --tol 1e-9 -o mw --json -q > jw
neyman train repeated.csv --scale none --tol 1e-9 -o mr --json -q > jr
obj() { sed -n 's/^.*"objective":[[:space:]]*\([-0-9.e]*\).*$/\1/p' "$1"; }
awk -v a="$(obj jw)" -v b="$(obj jr)" 'BEGIN { d = a - b; exit !(a > 0 && d * d < 1e-12) }'
# A column that is not there: the message names it and those that are.
status=0; neyman train t.csv --label sort -o m3 2> err > out || status=$?
test $status -eq 3
grep -q "t.csv:1: .*'sort'.*kind" err
test ! -e m3
status=0; neyman train t.csv --label Kind -o m3 2> err > out || status=$?
test $status -eq 3
grep -q "t.csv:1: there is no column 'Kind'; did you mean 'kind'?$" err
status=0; neyman train t.csv --label kind --id id,w -o m3 2> err > out || status=$?
test $status -eq 2
grep -q -- "--id names one column, found the list 'id,w'" err
status=0; neyman train t.csv --label kind --id none,w -o m3 2> err > out || status=$?
test $status -eq 3
test ! -e m3
