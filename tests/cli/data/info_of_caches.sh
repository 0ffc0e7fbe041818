#!/bin/sh
# info of a cache is that of its source file; a class without rows has no name; the JSON has booleans.
set -eu
awk 'BEGIN { print "a,label"; for (i = 1; i <= 20; i++) print i - 9 * (i % 2) "," i % 2 }' > d.csv
neyman convert d.csv d.ney -q > out
neyman info d.ney > out
grep -q '^ *format  *cache$' out
grep -q '^ *format of the source  *csv$' out
neyman info d.csv > out
grep -q '^ *format  *csv$' out
if grep -q '^ *format of the source' out; then exit 1; fi
grep '1$' d.csv > one.csv
{ echo a,label; cat one.csv; } > single.csv
neyman info single.csv | grep -q '^ *negative class  *-$'
neyman info single.csv --json | grep -q '"negative":.*null'
neyman train d.csv -o m -q > out
neyman info m --json | grep -q '"converged":.*true'
neyman info m | grep -q 'converged  *yes'
