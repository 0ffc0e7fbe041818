#!/bin/sh
# predict --explain: of a linear model the contributions of all columns and the intercept are the
# score; of another family each is the change of the score when the column is set to its mean; the
# largest come first, in text, JSON and JSON lines; words are one column.
set -eu
awk 'BEGIN { srand(9); print "class,a,b,town"; for (i = 0; i < 300; i++) { y = i % 2
    print y "," rand() * 2 + y "," rand() * 2 - y "," (rand() < 0.5 + 0.2 * y ? "x" : "y") } }' > d.csv
neyman train -q --label class d.csv -o m > out
neyman train -q --label class --kernel rbf --ignore town d.csv -o k > out
neyman predict m d.csv --explain 3 > all.tsv
neyman predict m d.csv --explain 1 > one.tsv
neyman predict m d.csv --explain 3 --json > all.json
neyman predict m d.csv --explain 3 --jsonl > all.jsonl
neyman predict k d.csv --explain 2 > k.tsv
neyman export m --format json > m.json
neyman export k --format json > k.json
command -v python3 > found || exit 77
python3 - << 'EOF'
import json, math
def rows(name):
    lines = [line.rstrip("\n").split("\t") for line in open(name)]
    return [dict(zip(lines[0], line)) for line in lines[1:]]
def parts(text):
    return {p.rsplit(" ", 1)[0]: float(p.rsplit(" ", 1)[1]) for p in text.split("; ")}
intercept = json.load(open("m.json"))["intercept"]
all_rows, one = rows("all.tsv"), rows("one.tsv")
for r, o in zip(all_rows, one):
    p = parts(r["explanation"])
    assert set(p) == {"a", "b", "town"}, p
    assert abs(sum(p.values()) + intercept - float(r["score"])) < 2e-3, r
    sizes = [abs(v) for v in p.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert parts(o["explanation"]) == dict(list(p.items())[:1])
assert json.load(open("all.json"))["explanation"] == [r["explanation"] for r in all_rows]
assert [json.loads(line)["explanation"] for line in open("all.jsonl")] == [r["explanation"] for r in all_rows]
# rbf: by hand, from the exported numbers
k = json.load(open("k.json"))
table = [line.strip().split(",") for line in open("d.csv")][1:]
def score(z):
    total = k["intercept"]
    for s in k["support"]:
        v = [0.0, 0.0]
        for c, x in zip(s["columns"], s["values"]):
            v[c - 1] = x
        total += s["coefficient"] * math.exp(-k["gamma"] * sum((x - y) ** 2 for x, y in zip(z, v)))
    return total
scale = [(f["offset"], f["factor"]) for f in k["features"]]
for cells, r in list(zip(table, rows("k.tsv")))[:20]:
    z = [(float(c) - o) * f for c, (o, f) in zip(cells[1:3], scale)]
    p = parts(r["explanation"])
    assert set(p) == {"a", "b"}
    for name, zero in (("a", [0, z[1]]), ("b", [z[0], 0])):
        assert abs(p[name] - (score(z) - score(zero))) < 1e-3 * max(1, abs(p[name])), (p, name)
EOF
