#!/usr/bin/env python3
"""check_page.py [--write] PAGE NEYMAN DATA: run the commands of a page and compare what they print.

A command is an indented line that begins with `$ `, continued by lines that end with a backslash; the indented lines
below it are its output. `...` stands for any lines. Numbers may differ as much as between compilers:
by 5 in a hundred, or by 0.02 (percentages 0.3, whole numbers from 10 on 2), whichever is more. The path of the folder is written as
`/path`; empty lines and the widths of columns do not matter. All commands of a page run in one folder, in order, with the bundled data in `data`.
A comment `<!-- files:`, lines of shell, `-->` makes files that the commands below it read. A comment `<!-- needs: WORD ... -->`
skips the page where one of these programs is missing. --write replaces the outputs in the page: the lines before the first `...` keep
their number, and those after it get new numbers."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
NEEDS = re.compile(r"<!-- needs: (.+?) -->")
FILES = "<!-- files:"


def examples(lines):
    """(position of the end of the command, the command, positions of its output; None for a comment that makes files)"""
    for at, line in enumerate(lines):
        if line == FILES:
            end = lines.index("-->", at)
            yield end, "set -e\n" + "\n".join(lines[at + 1:end]), None
        elif line.startswith("    $ "):
            first = at + 1
            while lines[first - 1].endswith("\\"):
                first += 1
            end = first
            while end < len(lines) and lines[end].startswith("    ") and not lines[end].startswith("    $ "):
                end += 1
            yield first - 1, "\n".join([line[6:], *lines[at + 1:first]]), range(first, end)


def pattern(line):
    """The line without its numbers and the widths of its columns."""
    return " ".join(NUMBER.sub("#", line).split())


def is_close(shown, printed, of_percentages):
    a, b = float(shown), float(printed)
    if shown.isdigit():
        allowed = max(2, 0.05 * a) if a >= 10 else 0
    else:
        allowed = max(0.3 if of_percentages else 0.02, 0.05 * abs(a))
    return abs(a - b) <= allowed


def same(shown, printed):
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return pattern(shown) == pattern(printed) and all(is_close(a, b, " %" in shown) for a, b in pairs)


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
        found = [k for k, text in enumerate(rest) if pattern(text) == pattern(line)]
        lines.append(rest[found[0]] if found else line)
        rest = rest[found[0] + 1:] if found else rest
    return lines


def run(command, neyman, folder):
    environment = {**os.environ, "PATH": f"{pathlib.Path(neyman).resolve().parent}:{os.environ['PATH']}", "LC_ALL": "C"}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    printed = done.stdout.replace(folder, "/path").split("\n")
    return done.returncode, [line.rstrip() for line in printed if line.strip()], done.stderr


def check(page, lines, neyman, folder):
    """(what is wrong, the lines with new outputs, number of commands); None where trees cannot be trained"""
    wrong, new, after, shown_commands = [], [], 0, 0
    for at, command, output in examples(lines):
        code, printed, message = run(command, neyman, folder)
        if "libxgboost" in message and code:
            return None
        shown = [] if output is None else [lines[k][4:].rstrip() for k in output]
        if code or output is not None and not matches(shown, printed):
            wrong.append(f"{page}:{at + 1}: $ {command}\nexit code {code}; printed:\n" + "\n".join(printed) + "\n" + message)
        if output is not None:
            shown_commands += 1
            new += lines[after:at + 1] + [f"    {line}".rstrip() for line in renewed(shown, printed)]
            after = output.stop
    return wrong, new + lines[after:], shown_commands


def main():
    write = sys.argv[1] == "--write"
    page, neyman, data = sys.argv[1 + write:]
    text = pathlib.Path(page).read_text()
    missing = [word for words in NEEDS.findall(text) for word in words.split() if not shutil.which(word)]
    if missing:
        print(f"skipped: {', '.join(missing)} cannot be found")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "data").symlink_to(pathlib.Path(data).resolve())
        found = check(page, text.split("\n"), neyman, folder)
    if found is None:
        print("skipped: trees need libxgboost")
        return 77
    wrong, new, commands = found
    if write:
        pathlib.Path(page).write_text("\n".join(new))
    print("\n".join(wrong) or f"{page}: {commands} commands, all print what the page shows")
    return bool(wrong) and not write


if __name__ == "__main__":
    sys.exit(main())
