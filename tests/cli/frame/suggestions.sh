#!/bin/sh
# For a typing error in a command, an option or a choice the message suggests the nearest one; for others it does not.
set -eu
says() { # words expected in the message, then the command line
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; exit 1; }
    grep -q -- "$want" err || { cat err; exit 1; }
}
says "did you mean 'train'" trian x
says "did you mean 'evaluate'" help evalute
says 'did you mean --cost-fn?' train x --cost-nf 2 -o m
says 'did you mean --output?' train x --outptu m
says 'did you mean --max-iter?' train x --max-ite=3 -o m
says 'did you mean standard?' train x -o m --scale standrad
says 'did you mean bash?' help --completion bsah
says 'has no option -Z' train x -Z
says "there is no command 'qqqqqq'" qqqqqq
if grep -q 'did you mean' err; then exit 1; fi
