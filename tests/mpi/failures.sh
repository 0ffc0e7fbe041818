#!/bin/sh
# A run whose process dies, whose disk is full or whose shards are missing or differ ends by itself: with a message that
# names rank and cause, a code that is not zero, and no file half-written.
set -eu
. "$CASE_DIR/lib.sh"
. "$NEY_SOURCE/tests/support/wait.sh"
gzip -dc "$DATA/wdbc-train.csv.gz" > all.csv
for k in 0 1 2; do
    { head -n 1 all.csv; tail -n +2 all.csv | awk -v k=$k 'NR % 3 == k'; } > part-$k.csv
done
neyman train -q all.csv --label diagnosis -o model > out
rm out
before=$(ls)

# ---- kill -9, of any rank, while all are at work: the last rank reads a pipe without a writer
mkfifo pipe.csv
# shellcheck disable=SC2016 # variables of the inner shell
for killed in 0 1 2; do
    mpirun -n 3 sh -c 'echo $$ > "pid.$OMPI_COMM_WORLD_RANK"; exec neyman-mpi "$@"' - \
        train -q part-0.csv part-1.csv pipe.csv --label diagnosis -o no > out 2> err < /dev/null &
    run=$!
    exec 9> pipe.csv # goes on when the last rank has opened it
    for rank in 0 1 2; do
        wait_until $run test -s pid.$rank
    done
    kill -9 "$(cat pid.$killed)"
    status=0
    wait $run || status=$?
    test $status -ne 0
    grep -q "rank $killed .*signal 9" err || { cat err >&2; exit 1; }
    exec 9>&-
    rm pid.*
done
rm pipe.csv

# ---- a full disk: of the first rank, which writes; of another, which keeps lines for it
refused 1 'No space left' 2 train -q part-0.csv part-1.csv --label diagnosis -o /dev/full
refused 1 'No space left' 2 predict -q model part-0.csv part-1.csv -o /dev/full
awk 'NR == 1 { print; next } { for (k = 0; k < 400; k++) print }' part-1.csv > large.csv
# shellcheck disable=SC2016 # variables of the inner shell
limited() { # RANK COMMAND...: files of this rank grow no larger than 512 KB; Open MPI must not have larger ones in memory
    rank=$1
    shift
    status=0
    OMPI_MCA_btl=self,tcp PMIX_MCA_gds=hash mpirun -n 2 sh -c 'trap "" XFSZ; if [ "$OMPI_COMM_WORLD_RANK" = "$0" ]; then ulimit -f 1024; fi; exec neyman-mpi "$@"' \
        "$rank" "$@" > out 2> err < /dev/null || status=$?
    test $status -eq 1 || { cat err >&2; exit 1; }
}
limited 1 predict -q model part-0.csv large.csv --scores -o no
grep -q 'rank 1: writing a temporary file failed: File too large' err
limited 0 predict -q model part-0.csv large.csv --scores -o no
grep -q 'no: .*File too large' err
limited 1 predict -q model part-0.csv large.csv --scores -o 'no-%d'
grep -q 'rank 1: .*File too large' err

# ---- shards
rm large.csv
refused 1 'rank 1: part-4.csv\|part-4.csv.*rank 1' 2 train -q part-0.csv part-4.csv --label diagnosis -o no
mv part-1.csv kept.csv
refused 1 'part-1.csv' 3 train -q 'part-%d.csv' --label diagnosis -o no
mv kept.csv part-1.csv
sed 's/,malignant$/,unknown/; s/^malignant,/unknown,/' part-1.csv > labels.csv
cut -d, -f1-4,6- part-1.csv > columns.csv
for pair in 'labels.csv has.the.label' 'columns.csv columns'; do
    refused 3 "${pair#* }" 2 train -q part-0.csv "${pair% *}" --label diagnosis -o no
    grep -q 'rank 1' refused.err
done
refused 3 'rank 1: ' 2 evaluate -q model part-0.csv columns.csv
refused 3 'rank 1: ' 2 predict -q model part-0.csv columns.csv -o no
rm -f labels.csv columns.csv out err refused.*
test "$before" = "$(ls)" # no model, no predictions, nothing temporary
