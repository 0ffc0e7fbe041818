#!/bin/sh
# Predictions and rates do not depend on the number of processes: those of one process on all files, byte by byte.
set -eu
. "$CASE_DIR/lib.sh"
gzip -dc "$DATA/wdbc-train.csv.gz" > train.csv
gzip -dc "$DATA/wdbc-test.csv.gz" | awk -F, -v OFS=, 'NR == 1 { print $0, "id"; next } { print $0, "row" NR }' > all.csv
head -n 1 all.csv > part-0.csv # no rows
for k in 1 2 3; do
    { head -n 1 all.csv; tail -n +2 all.csv | awk -v k=$k 'NR % 3 == k % 3'; } > part-$k.csv
done
neyman train -q train.csv --label diagnosis --max-fpr 0.2 --confidence none -o model > out
neyman convert -q train.csv train.ney --label diagnosis > out
for way in '' '--scores --id id' '--only positive --id id' '--jsonl --scores --id id' '--explain 2'; do
    # shellcheck disable=SC2086 # options
    neyman predict -q model part-0.csv part-1.csv part-2.csv part-3.csv $way > expected
    for n in 1 2 3 4; do
        # shellcheck disable=SC2086
        ranks $n predict -q model 'part-%d.csv' $way > "predicted.$n"
        cmp expected "predicted.$n"
    done
done
neyman predict model train.ney -o lines --json > expected.json
ranks 3 predict model train.ney -o lines.3 --json > json.3
cmp lines lines.3
for key in n predicted_pos predicted_neg rejected; do
    test "$(grep "\"$key\"" expected.json)" = "$(grep "\"$key\"" json.3)"
done
# one file for each rank
ranks 2 predict -q model 'part-%d.csv' --scores -o 'part-%02d.tsv' > out
neyman predict -q model part-0.csv part-1.csv part-2.csv part-3.csv --scores -o whole.tsv > out
tail -n +2 part-01.tsv > rest
cat part-00.tsv rest | cmp whole.tsv -
refused 2 "would overwrite 'part-0.csv', which is an input" 2 predict -q model part-0.csv part-1.csv -o 'part-%d.csv'
refused 2 "would overwrite 'part-1.csv', which is an input" 2 predict -q model 'part-%d.csv' -o part-1.csv
refused 2 "would overwrite 'part-0.csv', which is an input" 2 predict -q model 'part-%d.csv' -o 'part-%1d.csv'

# rates, areas, costs and curves; rows that were used in training
figures() { grep -v '"seconds"\|"ranks"\|received"\|"communication_calls"\|"peak_memory"\|"output"' "$1"; }
compare() { # MODEL FILES... -- OPTIONS
    neyman evaluate "$@" --json > expected.json
    figures expected.json > expected
    for n in 1 2 3 4; do
        ranks $n evaluate "$@" --json > json
        figures json | cmp expected -
    done
    grep -q '"bytes_received"' json
}
compare model part-0.csv part-1.csv part-2.csv part-3.csv --cost-fn 3 --partial 0.1 --curve roc -o curve
compare model train.ney
grep -q '"auc"' json
refused 2 '--by needs the rows in one process' 2 evaluate -q model train.ney --by id
refused 2 '--from-scores needs' 2 evaluate --from-scores whole.tsv
refused 2 '--seen needs the rows in one process' 2 predict model train.ney --seen
refused 2 'is one file of text for 2 processes' 2 predict -q model all.csv
refused 2 'names 3 files for 4 processes' 4 evaluate -q model part-1.csv part-2.csv part-3.csv
