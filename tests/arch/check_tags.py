#!/usr/bin/env python3
"""check_tags.py ROOT: fail if a formula tag of a source, like [DCD.1], is not in doc/math/."""

import pathlib
import re
import sys

from modules import c_files

TAG = re.compile(r"\[([A-Z][A-Z0-9]*\.[0-9]+)\]")


def main():
    root = pathlib.Path(sys.argv[1])
    pages = (root / "doc/math").glob("*.md")
    known = {tag for page in pages for tag in TAG.findall(page.read_text())}
    bad = []
    for path in c_files(root / "src"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            bad += [f"{path}:{number}: [{tag}] is not in doc/math/" for tag in TAG.findall(line)
                    if tag not in known]
    print("\n".join(bad) or f"tags: {len(known)} known, all that are used among them")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
