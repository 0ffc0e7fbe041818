#!/usr/bin/env python3
"""check_forbidden.py NM LIBRARY.a: fail if the library calls what it must not, or keeps state.

Object files are asked, not sources: macros and compilers' rewritings hide nothing from them."""

import re
import subprocess
import sys

FORBIDDEN = {
    "prints": "printf vprintf puts putchar putc_unlocked perror stderr psignal",
    "ends the process": "exit _exit _Exit quick_exit abort raise",
    "is not reproducible": "rand srand rand_r random srandom drand48 lrand48 arc4random",
    "depends on the locale": "strtod strtof strtold atof atoi atol atoll sscanf fscanf scanf "
                             "vsscanf setlocale newlocale uselocale strcoll",
    "keeps hidden state": "strtok strerror localtime gmtime ctime asctime signal sigaction setenv "
                          "putenv",
}
WHY = {name: why for why, names in FORBIDDEN.items() for name in names.split()}

# The one file that turns text into numbers and back. It holds its thread in the C locale meanwhile.
ALLOWED = {("number.c.o", name) for name in ("strtod", "newlocale", "uselocale")}

# What compilers put where mutable data lives: constant tables of pointers, locks of named critical
# sections.
CONSTANT_SECTION = re.compile(r"^\.data\.rel\.ro(\.|$)")
MUTABLE_SECTION = re.compile(r"^(\.data|\.bss|\.tdata|\.tbss|\*COM\*|COMMON)")
LOCK = re.compile(r"^\.gomp_critical_user")


def plain(name):
    """A libc name without the dress of glibc's headers: __isoc99_sscanf, __printf_chk."""
    name = re.sub(r"^__isoc\d+_", "", name)
    return re.sub(r"^__(\w+)_chk$", r"\1", name)


def complaints(table):
    """Of the lines of `nm --format=sysv`: Name|Value|Class|Type|Size|Line|Section."""
    member = "?"
    for line in table.splitlines():
        head = re.match(r"^(?:Symbols|Undefined symbols) from .*\[(.*)\]:$", line)
        if head:
            member = head.group(1)
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 7 or cells[0] == "Name":
            continue
        name, kind, section = cells[0], cells[2], cells[6]
        if kind.upper() == "U":
            if plain(name) in WHY and (member, plain(name)) not in ALLOWED:
                yield f"{member}: calls {name}, which {WHY[plain(name)]}"
        elif MUTABLE_SECTION.match(section) and not CONSTANT_SECTION.match(section):
            if cells[3] != "SECTION" and not LOCK.match(name):
                yield f"{member}: {name} is mutable and outlives the call ({section})"


def main():
    nm, library = sys.argv[1:3]
    table = subprocess.run([nm, "--format=sysv", library], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    if "|" not in table:
        sys.exit(f"{library}: nm finds no symbols")
    bad = list(complaints(table))
    print("\n".join(bad) or "forbidden: none called, no state kept")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
