#!/bin/sh
# An error on the command line ends with exit code 2 before any file is opened, and says what was expected.
set -eu
says() {
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; exit 1; }
    grep -q -- "$want" err || { cat err; exit 1; }
    test ! -s out
    test ! -e m
}
says '-C = abc, expected a number' train nofile -o m -C abc
says '--C = 1x, expected a number' train nofile -o m --C=1x
says '-C = -1, expected a number' train nofile -o m -C -1
says '-C = nan, expected a number' train nofile -o m -C nan
says '--C = , expected a number' train nofile -o m --C=
says '--max-fpr = 2%, expected a number from 0 to 1.*(2 % is 0.02)' train nofile -o m --max-fpr 2%
says '--confidence = 95, expected a number.*(2 % is 0.02)' train nofile -o m --confidence 95
says '--max-fpr = 2%x, expected a number from 0 to 1$' train nofile -o m --max-fpr 2%x
says '--max-fpr = 120%, expected a number from 0 to 1$' train nofile -o m --max-fpr 120%
says '-C = 5%, expected a number[^(]*$' train nofile -o m -C 5%
says '--tol = 2, expected a number' train nofile -o m --tol 2
says '--threads = 1.5, expected a whole number' train nofile -o m --threads 1.5
says '--threads = -1, expected' train nofile -o m --threads=-1
says '--scale = both, expected one of' train nofile -o m --scale both
says '--json = maybe, expected true or false' train nofile -o m --json=maybe
says '--max-iter needs a value' train nofile -o m --max-iter
says '-o needs\|--output needs' train nofile -o
says 'train needs --output' train nofile
says 'predict needs DATA, a file or - for standard input' predict nofile
says 'certify needs SCORES, a file or -' certify
says 'monitor needs MODEL$' monitor
says 'too many' predict nofile other third
says 'info has no option --missing' info nofile --missing mean
