#!/bin/sh
# --memory keeps large arrays in a temporary file: the same bits, in the directory TMPDIR, of which nothing is
# left at the end or after kill -9; a full disk, a missing directory and a bad limit are errors with the next step.
set -eu
pin=$DATA/psm.pin.gz
levels() {
    echo --results-psms "$1.psms" --decoy-results-psms "$1.decoys" --results-peptides "$1.peptides" --results-proteins "$1.proteins" \
        --entrapment mimic --entrapment-curve "$1.curve"
}
same() { # of a run with a limit and without one
    for part in model rows psms decoys peptides proteins curve; do
        cmp "plain.$part" "$1.$part"
    done
}
neyman train -q --max-fdr 0.01 "$pin" -o plain.model > out
neyman qvalues -q plain.model "$pin" --all --with-decoys -o plain.rows $(levels plain) > out
mkdir box
for limit in 0.0001 5; do
    TMPDIR=$PWD/box neyman train -q --memory $limit --max-fdr 0.01 "$pin" -o limit.model > out
    TMPDIR=$PWD/box neyman qvalues -q --memory $limit plain.model "$pin" --all --with-decoys -o limit.rows $(levels limit) > out
    same limit
    test -z "$(ls -A box)"
done

# A network under a bounded FDR holds all rows: with a limit, and from standard input.
network="--network 2 --training-rows 1000 --max-fdr 0.01"
neyman train -q $network "$pin" -o network.plain > out
zcat "$pin" | TMPDIR=$PWD/box neyman train -q $network --memory 1 - -o network.limit > out
cmp network.plain network.limit

# No space, no directory: exit 1, and what to do. Without a limit, or a large one, no file is needed.
refused() { # $1: TMPDIR; the rest: a command
    status=0
    (TMPDIR=$1; export TMPDIR; shift; exec "$@" > out 2> err) || status=$?
    test $status -eq 1
    grep -q "in a temporary file in $1: .*; set TMPDIR to a directory with more space, or raise --memory" err
    test ! -e limit.new
}
refused "$PWD/none" neyman train -q --memory 0.1 --max-fdr 0.01 "$pin" -o limit.new
refused "$PWD/none" neyman qvalues -q --memory 0.1 plain.model "$pin" -o limit.new
TMPDIR=$PWD/none neyman qvalues -q --memory 500 plain.model "$pin" -o limit.new > out
rm limit.new
refused "$PWD/box" sh -c 'ulimit -f 100; exec neyman qvalues -q --memory 0.1 plain.model "$1" -o limit.new' - "$pin"
grep -q 'File too large' err
test -z "$(ls -A box)"
status=0; neyman qvalues --memory -1 plain.model "$pin" > out 2> err || status=$?
test $status -eq 2

# Killed while a file is in use.
if test -r /proc/self/maps; then
    zcat "$pin" > rows.pin
    mkfifo pipe
    TMPDIR=$PWD/box neyman train -q --memory 0.1 --max-fdr 0.01 - -o limit.new < pipe > out 2>&1 &
    exec 3> pipe
    cat rows.pin >&3
    for try in 0 1 2 3 4 5 6 7 8 9; do
        sleep 0.$try
        if grep -q "$PWD/box/.*deleted" /proc/$!/maps; then break; fi
    done
    grep -q "$PWD/box/.*deleted" /proc/$!/maps
    kill -9 $!
    wait $! || true
    exec 3>&-
    test -z "$(ls -A box)"
    test ! -e limit.new
fi
