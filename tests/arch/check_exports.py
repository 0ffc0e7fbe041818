#!/usr/bin/env python3
"""check_exports.py NM ROOT LIBRARY.so OBJECT:OBJECT:...: one list of public functions.

The header's NEY_API declarations, libneyman.map and the shared library's symbols must be the same
set, and the program (whose objects come last) must need no other name of the library.

check_exports.py --write ROOT: make the last node of libneyman.map agree with the header."""

import pathlib
import re
import subprocess
import sys

from modules import public_names


def symbols(nm, *arguments):
    out = subprocess.run([nm, "-P", *arguments], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    names = (line.split()[0] for line in out.splitlines() if line.strip() and ":" not in line)
    return {re.sub(r"@.*", "", name) for name in names}


def mapped_names(root):
    text = re.sub(r"/\*.*?\*/|#[^\n]*", "", (root / "libneyman.map").read_text(), flags=re.S)
    names = re.findall(r"\b(ney_\w+)\s*;", text)
    twice = sorted({name for name in names if names.count(name) > 1})
    return set(names), twice


def program_names(nm, objects):
    """What the program defines itself."""
    return symbols(nm, "--defined-only", *objects)


def write_map(root):
    path = root / "libneyman.map"
    text = path.read_text()
    start = text.rindex("global:\n") + len("global:\n")
    stop = text.index("local:", start) if "local:" in text[start:] else text.index("}", start)
    older = set(re.findall(r"\b(ney_\w+)\s*;", text[:start]))
    names = "".join(f"    {name};\n" for name in sorted(public_names(root) - older))
    path.write_text(text[:start] + names + text[stop:])


def main():
    if sys.argv[1] == "--write":
        return write_map(pathlib.Path(sys.argv[2]))
    nm, root, library = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    objects = sys.argv[4].split(":")
    header = public_names(root)
    in_map, twice = mapped_names(root)
    exported = {name for name in symbols(nm, "-D", "--defined-only", library)
                if not name.startswith("NEYMAN_")}
    needed = {name for name in symbols(nm, "-u", *objects) if name.startswith("ney_")}

    bad = [f"{name}: twice in libneyman.map" for name in twice]
    for what, names in (
            ("declared in the header, missing in libneyman.map", header - in_map),
            ("in libneyman.map, not declared in the header", in_map - header),
            ("declared in the header, not exported: undefined or hidden", header - exported),
            ("exported, not declared in the header", exported - header),
            ("used by the program, not public", needed - header - program_names(nm, objects))):
        bad += [f"{name}: {what}" for name in sorted(names)]
    if not header:
        bad.append("no NEY_API function found in the header")
    print("\n".join(bad) or f"exports: {len(header)} functions, one list")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
