#!/bin/sh
# Requested help goes to stdout with exit code 0; a usage error goes to stderr with 2 and names the next step.
set -eu
neyman --help > out 2> err
test -s out && test ! -s err
neyman help > out2
cmp out out2
neyman train --help > out 2> err
grep -q '^Usage: neyman train \[options\] DATA\.\.\. -o MODEL$' out
test ! -s err
neyman train -h > out2
cmp out out2
neyman --version > out
grep -Eq '^neyman [0-9]+\.[0-9]+\.[0-9]+$' out

status=0; neyman > out 2> err || status=$?
test $status -eq 2 && test ! -s out && test -s err
status=0; neyman train > out 2> err || status=$?
test $status -eq 2 && test ! -s out
grep -q 'train needs DATA' err
grep -q "Try 'neyman help train'" err
status=0; neyman --quiet train > out 2> err || status=$?
test $status -eq 2
grep -q 'options follow the command' err
