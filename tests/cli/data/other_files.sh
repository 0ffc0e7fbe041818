#!/bin/sh
# Files of another kind than expected: the message names the kind.
set -eu
refuse() {
    status=0; neyman train "$1" -o m.out > out 2> err || status=$?
    test $status -eq 3 || { echo "$1: exit $status" >&2; cat err >&2; exit 1; }
    grep -q -e "$2" err || { echo "$1: no '$2'" >&2; cat err >&2; exit 1; }
    test ! -s out
}
printf 'label,a\n1,2\n0,1\n' > good.csv
printf 'label,a\r1,2\r0,1\r' > cr.csv;             refuse cr.csv 'CR alone'
printf 'label a b\n1 2 3\n' > spaces.txt;          refuse spaces.txt 'bars or tabs between fields'
printf 'label,a\n' > head.csv;                     refuse head.csv 'a header but no rows'
neyman train -q good.csv -o m > out
refuse m 'is a model, expected data'
gzip -c m > m.gz;                                  refuse m.gz 'is a model, expected data'
neyman convert -q good.csv good.ney
gzip -c good.ney > packed.ney.gz;                  refuse packed.ney.gz 'compressed cache: unpack it'
status=0; neyman train - -o m.out < good.ney > out 2> err || status=$?
test $status -eq 3
grep -q 'not from standard input' err
