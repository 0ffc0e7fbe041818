#!/bin/sh
# Sizes that no test has: 2^31 + 1 stored entries, and 10^8 rows from a pipe. The truth is known by
# construction (bench_sizes.c), and every step is checked against it. Not part of any test run: it takes 20 GB
# of disk and some minutes of a machine that does nothing else.
#
#   cmake --build build/release --target bench_sizes && bench/sizes.sh build/release WORK [rows] [entries] [cells]
#
# NEY_SIZES_SMALL=1 does the same with 1000 times fewer rows, to try the script out. Prints one line per step:
# seconds elapsed, seconds of processor time, peak memory in MB. Measured figures: results/sizes.md.
set -eu
build=$(cd "$1" && pwd)
work=$2
shift 2
[ $# -gt 0 ] || set -- rows entries cells
program=$build/bin/neyman
generate=$build/bench/bench_sizes
small=${NEY_SIZES_SMALL:-}
mkdir -p "$work"
cd "$work"

fail() {
    echo "sizes: $*" >&2
    exit 1
}

# step NAME COMMAND...: time and memory of a command to standard error, its output to NAME.out.
step() {
    name=$1
    shift
    /usr/bin/time -o "$name.time" -f '%e %U %S %M' "$@" > "$name.out" 2> "$name.err" ||
        fail "$name fails: $(tail -1 "$name.err")"
    awk -v name="$name" '{printf "%-18s %7.0f s %7.0f s of processor time %7.0f MB\n", name, $1, $2 + $3, $4 / 1024}' \
        "$name.time" >&2
}

# expect FILE KEY VALUE: a value of JSON output.
expect() {
    python3 - "$@" <<'PY' || exit 1
import json, sys
path, key, wanted = sys.argv[1:4]
found = json.load(open(path))[key]
if float(found) != float(wanted):
    sys.exit(f"sizes: {path}: {key} is {found}, expected {wanted}")
PY
}

# The positives of n rows, the last of which is positive.
positives() {
    echo $((($1 - 1) / 10 * 3 + (($1 - 1) % 10 < 3 ? ($1 - 1) % 10 : 3) + 1))
}

expect_counts() {
    expect "$1" n "$2"
    expect "$1" n_pos "$(positives "$2")"
    expect "$1" n_neg $(($2 - $(positives "$2")))
}

# Rows with the wrong sign of column 1 are 5 % of either class, and nothing else separates the classes: the area
# under the curve is 0.95. The bound on the FPR is certified.
expect_rates() {
    python3 - "$1" <<'PY' || exit 1
import json, sys
found = json.load(open(sys.argv[1]))
if found["fpr"] > 0.06:
    sys.exit(f"sizes: {sys.argv[1]}: fpr is {found['fpr']}, expected at most 0.06")
if abs(found["auc"] - 0.95) > 0.03:
    sys.exit(f"sizes: {sys.argv[1]}: auc is {found['auc']}, expected 0.95")
if found["tp"] + found["fn"] != found["n_pos"] or found["fp"] + found["tn"] != found["n_neg"]:
    sys.exit(f"sizes: {sys.argv[1]}: the four counts do not add up")
PY
}

# large ROWS COLS ENTRIES: a cache of that size, checked row by row, and a model that is trained from it as it is
# read.
large() {
    "$generate" "$@" | step "$part.convert" "$program" convert -q --json - "$part.ney"
    step "$part.check" "$generate" "$@" "$part.ney"
    step "$part.train" "$program" train -q --json --method online --epochs 1 --max-fpr 0.06 --seed 1 \
        --memory 2000 "$part.ney" -o "$part.model"
    expect_counts "$part.train.out" "$1"
}

for part in "$@"; do
    case $part in
    rows)
        n=100000000
        [ -z "$small" ] || n=100000
        columns=20
        entries=3
        "$generate" $n $columns $entries |
            step rows.train "$program" train -q --json --method online --epochs 1 --max-fpr 0.06 --seed 1 \
                --memory 500 - -o rows.model
        expect_counts rows.train.out $n
        "$generate" $n $columns $entries | step rows.evaluate "$program" evaluate -q --json rows.model -
        expect_counts rows.evaluate.out $n
        expect_rates rows.evaluate.out
        "$generate" $n $columns $entries | step rows.predict "$program" predict -q rows.model -
        [ "$(wc -l < rows.predict.out)" -eq $n ] || fail "predict wrote $(wc -l < rows.predict.out) lines"
        rm -f rows.predict.out
        ;;
    entries) # 2^31 + 1 entries in sparse rows: 17 GB, streamed
        n=2097153
        [ -z "$small" ] || n=2049
        large $n 2100 1024
        rm -f entries.ney
        ;;
    cells) # as many in dense rows: 8.6 GB, which evaluate holds in memory
        n=1048577
        [ -z "$small" ] || n=1025
        large $n 2049 2048
        step cells.evaluate "$program" evaluate -q --json cells.model cells.ney
        expect_counts cells.evaluate.out $n
        expect_rates cells.evaluate.out
        rm -f cells.ney
        ;;
    *) fail "unknown part '$part'" ;;
    esac
done
