#!/bin/sh
# Of trees, --explain adds up: all contributions of a row are its score minus one number, the same for
# all rows; a column that no split uses is not named. Gains are shares, and the column that decides has
# the largest.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(5)
with open("d.csv", "w") as f:
    f.write("a,b,kind,constant,y\n")
    for i in range(500):
        y = random.random() < 0.4
        a = "" if random.random() < 0.1 else round(random.gauss(2.5 * y, 1), 3)
        f.write(f"{a},{round(random.gauss(0.5 * y, 1), 3)},{random.choice('uvv' if y else 'uuv')},1,{'yes' if y else 'no'}\n")
PY
if ! neyman train -q --trees 12 --depth 3 --label y d.csv -o m > /dev/null 2> err; then
    grep -q "needs libxgboost" err && exit 77
    cat err
    exit 1
fi
neyman predict -q m d.csv --explain 9 -o e.tsv
neyman predict -q m d.csv --explain 1 --threads 1 -o one.tsv
neyman info --json m --importance d.csv > i.json
neyman info m --importance d.csv > text
grep -q gain text
python3 - <<'PY'
import csv, json
rows = list(csv.DictReader(open("e.tsv"), delimiter="\t"))
one = list(csv.DictReader(open("one.tsv"), delimiter="\t"))
rest = []
for r, o in zip(rows, one):
    parts = {p.rsplit(" ", 1)[0]: float(p.rsplit(" ", 1)[1]) for p in r["explanation"].split("; ")}
    assert set(parts) <= {"a", "b", "kind"}, parts
    sizes = [abs(v) for v in parts.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert r["explanation"].startswith(o["explanation"])
    rest.append(float(r["score"]) - sum(parts.values()))
assert max(rest) - min(rest) < 5e-3, (min(rest), max(rest))  # four digits are printed
columns = {c["name"]: c["gain_share"] for c in json.load(open("i.json"))["importance"]["columns"]}
assert abs(sum(columns.values()) - 1) < 1e-9 and max(columns, key=columns.get) == "a" and columns["constant"] == 0, columns
PY
