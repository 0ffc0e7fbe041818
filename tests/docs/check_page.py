#!/usr/bin/env python3
"""check_page.py [--write] PAGE NEYMAN DATA: run the commands of a page and compare what they print.

A command is an indented line that begins with `$ neyman`; the indented lines below it are its output. `...` stands for
any lines. Numbers may differ by 2 in a hundred or 0.02, whichever is more. All commands of a page run in one folder, in
order, with the bundled data in `data`. --write replaces the outputs in the page: the lines before `...` keep their number."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def examples(lines):
    """(position of the command, the command, positions of its output)"""
    for at, line in enumerate(lines):
        if line.startswith("    $ neyman"):
            end = at + 1
            while end < len(lines) and lines[end].startswith("    ") and not lines[end].startswith("    $ "):
                end += 1
            yield at, line[6:], range(at + 1, end)


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
            cut = shown.index("...") if "..." in shown else len(printed)
            new += lines[after:at + 1] + [f"    {line}".rstrip() for line in printed[:cut]] + (["    ..."] if "..." in shown else [])
            after = output.stop
    if write:
        pathlib.Path(page).write_text("\n".join(new + lines[after:]))
        return 0
    print("\n".join(wrong) or f"{page}: {len(found)} commands, all print what the page shows")
    return bool(wrong) or not found


if __name__ == "__main__":
    sys.exit(main())
