#!/bin/sh
# Tables are standardised, svmlight text is not scaled, and --scale overrides both; the model
# stores the scaling.
set -eu
{ echo 'a,b,class'
  awk 'BEGIN { for (i = 1; i <= 30; i++) print i % 9 "," i % 4 + (i % 2) * 3 "," (i % 2 ? "yes" : "no") }'
} > d.csv
awk 'BEGIN { for (i = 1; i <= 30; i++) print (i % 2 ? 1 : -1), "1:" i % 9, "2:" i % 4 + (i % 2) * 3 }' > d.svm
kept() { # scaling expected, then what train is given
    want=$1; shift
    neyman train "$@" -o m -q > out
    neyman info m | grep -q "^scaling  *$want$" || { echo "expected $want: $*"; exit 1; }
}
kept standard d.csv --label class
kept none d.svm
kept none d.csv --label class --scale none
kept minmax d.svm --scale minmax
kept unit d.svm --scale unit
kept standard d.svm --scale standard
