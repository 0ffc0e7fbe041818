#!/bin/sh
# What cannot be trained together ends the run by itself: one message that names rank and file, an exit code, no model.
set -eu
. "$CASE_DIR/lib.sh"
neyman convert -q "$DATA/wdbc-train.csv.gz" one.ney --label diagnosis > out
gzip -dc "$DATA/wdbc-train.csv.gz" > all.csv
head -n 1 all.csv > head.csv
for k in 0 1 2; do
    { cat head.csv; tail -n +2 all.csv | awk -v k=$k 'NR % 3 == k'; } | gzip > part-000$k.csv.gz
done
refused 1 'part-0003.csv.gz' 2 train -q part-0000.csv.gz part-0003.csv.gz --label diagnosis -o no
sed 's/diagnosis/result/' head.csv > other.csv
tail -n +2 all.csv | head -n 9 >> other.csv
refused 3 'rank 1: ' 2 train -q part-0000.csv.gz other.csv --label diagnosis -o no
refused 2 'is one file of text for 2 processes' 2 train -q all.csv --label diagnosis -o no
refused 2 'names 3 files for 4 processes' 4 train -q 'part-*.csv.gz' --label diagnosis -o no
refused 2 'needs the rows in one process' 2 train -q one.ney --kernel rbf -o no
refused 4 'cannot certify' 2 train -q one.ney --max-fpr 0.0001 -o no
test ! -e no
# processes that see other files by one pattern
mkdir here there
printf '1 1:1\n-1 1:2\n' | tee here/a.svm here/b.svm there/a.svm > there/c.svm
status=0
mpirun --oversubscribe -n 1 --wdir "$PWD/here" neyman-mpi train -q '*.svm' -o m : \
    -n 1 --wdir "$PWD/there" neyman-mpi train -q '*.svm' -o m > out 2> err < /dev/null || status=$?
test $status -ne 0
grep -q 'names 2 files here and 2 others on rank 0' err
test ! -e here/m
