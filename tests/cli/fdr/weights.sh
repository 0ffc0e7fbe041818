#!/bin/sh
# A weights file in Percolator's layout: raw weights give the scores of the folds, normalised ones those of scaled
# features; the file is read as a model, the mean of its folds; what is wrong in it is refused with its place.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(5)
with open("d.pin", "w") as f:
    f.write("SpecId\tLabel\tScanNr\ta\tb\tPeptide\tProteins\n")
    for i in range(900):
        for y in (1, -1):
            up = 2.5 * (y > 0 and i % 2)
            f.write(f"s{i}\t{y}\t{i}\t{random.gauss(up, 1) * 40 + 300:.3f}\t{random.gauss(up / 2, 1):.4f}\tK.AC{i}K.A\tP{i}\n")
PY
neyman train --max-fdr 0.05 d.pin -o m -q > /dev/null
neyman export m --format percolator -o w.txt -q > /dev/null
neyman export m --format json > m.json
neyman predict w.txt d.pin --scores -q > static.tsv
neyman predict m d.pin --scores -q > folds.tsv
python3 - <<'PY'
import csv, json
lines = [l.rstrip("\n") for l in open("w.txt") if not l.startswith("#")]
assert len(lines) == 9 and lines[0] == lines[3] == lines[6] == "a\tb\tm0", lines[:1]
raw = [[float(x) for x in lines[3 * k + 2].split("\t")] for k in range(3)]
normal = [[float(x) for x in lines[3 * k + 1].split("\t")] for k in range(3)]
rows = [l.split("\t") for l in open("d.pin").read().split("\n")[1:-1]]
score = [[w[0] * float(r[3]) + w[1] * float(r[4]) + w[2] for r in rows] for w in raw]
static = [float(r["score"]) for r in csv.DictReader(open("static.tsv"), delimiter="\t")]
for i, s in enumerate(static):
    assert abs(s - sum(x[i] for x in score) / 3) < 1e-4 * max(1, abs(s)), (i, s)
folds = [float(r["score"]) for r in csv.DictReader(open("folds.tsv"), delimiter="\t")]
near = [min(abs(x[i] - f) for x in score) for i, f in enumerate(folds)]
assert max(near) < 1e-3 * max(map(abs, folds)), max(near)   # each row has the score of one fold
assert all(abs(n[0]) > 10 * abs(r[0]) for n, r in zip(normal, raw))   # column a has a deviation of 40 and more
PY
neyman qvalues w.txt d.pin --json -q -o q.tsv > q.json
python3 - <<'PY'
import json
r = json.load(open("q.json"))
assert r["accepted"] > 100 and r["fdr_control"] == "estimate", r
PY

# Percolator's own comment, and one fold.
(echo '# first line contains normalized weights, second line the raw weights'; printf 'a\tb\tm0\n1\t2\t3\n0.5\t-1\t2\n') > one.txt
neyman predict one.txt d.pin --scores -q | sed -n 2p > first
python3 -c '
r = open("d.pin").read().split("\n")[1].split("\t")
assert abs(float(open("first").read().split("\t")[1]) - (0.5 * float(r[3]) - float(r[4]) + 2)) < 1e-4'

refuse() {
    code=$1; part=$2; shift 2
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq $code || { cat err; exit 1; }
    grep -qF "$part" err || { cat err; exit 1; }
}
printf 'a\tb\tm0\n1\t2\t3\n1\tx\t3\n' > bad.txt
refuse 3 "bad.txt:3: found 'x'" qvalues bad.txt d.pin
printf 'a\tb\tm0\n1\t2\t3\n1\t2\n' > bad.txt
refuse 3 'bad.txt:3: found 2 weights, expected 3' qvalues bad.txt d.pin
printf 'a\tb\tm0\n1\t2\t3\n' > bad.txt
refuse 3 'bad.txt:2: expected a line of normalised' qvalues bad.txt d.pin
printf 'a\tb\tm0\n1\t2\t3\n1\t2\t3\nb\ta\tm0\n1\t2\t3\n1\t2\t3\n' > bad.txt
refuse 3 'bad.txt:4: expected the same names' qvalues bad.txt d.pin
printf 'a\tz\tm0\n1\t2\t3\n1\t2\t3\n' > bad.txt
refuse 3 "there is no column 'z'" qvalues bad.txt d.pin
neyman train --kernel rbf d.pin -o n -q > /dev/null
refuse 2 'is not linear' export n --format percolator
