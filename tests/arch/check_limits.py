#!/usr/bin/env python3
"""check_limits.py ROOT: fail if a limit in SECURITY.md is not that of the constant beside it."""

import pathlib
import re
import sys

ROW = re.compile(r"^\| [^|]* \| ([0-9,]+) \| `(\w+)` in `([^`]+)` \|", re.MULTILINE)
NAMES = {"INT32_MAX": 2**31 - 1}


def value_of(text, name):
    """The value of an enumerator: a number, a shift, or a name above; None when there is none."""
    found = re.search(rf"\b{name} = ([0-9]+ << [0-9]+|\w+)", text)
    if not found:
        return None
    word = found.group(1)
    if "<<" in word:
        base, shift = word.split("<<")
        return int(base) << int(shift)
    return NAMES.get(word) or int(word)


def main():
    root = pathlib.Path(sys.argv[1])
    rows = ROW.findall((root / "SECURITY.md").read_text())
    bad = []
    for number, name, path in rows:
        value = value_of((root / path).read_text(), name)
        if value != int(number.replace(",", "")):
            bad.append(f"SECURITY.md: {name} is {value}, not {number}")
    if len(rows) < 10:
        bad.append(f"SECURITY.md: {len(rows)} limits with their constants, expected 10 or more")
    print("\n".join(bad) or f"limits: {len(rows)}, as in the sources")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
