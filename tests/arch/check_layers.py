#!/usr/bin/env python3
"""check_layers.py ROOT: fail if a file includes a header of a module above its own.

src/MODULE may include MODULE and the modules before it; a subfolder of a module may include its
module, itself and the subfolders before it; programs and bindings only the public headers; the
public headers nothing of src/."""

import pathlib
import re
import sys

from modules import MODULES, OUTSIDE, SUBFOLDERS, c_files, without_comments

ORDER = [(module, sub) for module in MODULES for sub in ["", *SUBFOLDERS.get(module, [])]]
RANK = {place: i for i, place in enumerate(ORDER)}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)


def includes(path):
    for match in INCLUDE.finditer(without_comments(path.read_text())):
        yield match.group(1) == '"', match.group(2)


def place_of(parts):
    """(module, subfolder) of a path below src/, or None."""
    place = (parts[0], parts[1] if len(parts) == 3 else "")
    return place if len(parts) in (2, 3) and place in RANK else None


def inside(root):
    for path in c_files(root / "src"):
        own = place_of(path.relative_to(root / "src").parts)
        if own is None:
            yield f"{path}: not in a known module (tests/arch/modules.py lists them)"
            continue
        for quoted, name in includes(path):
            parts = pathlib.PurePath(name).parts
            other = place_of(parts)
            if ".." in parts:
                yield f"{path}: includes {name}; name headers from src/, as in \"base/env.h\""
            elif other and RANK[other] > RANK[own]:
                yield f"{path}: {'/'.join(own).rstrip('/')} includes {name}, which lies above it"
            elif quoted and other is None and parts[0] != "neyman":
                yield f"{path}: includes \"{name}\"; name the module, as in \"base/env.h\""


def outside(root):
    for folder in OUTSIDE:
        for path in c_files(root / folder):
            for _, name in includes(path):
                parts = pathlib.PurePath(name).parts
                if "src" in parts or (parts[0] in MODULES and len(parts) > 1):
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
