#!/usr/bin/env python3
"""coverage.py BUILD: line coverage of src/ and cli/, from what gcov counted in BUILD."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHOWN = ("src", "cli")


def reports(build):
    counted = sorted(build.rglob("*.gcda"))
    if not counted:
        sys.exit(f"{build}: nothing counted; run the tests of a coverage build first")
    for path in counted:
        out = subprocess.run(["gcov", "--json-format", "--stdout", path.name], cwd=path.parent,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        yield from (json.loads(line) for line in out.splitlines() if line.strip())


def lines_of(build):
    """{file: {line: how often it ran}} for the files that are shown."""
    counts = {}
    for report in reports(build):
        for entry in report["files"]:
            path = pathlib.Path(os.path.normpath(
                pathlib.Path(report["current_working_directory"]) / entry["file"]))
            if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] not in SHOWN:
                continue
            of_file = counts.setdefault(path.relative_to(ROOT), {})
            for line in entry["lines"]:
                number = line["line_number"]
                of_file[number] = of_file.get(number, 0) + line["count"]
    return counts


def main():
    counts = lines_of(pathlib.Path(sys.argv[1]).resolve())
    ran = total = 0
    for path, lines in sorted(counts.items()):
        hit = sum(count > 0 for count in lines.values())
        ran, total = ran + hit, total + len(lines)
        print(f"{100 * hit / max(1, len(lines)):6.1f} %  {hit:5} of {len(lines):5}  {path}")
    print(f"{100 * ran / max(1, total):6.1f} %  {ran:5} of {total:5}  all")


if __name__ == "__main__":
    main()
