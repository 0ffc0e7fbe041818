#!/bin/sh
# Online training by several processes: the same bits for the same number of them, models of about the same FNR for any
# number, every goal and family, certificates, and data in one cache or in files.
set -eu
. "$CASE_DIR/lib.sh"
neyman convert -q "$DATA/spambase-train.csv.gz" one.ney --label type --positive spam > out
value() { sed -n "s/^.\"$1\":.\([0-9.e-]*\),*$/\1/p" "$2" | head -n 1; }
for n in 1 2 3 4; do
    ranks $n train -q one.ney --method online --max-fpr 0.1 --json -o "model.$n" > "json.$n" 2> err
    test ! -s err || { cat err >&2; exit 1; }
    awk -v a="$(value fnr json.1)" -v b="$(value fnr "json.$n")" 'BEGIN { d = a - b; exit !(d < 0.03 && d > -0.03) }'
done
ranks 3 train -q one.ney --method online --max-fpr 0.1 -o again > out
cmp model.3 again
grep -q certified out
# N = 1 is the program itself, but for the order of sums over rows
neyman train -q one.ney --method online --max-fpr 0.1 --json -o plain > plain.json
awk -v a="$(value fnr plain.json)" -v b="$(value fnr json.1)" 'BEGIN { d = a - b; exit !(d < 0.01 && d > -0.01) }'
# text in files, other goals and families
gzip -dc "$DATA/spambase-train.csv.gz" > all.csv
for k in 0 1 2; do
    { head -n 1 all.csv; tail -n +2 all.csv | awk -v k=$k 'NR % 3 == k'; } | gzip > part-000$k.csv.gz
done
for options in '--max-fpr 0.1 --features 30' '--cost-fp 3' '--reject-cost 0.2' '--max-fpr 0.1 --max-fnr 0.1' \
    '--max-fnr 0.1 --confidence none --network 3' '--max-fpr 0.1 --network 4,3 --activation relu'; do
    # shellcheck disable=SC2086 # words
    ranks 2 train -q 'part-%04d.csv.gz' --label type --positive spam --method online --epochs 3 $options -o m > out
    neyman predict -q m "$DATA/spambase-test.csv.gz" > p
    test -s p
done
ranks 2 train -q one.ney --max-fpr 0.1 --network 4,3 -o net > out # validation rows of both processes stop it
ranks 2 train -q one.ney --max-fpr 0.1 --network 4,3 -o again > out
cmp net again
refused 2 'needs the rows in one process' 2 train -q one.ney --method online --max-fpr 0.1 --calibrate 0.2 -o no
test ! -e no
