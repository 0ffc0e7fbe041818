#!/bin/sh
# build.sh ROOT OUT: compile src/decide and page.c to WebAssembly, with clang, lld and wasi-libc.
# The same compiler gives the same bytes, wherever the tree lies.
set -eu
root=$(CDPATH= cd -- "$1" && pwd)
case $2 in
/*) out=$2 ;;
*) out=$(pwd)/$2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
cp /usr/include/xxhash.h "$work/include/"
[ ! -e /usr/include/xxh3.h ] || cp /usr/include/xxh3.h "$work/include/"

cd "$root"
# shellcheck disable=SC2086,SC2046 # lists of words
clang --target=wasm32-wasi -mexec-model=reactor -std=c17 -Os -DNDEBUG -DXXH_INLINE_ALL \
    -Wall -Wextra -Wno-unused-function -Wno-unused-parameter -ffile-prefix-map="$work=." \
    -Iweb/wasm/shim -I"$work/include" -Iinclude -Isrc \
    -Wl,--strip-all -Wl,--gc-sections -Wl,-z,stack-size=131072 \
    web/wasm/page.c \
    $(printf 'src/decide/%s.c ' binomial certify cost counts interval k_largest normal order plan prevalence \
        risk roc simultaneous verdict) \
    src/base/env.c src/base/error.c src/base/little.c \
    -o "$out"
