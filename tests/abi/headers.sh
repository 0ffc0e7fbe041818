#!/bin/sh
# headers.sh CC CXX INCLUDE: every public header compiles by itself and with all others, as C11, C17 and C++17,
# without a warning. CXX may be empty.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in "$3"/neyman/*.h; do
    name=$(basename "$header")
    printf '#include <neyman/%s>\n#include <neyman/%s>\nint main(void) { return 0; }\n' "$name" "$name" > "$work/$name.c"
    printf '#include <neyman/%s>\n#include <neyman/neyman.h>\nint main() { return 0; }\n' "$name" > "$work/$name.cpp"
    for std in c11 c17; do
        "$1" -std=$std -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$3" "$work/$name.c"
    done
    if [ -n "$2" ]; then
        "$2" -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$3" "$work/$name.cpp"
    fi
done
