#!/usr/bin/env python3
"""check_page.py [--write] PAGE NEYMAN DATA: run the commands of a page and compare what they print.

A command is an indented line that begins with `$ `, continued by lines that end with a backslash; the indented lines
below it are its output. `...` stands for any lines. Numbers may differ by 2 in a hundred or 0.02, whichever is more. All
commands of a page run in one folder, in order, with the bundled data in `data`. --write replaces the outputs in the page: the lines before the first `...` keep
their number, and those after it get new numbers."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def examples(lines):
    """(position of the end of the command, the command, positions of its output)"""
    for at, line in enumerate(lines):
        if line.startswith("    $ "):
            first = at + 1
            while lines[first - 1].endswith("\\"):
                first += 1
            end = first
            while end < len(lines) and lines[end].startswith("    ") and not lines[end].startswith("    $ "):
                end += 1
            yield first - 1, "\n".join([line[6:], *lines[at + 1:first]]), range(first, end)


def same(shown, printed):
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    pairs = zip(map(float, NUMBER.findall(shown)), map(float, NUMBER.findall(printed)))
    return all(abs(a - b) <= max(0.02 * abs(a), 0.02) for a, b in pairs)


def matches(shown, printed):
    """Whether the lines are those printed, `...` being any number of lines."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[k:]) for k in range(len(printed) + 1))
    return bool(printed) and same(shown[0], printed[0]) and matches(shown[1:], printed[1:])


def renewed(shown, printed):
    """The lines to show: as many as now before `...`; after it, printed lines that differ in numbers only."""
    if "..." not in shown:
        return printed
    cut = shown.index("...")
    lines, rest = printed[:cut] + ["..."], printed[cut:]
    for line in shown[cut + 1:]:
        found = [k for k, text in enumerate(rest) if NUMBER.sub("#", text) == NUMBER.sub("#", line)]
        lines.append(rest[found[0]] if found else line)
        rest = rest[found[0] + 1:] if found else rest
    return lines


def run(command, neyman, folder):
    environment = {**os.environ, "PATH": f"{pathlib.Path(neyman).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, [line.rstrip() for line in done.stdout.split("\n")][:-1], done.stderr


def main():
    write = sys.argv[1] == "--write"
    page, neyman, data = sys.argv[1 + write:]
    lines = pathlib.Path(page).read_text().split("\n")
    wrong, new, after = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "data").symlink_to(pathlib.Path(data).resolve())
        found = list(examples(lines))
        for at, command, output in found:
            code, printed, message = run(command, neyman, folder)
            if "libxgboost" in message and code:
                print("skipped: trees need libxgboost")
                return 77
            shown = [lines[k][4:].rstrip() for k in output]
            if code or not matches(shown, printed):
                wrong.append(f"{page}:{at + 1}: $ {command}\nexit code {code}; printed:\n" + "\n".join(printed) + message)
            new += lines[after:at + 1] + [f"    {line}".rstrip() for line in renewed(shown, printed)]
            after = output.stop
    if write:
        pathlib.Path(page).write_text("\n".join(new + lines[after:]))
        return 0
    print("\n".join(wrong) or f"{page}: {len(found)} commands, all print what the page shows")
    return bool(wrong) or not found


if __name__ == "__main__":
    sys.exit(main())
