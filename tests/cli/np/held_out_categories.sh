#!/bin/sh
# A category that occurs only in held-out rows is unknown to the score function: a
# held-out row scores as a new row, for every family and scaling.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(5); print "x,y,who,kind"
             for (i = 1; i <= 600; i++) { p = i % 3 == 0; print rand() + 0.5 * p "," rand() ",c" i "," (p ? "yes" : "no") } }' > d.csv
awk -F , 'NR == 1 { print; next } { print $1 "," $2 ",new," $4 }' d.csv > new.csv
neyman convert -q d.csv d.ney --label kind > out
# shellcheck disable=SC2086
while read -r name options; do
    data='--label kind d.csv'
    test $name != cache || data=d.ney
    neyman train -q --json --max-fpr 0.1 $options $data -o m > $name.json
    neyman predict -q --scores m d.csv > own
    neyman predict -q --scores m new.csv > unknown
    held=$(sed -n 's/.*"held_out":[^0-9]*\([0-9]*\),/\1/p' $name.json)
    paste own unknown | awk -F '\t' -v held="$held" -v name="$name" 'NR > 1 { same += $2 == $5 }
        END { if (same < held || same == NR - 1) { print name ": " same " rows score alike, " held " are held out"; exit 1 } }'
done <<'RUNS'
rbf --kernel rbf --gamma 0.5
unit --scale unit
none --kernel rbf --gamma 0.5 --scale none
features --features 50 --gamma 0.5 --epochs 3
network --network 4 --epochs 3
cache --network 4 --epochs 3 --method online
RUNS
