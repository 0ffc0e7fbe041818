#!/bin/sh
# A model determines the positive class: another --positive is refused, and the message names the class.
set -eu
awk 'BEGIN { print "a,kind"; for (i = 1; i <= 30; i++) print i "," (i % 2 ? "good" : "bad") }' > d.csv
awk 'BEGIN { for (i = 1; i <= 30; i++) print (i % 2 ? "+1" : "-1"), "1:" i }' > d.svm
neyman train d.csv --label kind -o m -q > out
neyman train d.svm -o m1 -q > out
for command in predict evaluate qvalues; do
    status=0; neyman $command m d.csv --positive bad > out 2> err || status=$?
    test $status -eq 2
    grep -q "'good'" err
    neyman $command m d.csv --positive good > out 2> err
    neyman $command m1 d.svm --positive 1 > out 2> err
    neyman $command m1 d.svm --positive +1 > out 2> err
done
