#!/bin/sh
# lint.sh BUILD JOBS: clang-format, clang-tidy and cppcheck over every C file; all three run, and
# one complaint of any fails. BUILD is a configured build folder with compile_commands.json.
# lint.sh format: lay the files out instead.
set -eu

cd "$(dirname "$0")/.."

c_files() {
    find include src cli tests bench mpi examples -name '*.[ch]' 2> /dev/null | sort
}

if [ "$1" = format ]; then
    c_files | xargs clang-format -i
    exit
fi
build=$1
jobs=$2
failed=''

echo 'clang-format'
c_files | xargs clang-format --dry-run -Werror --ferror-limit=1 || failed="$failed clang-format"

echo 'clang-tidy'
# The analyzer looks at one file at a time; scripts/analyzer.h tells it what ney_fail() and its kin
# return. The files that define them are spared that.
kin='/src/base/\(error\|env\)\.c$'
compiled() {
    sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sort -u
}
tidy() {
    tr '\n' '\0' | xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p "$build" "$@" \
        2>> "$build/clang-tidy.log"
}
: > "$build/clang-tidy.log"
compiled | grep -v "$kin" | tidy --extra-arg=-include --extra-arg="$PWD/scripts/analyzer.h" ||
    failed="$failed clang-tidy"
compiled | grep "$kin" | tidy || failed="$failed clang-tidy"
grep -E 'error:|fatal' "$build/clang-tidy.log" || :

# Uninitialised values are left to the compilers and the analyzer, which follow pointers better.
echo 'cppcheck'
cppcheck --quiet -j "$jobs" --std=c11 --language=c --enable=warning,performance,portability \
    --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem --suppress=uninitvar \
    --suppress=duplicateAssignExpression \
    -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc src cli || failed="$failed cppcheck"

if [ -n "$failed" ]; then
    echo "lint:$failed found something" >&2
    exit 1
fi
echo 'lint: clean'
