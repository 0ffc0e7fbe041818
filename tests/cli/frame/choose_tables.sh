#!/bin/sh
# The tables of doc/choose.md that say which goals families and methods serve, against what train accepts.
set -eu
command -v python3 > /dev/null || exit 77
python3 - "$NEY_SOURCE/doc/choose.md" << 'END'
import random, re, subprocess, sys

draw = random.Random(1)
with open("rows.svm", "w") as out:
    for i in range(160):
        y = 1 if i % 2 else -1
        out.write(f"{y:+d} 1:{draw.gauss(y, 1):.4f} 2:{draw.gauss(0, 1):.4f}\n")

GOALS = {"costs": "--cost-fn 2", "one rate": "--max-fpr 0.2", "both rates": "--max-fpr 0.3 --max-fnr 0.3", "costs with rejection": "--cost-fn 2 --reject-cost 0.3",
         "FDR": "--max-fdr 0.2 --no-compete"}
FAMILIES = {"linear": "", "kernel": "--kernel rbf", "random features": "--features 8", "network": "--network 2", "trees": "--trees 3"}
SHORT = {"rejection": "costs with rejection"}

def serves(goal, options):
    command = ["neyman", "train", "-q", *GOALS[goal].split(), *options.split(), "rows.svm", "-o", "model", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2 and "libxgboost" in done.stderr and "not" in done.stderr:
        return None
    assert done.returncode in (0, 2, 5), (command, done.stderr)
    return done.returncode != 2

page = open(sys.argv[1]).read()
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.split("\n") if line.startswith("|")]
wrong = []

head = next(k for k, row in enumerate(rows) if row[0] == "goal" and row[1] == "linear")
names = rows[head][1:]
table = {row[0]: row[1:] for row in rows[head + 2:head + 2 + len(GOALS)]}
assert sorted(table) == sorted(GOALS) and sorted(names) == sorted(FAMILIES), (table, names)
for goal, cells in table.items():
    for family, cell in zip(names, cells):
        found = serves(goal, FAMILIES[family])
        if found is not None and (cell == "yes") != found:
            wrong.append(f"{goal}, {family}: the page says '{cell}', train {'accepts' if found else 'refuses'} it")

methods = {row[0].strip("`"): row[1] for row in rows if re.fullmatch(r"`[a-z]+`", row[0]) and len(row) == 4}
choices = re.search(r"--method METHOD.*?\(one of (.*?);", " ".join(subprocess.run(["neyman", "help", "train", "--all"], capture_output=True, text=True).stdout.split()))
assert sorted([*methods, "auto"]) == sorted(choices[1].split()), (methods, choices[1])
for method, said in methods.items():
    named = set(GOALS) if said == "all" else {SHORT.get(g.strip(), g.strip()) for g in said.split(",")}
    family = "--trees 3" if method in ("boosting", "lagrangian") else ""
    for goal in GOALS:
        found = serves(goal, f"--method {method} {family}")
        if found is not None and (goal in named) != found:
            wrong.append(f"{method}: the page says '{said}', train {'accepts' if found else 'refuses'} {goal}")
if wrong:
    sys.exit("\n".join(wrong))
END
