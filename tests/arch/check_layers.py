#!/usr/bin/env python3
"""check_layers.py ROOT: fail if a file reaches up.

src/ROOM may include ROOM and the rooms before it; programs and bindings only the public header;
the public header nothing of src/."""

import pathlib
import re
import sys

from rooms import OUTSIDE, ROOMS, c_files, without_comments

RANK = {name: i for i, name in enumerate(ROOMS)}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)


def includes(path):
    for match in INCLUDE.finditer(without_comments(path.read_text())):
        yield match.group(1) == '"', match.group(2)


def inside(root):
    for path in c_files(root / "src"):
        where = path.relative_to(root / "src").parts
        if len(where) != 2 or where[0] not in RANK:
            yield f"{path}: sources live in src/ROOM/, and {where[0]} is no room"
            continue
        own = where[0]
        for quoted, name in includes(path):
            first = pathlib.PurePath(name).parts[0]
            if ".." in pathlib.PurePath(name).parts:
                yield f"{path}: includes {name}; name headers from src/, as in \"base/env.h\""
            elif first in RANK and RANK[first] > RANK[own]:
                yield f"{path}: {own} includes {name}, which lies above it"
            elif quoted and first not in RANK and first != "neyman":
                yield f"{path}: includes \"{name}\"; name the room, as in \"base/env.h\""


def outside(root):
    for folder in OUTSIDE:
        for path in c_files(root / folder):
            for _, name in includes(path):
                parts = pathlib.PurePath(name).parts
                if "src" in parts or (parts[0] in RANK and len(parts) > 1):
                    yield f"{path}: reaches into the library by {name}; use <neyman/neyman.h>"
    for path in c_files(root / "include"):
        for quoted, name in includes(path):
            if quoted:
                yield f"{path}: a public header includes \"{name}\""


def main():
    root = pathlib.Path(sys.argv[1])
    if not c_files(root / "src"):
        sys.exit(f"{root}: no sources")
    bad = [*inside(root), *outside(root)]
    print("\n".join(bad) or "layers: clean")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
