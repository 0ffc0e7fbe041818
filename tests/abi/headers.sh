#!/bin/sh
# headers.sh CC CXX INCLUDE: every public header compiles by itself, a second time, and with all others after it, as C11,
# C17 and C++17, without a warning. CXX may be empty. A stable header includes no experimental one.
set -eu
cc=$1 cxx=$2 include=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() {
    "$@" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only "-I$include"
}
for header in "$include"/neyman/*.h "$include"/neyman/experimental/*.h; do
    name=${header#"$include"/}
    printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$name" "$name" > "$work/alone.c"
    sed 's/^int main/#include <neyman\/experimental.h>\n&/' "$work/alone.c" > "$work/all.c"
    cp "$work/all.c" "$work/all.cpp"
    compile "$cc" -std=c11 "$work/all.c"
    compile "$cc" -std=c17 "$work/all.c"
    [ -z "$cxx" ] || compile "$cxx" -std=c++17 "$work/all.cpp"
    case $name in
    *experimental*) ;;
    *)
        if "$cc" -std=c17 "-I$include" -MM "$work/alone.c" | grep -q neyman/experimental; then
            echo "$name includes an experimental header" >&2
            exit 1
        fi
        ;;
    esac
done
