#!/bin/sh
# File contents never move the cursor: control codes, of one byte or two, are shown as ?.
set -eu
escape=$(printf '\033')
quiet() {
    if LC_ALL=C grep -q "$escape\|$(printf '\302\233')\|$(printf '\233')" err out; then
        cat -v err out
        exit 1
    fi
}
printf '1 1:2\n-1 1:\033[31mred\n' > d.svm
neyman info d.svm > out 2> err
quiet
status=0; neyman convert d.svm d.ney > out 2> err || status=$?
test $status -eq 3
quiet
awk 'BEGIN { print "a,label"; for (i = 1; i <= 20; i++) print i "," (i % 2 ? "\033[31mred" : "\302\233blue\233") }' > d.csv
neyman train d.csv -o m > out 2> err
grep -q 'positive: ' err
quiet
neyman info m > out 2> err
quiet
status=0; neyman info "$(printf 'no\033[31mfile')" > out 2> err || status=$?
test $status -eq 1
quiet
status=0; neyman train d.csv "$(printf -- '--\033[31mfile')" > out 2> err || status=$?
test $status -eq 2
quiet
