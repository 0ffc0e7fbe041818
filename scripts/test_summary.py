#!/usr/bin/env python3
"""test_summary.py [BUILD]: what the last `make test` ran: tests, cases in them, time, by kind."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = re.compile(r"^\d+/\d+ Test(?:ing)?: (\S+)$", re.M)
CASES = re.compile(r"^\[=+\] (?:\S+: )?(\d+) test\(s\) run\.", re.M)
SECONDS = re.compile(r"^Test time = +([0-9.]+) sec$", re.M)


def main():
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    log = (build / "Testing/Temporary/LastTest.log").read_text(errors="replace")
    parts = HEAD.split(log)
    seen = set()
    kinds = collections.defaultdict(lambda: [0, 0, 0.0])
    for name, text in zip(parts[1::2], parts[2::2]):
        words = name.split(".")
        kind = ".".join(words[:2] if words[0] in ("asan", "release", "tsan", "cov") else words[:1])
        row = kinds[kind]
        if name not in seen: # the log names a test where it starts and again where it ends
            seen.add(name)
            row[0] += 1
        row[1] += sum(map(int, CASES.findall(text)))
        row[2] += sum(map(float, SECONDS.findall(text)))
    print(f"{'kind':18}{'tests':>7}{'cases':>8}{'seconds':>10}")
    for kind, (tests, cases, seconds) in sorted(kinds.items()):
        print(f"{kind:18}{tests:7}{cases or tests:8}{seconds:10.1f}")
    total = [sum(column) for column in zip(*((t, c or t, s) for t, c, s in kinds.values()))]
    print(f"{'all':18}{total[0]:7}{total[1]:8}{total[2]:10.1f}")


if __name__ == "__main__":
    main()
