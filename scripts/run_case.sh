#!/bin/sh
# run_case.sh PROGRAM CASE FOLDER: run one command-line case.
#
# The case runs in an empty folder of its own, with `neyman` on the path and DATA pointing to the
# bundled data sets. It passes when it exits with 0 and is skipped when it exits with 77.
set -eu

program=$1
case=$2
folder=$3

rm -rf "$folder"
mkdir -p "$folder/work"
PATH=$(dirname "$program"):$PATH
CASE_DIR=$(dirname "$case")
export PATH CASE_DIR
cd "$folder/work"

code=0
sh -eu "$case" || code=$?
if [ "$code" -ne 0 ] && [ "$code" -ne 77 ]; then
    echo "$case: exit code $code; what it left is in $folder/work" >&2
    if [ -s err ]; then
        echo "The end of the last messages that it kept in 'err':" >&2
        tail -n 20 err >&2
    fi
    exit "$code"
fi
cd "$folder/.."
rm -rf "$folder"
exit "$code"
