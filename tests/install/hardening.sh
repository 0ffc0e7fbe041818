#!/bin/sh
# hardening.sh READELF PROGRAM LIBRARY ARCHIVE: the release build has the protections of doc/adr/0023.
set -u

readelf=$1
program=$2
library=$3
archive=$4

skip() {
    echo "hardening: skipped: $1"
    exit 77
}
command -v "$readelf" > /dev/null 2>&1 || skip "no readelf"
header=$("$readelf" -h "$program" 2> /dev/null) || skip "not an ELF file"

bad=0
# expect WHAT PATTERN FILE OPTION...: what readelf prints of the file has the pattern.
expect() {
    what=$1 pattern=$2 file=$3
    shift 3
    if ! "$readelf" -W "$@" "$file" 2> /dev/null | grep -Eq "$pattern"; then
        echo "$(basename "$file"): $what missing" >&2
        bad=1
    fi
}

expect "position-independent code" 'Type: *DYN' "$program" -h
for file in "$program" "$library"; do
    expect "read-only relocations" 'GNU_RELRO' "$file" -l
    expect "binding at start" 'BIND_NOW|Flags:.*NOW' "$file" -d
    expect "stack that is not executable" 'GNU_STACK.* RW +0x' "$file" -l
    expect "stack protector" '__stack_chk_fail' "$file" --dyn-syms
    if "$readelf" -W --dyn-syms "$file" | grep -q 'GLIBC_'; then # musl has no such functions
        expect "fortified calls" '__snprintf_chk' "$file" --dyn-syms
    fi
done
if printf '%s\n' "$header" | grep -Eq 'Machine:.*(X86-64|80386)'; then
    expect "marks of valid jump targets" 'IBT' "$archive" -n
fi
exit $bad
