#!/bin/sh
# A run of several processes that ends, by a limit, a signal or kill -9, continues from its checkpoint: with the same
# number of processes to the same bytes, with another one to a model as good. Other data and options are refused.
set -eu
. "$CASE_DIR/lib.sh"
. "$NEY_SOURCE/tests/support/wait.sh"
awk 'BEGIN { srand(5); for (i = 0; i < 6000; i++) { y = i % 4 ? -1 : 1; printf "%d", y
             for (j = 1; j <= 12; j++) printf " %d:%.3f", j, rand() - 0.5 + 0.05 * y; print "" } }' > d.svm
neyman convert -q d.svm d.ney > out
endless='--max-fpr 0.1 --confidence none --method online --threads 1 --epochs 12000'
options="${endless%000}"
value() { sed -n "s/^.\"$1\":.\([0-9.e-]*\),*$/\1/p" "$2" | head -n 1; }
# shellcheck disable=SC2086 # words
train() { n=$1; shift; ranks "$n" train -q d.ney $options "$@"; }
for n in 1 2; do
    train $n --json -o whole.$n > json.$n
    rm -f point
    status=0; train $n --max-iter 40000 --checkpoint point -o m > out 2> err || status=$?
    test $status -eq 5
    cp point point.$n
    train $n --checkpoint point --resume -o m > out
    cmp whole.$n m
done
# another number of processes
for pair in 1:2 1:3 2:1 2:4; do
    cp point.${pair%:*} point
    train ${pair#*:} --checkpoint point --resume --json -o m > json
    test "$(value iterations json)" -gt 40000
    awk -v a="$(value fnr json.1)" -v b="$(value fnr json)" 'BEGIN { d = a - b; exit !(d < 0.03 && d > -0.03) }'
done
# signals to mpirun, to one rank, which stops all of them in order, and a rank that is killed
for signal in INT TERM ONE KILL; do
    rm -f point m
    # shellcheck disable=SC2086 # words
    env --default-signal=INT,TERM mpirun --oversubscribe -n 2 neyman-mpi train -q d.ney $endless \
        --checkpoint point --checkpoint-every 0.01 -o m > out 2> err &
    pid=$!
    wait_until $pid test -e point
    case $signal in
    ONE) kill -s TERM "$(pgrep -P $pid | tail -n 1)" ;;
    KILL) kill -s KILL "$(pgrep -P $pid | head -n 1)" ;;
    *) kill -s $signal $pid ;;
    esac
    status=0; wait $pid || status=$?
    test $status -ne 0
    test -e point
    if [ $signal = ONE ]; then
        test $status -eq 130
        test -s m
        neyman predict -q m d.svm > p
    fi
done
# other data and options
cp point.2 point
sed 's/^-1/1/; t; s/^1/-1/' d.svm > exchanged.svm
neyman convert -q exchanged.svm exchanged.ney > out
# shellcheck disable=SC2086 # words
refused 3 'other data or options' 2 train -q exchanged.ney $options --checkpoint point --resume -o no
# shellcheck disable=SC2086 # words
refused 3 'other data or options' 3 train -q d.ney $options --seed 2 --checkpoint point --resume -o no
head -c 300 point.2 > point
# shellcheck disable=SC2086 # words
refused 3 'damaged' 2 train -q d.ney $options --checkpoint point --resume -o no
test ! -e no
