#!/bin/sh
# Newton steps on the constrained problem begin at several points, whose minima differ, and the best one is
# kept: on Spambase they lie from 41.1 to 43.3 at A = 0.2, and from 372.7 to 396.3 at A = 0.01.
set -eu
below() { # A MOST
    neyman train -q --json --max-fpr "$1" --confidence none -C 1 --threads 1 --label type "$DATA/spambase-train.csv.gz" -o m > out
    grep -m 1 '"objective"' out | awk -v most="$2" '{ sub(/,/, "", $2); exit !($2 > 0 && $2 + 0 < most) }'
}
below 0.2 41.5
below 0.01 374
