#!/usr/bin/env python3
"""The worked examples of CONTRIBUTING.md: a method and a goal that are added by one file and one row each.

worked_examples.py write ROOT FOLDER    write the files of the examples and the two tables with their rows
worked_examples.py run PROGRAM          check that a program built with them has the method and the goal"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

FILES = ["learn/baseline/centroid.c", "learn/batch/budget.c"]
TABLES = {"learn/method.h": "NEY_METHODS(X)", "learn/goal.h": "NEY_GOALS(GOAL, OPTION)"}


def code_blocks(page):
    """The indented blocks of a page, each with the text line before it."""
    for match in re.finditer(r"^(\S.*)\n\n((?:    .*\n|\n)+)", page, flags=re.M):
        yield match.group(1), re.sub(r"^    ", "", match.group(2), flags=re.M).rstrip() + "\n"


def with_row(header, macro, row):
    """A header whose X-macro has one row more, at its end."""
    begin = header.index("#define " + macro)
    end = re.compile(r"[^\\]\n").search(header, begin).start() + 1
    return header[:end] + " \\\n    " + row.strip() + header[end:]


def write(root, folder):
    page = (root / "CONTRIBUTING.md").read_text()
    blocks = list(code_blocks(page))
    for name in FILES:
        found = [code for before, code in blocks if f"`src/{name}`:" in before]
        if len(found) != 1:
            sys.exit(f"CONTRIBUTING.md: {len(found)} blocks for src/{name}, expected 1")
        path = folder / pathlib.Path(name).name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found[0])
    for name, macro in TABLES.items():
        rows = [code for before, code in blocks if f"row at the end of `{macro.split('(')[0]}`:" in before]
        if len(rows) != 1 or rows[0].count("\n") != 1:
            sys.exit(f"CONTRIBUTING.md: expected one row of {macro}, found {rows}")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = with_row((root / "src" / name).read_text(), macro, rows[0])
        if name == "learn/method.h":  # "its name among the extern learners"
            text = text.replace("extern const ney_learner ", "extern const ney_learner ney_learner_centroid, ", 1)
        path.write_text(text)


def rows_of_two_classes(n):
    state, lines = 7, ["label,a,b"]
    for i in range(n):
        state = (state * 1103515245 + 12345) % 2**31
        positive = i % 3 == 0
        lines.append(f"{int(positive)},{state % 1000 / 1000 + 0.6 * positive:.3f},{state // 1000 % 1000 / 1000:.3f}")
    return "\n".join(lines) + "\n"


def run(program):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "rows.csv").write_text(rows_of_two_classes(600))

        def call(*words, code=0):
            done = subprocess.run([program, *words], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  check=False)
            if done.returncode != code:
                sys.exit(f"{' '.join(words)}: exit {done.returncode}, expected {code}\n{done.stderr}")
            return done.stdout + (done.stderr if code else "")

        def expect(condition, what):
            if not condition:
                sys.exit(f"worked examples: {what}")

        # the method: certified, compared, described
        found = json.loads(call("train", "rows.csv", "--max-fpr", "0.1", "--method", "centroid", "-o", "m", "--json"))
        expect(found["method"] == "centroid" and found["certified"] and found["bound"] <= 0.1, "centroid certifies its threshold")
        compared = call("compare", "rows.csv", "--max-fpr", "0.2", "--folds", "2", "--json")
        expect('"centroid"' in compared, "compare includes centroid")
        expect("--eta applies to" in call("train", "rows.csv", "--max-fpr", "0.1", "--method", "centroid", "--eta", "2",
                                          "-o", "m", code=2), "centroid refuses --eta")

        # the goal: its option acts, excludes other goals, is bounded and described
        found = json.loads(call("train", "rows.csv", "--max-alerts", "0.1", "-o", "m", "--json"))
        expect(found["goal"] == "budget", f"the goal is {found['goal']}")
        flagged = call("predict", "m", "rows.csv").split().count("1")
        expect(0 < flagged <= 60, f"{flagged} of 600 rows are classified as positive, expected at most 60")
        tuned = json.loads(call("tune", "rows.csv", "--max-alerts", "0.1", "--folds", "2", "--grid", "C=0.1,1", "-o", "m",
                                "--json"))
        expect(tuned["goal"] == "budget", "tune has the goal")
        expect("max_alerts" in call("info", "m", "--json"), "the model has its bound")
        expect("--max-fpr and --max-alerts exclude each other" in
               call("train", "rows.csv", "--max-alerts", "0.1", "--max-fpr", "0.1", "-o", "m", code=2),
               "the goal excludes --max-fpr")
        expect("max-alerts" in call("train", "rows.csv", "--max-alerts", "2", "-o", "m", code=2), "its bounds are checked")
        expect("--method uzawa applies to" in
               call("train", "rows.csv", "--max-alerts", "0.1", "--method", "uzawa", "-o", "m", code=2),
               "a method without a learner for it is refused")
        expect("--max-alerts SHARE" in call("help", "train", "--all"), "help has its option")
        plain = json.loads(call("train", "rows.csv", "-o", "m", "--json"))
        expect(plain["goal"] == "cost", "without its option the goal is that of costs")
    print("worked examples: the method and the goal work")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    else:
        run(str(pathlib.Path(sys.argv[2]).resolve()))
