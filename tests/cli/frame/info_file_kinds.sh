#!/bin/sh
# info distinguishes models from data by content: by name, from standard input and through a named pipe.
set -eu
{ echo 'a,b,kind'
  awk 'BEGIN { for (i = 1; i <= 30; i++) print i % 9 "," i % 4 + (i % 2) * 3 "," (i % 2 ? "good" : "bad") }'
  echo '3,NA,good'
} > d.csv
neyman train d.csv --label kind --missing mean -o anything -q > out
for name in d.csv anything; do
    neyman info $name --json > by_name
    neyman info - --json < $name > by_stdin
    mkfifo pipe
    cat $name > pipe &
    neyman info pipe --json > by_pipe
    wait
    rm pipe
    cmp by_name by_stdin
    cmp by_name by_pipe
done
neyman info anything | grep -q '^kind of file  *model'
neyman info anything | grep -q '^scaling  *standard'
neyman info d.csv --label kind > out
grep -q '^ *kind of file  *data' out
grep -q '^ *format  *csv' out
grep -q '^ *rows  *31' out
grep -q '^ *missing values  *1$' out
if grep -q 'deviation' out; then exit 1; fi
neyman info d.csv --label kind --columns | grep -q 'deviation'
neyman info d.csv --label kind -v | grep -q 'deviation'
