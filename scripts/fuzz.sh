#!/bin/sh
# fuzz.sh replay|run TARGET CORPUS FOLDER: hand a fuzz target its corpus, or let it search.
#
# replay feeds every file of CORPUS once. run starts from CORPUS and searches for NEY_FUZZ_SECONDS
# (default 4) or, if NEY_FUZZ_RUNS is set, for that number of executions. It keeps inputs that
# reach new code in FOLDER/found and an input that fails in FOLDER. Words of the format are taken
# from dict/NAME beside the corpora, if there is such a file.
set -eu

mode=$1
target=$2
corpus=$3
folder=$4

mkdir -p "$folder/found"
if [ ! -d "$corpus" ] || [ -z "$(ls -A "$corpus")" ]; then
    echo "$corpus: no seeds; a fuzz target without them tests next to nothing" >&2
    exit 1
fi
# libFuzzer ends with 77 after a finding, which is how a test says that it was skipped
search() {
    status=0
    "$target" "$@" || status=$?
    [ "$status" -ne 77 ] || status=1
    exit "$status"
}

cd "$folder"
case $mode in
replay)
    search "$corpus"/*
    ;;
run)
    if [ -n "${NEY_FUZZ_RUNS:-}" ]; then
        limit=-runs=$NEY_FUZZ_RUNS
    else
        limit=-max_total_time=${NEY_FUZZ_SECONDS:-4}
    fi
    words=$(dirname "$(dirname "$corpus")")/dict/$(basename "$corpus")
    if [ -f "$words" ]; then
        set -- "-dict=$words"
    else
        set --
    fi
    search "$@" "$limit" -timeout=600 -rss_limit_mb=2048 \
        -max_len="${NEY_FUZZ_MAX_LEN:-4096}" -seed=1 -verbosity=0 -print_final_stats=1 \
        found "$corpus"
    ;;
esac
