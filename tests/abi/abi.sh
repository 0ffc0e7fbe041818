#!/bin/sh
# abi.sh CLIENT NOW LATER: a compiled program prints the same with the library of now and with a later one, whose
# folders are given.
set -eu
[ "$(LD_LIBRARY_PATH=$2 "$1")" = "$(LD_LIBRARY_PATH=$3 "$1" later)" ]
# symbol versions: what the program needs is there by name and version
LD_LIBRARY_PATH=$2 "$1" > /dev/null
if command -v objdump > /dev/null; then
    objdump -p "$1" | grep -q 'NEYMAN_1.0'
    objdump -p "$1" | grep -q 'libneyman.so.1'
fi
