#!/bin/sh
# Points and folds are shared out among processes: the table, the choice and the model are those of one process, also
# when a search continues.
set -eu
. "$CASE_DIR/lib.sh"
search() { # COMMAND... -- MODEL
    "$@" -q "$DATA/wdbc-train.csv.gz" --label diagnosis --max-fpr 0.2 --kernel rbf --grid 'C=0.1:10:3 gamma=0.01,0.1' \
        --folds 3 --no-extend --threads 1 > out
}
results() { awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i } { $at = ""; print }' "$1" | sort; }
search neyman tune -o plain
for n in 1 2 3 4; do
    search ranks $n tune -o "model.$n"
    cmp plain "model.$n"
    results plain.tune.tsv > expected
    results "model.$n.tune.tsv" | cmp expected -
done
# what is not in the table yet
for k in 1 2; do
    head -n 12 plain.tune.tsv > "part.$k.tune.tsv"
done
search neyman tune -o part.1
search ranks 3 tune -o part.2
cmp part.1 part.2
results part.2.tune.tsv | cmp expected -

# a search on a part of the rows
parts() { "$@" -q "$DATA/wdbc-train.csv.gz" --label diagnosis --max-fpr 0.2 --grid 'C=0.01:10:4' --search-rows 40 --folds 3 --threads 1 > out; }
parts neyman tune -o parts
parts ranks 3 tune -o parts.3
cmp parts parts.3
results parts.tune.tsv > expected
results parts.3.tune.tsv | cmp expected -

# several threads in each process
costs() { "$@" -q "$DATA/wdbc-train.csv.gz" --label diagnosis --cost-fn 3 --grid 'C=0.01:1:3' --folds 4 > out; }
costs neyman tune --threads 1 -o costs.1
costs ranks 2 tune --threads 2 -o costs.2
cmp costs.1 costs.2

# every process must have read the same rows
gzip -dc "$DATA/wdbc-train.csv.gz" | head -n 200 > other.csv
gzip -dc "$DATA/wdbc-train.csv.gz" > same.csv
status=0
tune() { echo neyman-mpi tune -q "$1" --label diagnosis --grid C=1 -o no; }
# shellcheck disable=SC2046 # words of a command
mpirun -n 1 $(tune same.csv) : -n 1 $(tune other.csv) > out 2> err || status=$?
test $status -eq 2
grep -q 'rank 1: the rows read here differ' err
refused 2 'standard input' 2 tune - -o no
test ! -e no
