#!/bin/sh
# Numbers in tables read back as the same bits, in the fewest digits that do (as many as Python's repr has).
set -eu
command -v python3 >/dev/null || exit 77
python3 - <<'PY'
import random
random.seed(3)
with open("s.tsv", "w") as out:
    print("label\tscore", file=out)
    values = [0.0, 1.0, -1.0, 0.1, 1e16, 1e17, 99999999999999984.0, 1e-4, 9.9999999999999991e-05, 1e-5, 0.5, 1e22, 1e300,
              5e-324, 2.5, 123456789.125, 1 - 2**-53, 10 - 2**-49, 2.0**53, 2.0**53 + 2, 2.0**60, 0.3, -1e-300]
    values += [random.uniform(-10, 10) for _ in range(3000)]
    values += [round(random.gauss(0, 1), 6) for _ in range(3000)]
    values += [random.uniform(1, 10) * 10.0**random.randrange(-8, 20) for _ in range(3000)]
    values += [random.randrange(10**6) / 2.0**random.randrange(60) for _ in range(3000)]
    for k, v in enumerate(values):
        print(k % 2, repr(v), sep="\t", file=out)
PY
neyman qvalues --from-scores s.tsv --all --with-decoys -q > q.tsv
neyman evaluate --from-scores s.tsv --curve roc > roc.tsv
python3 - <<'PY'
rows = [line.split("\t") for line in open("s.tsv").read().splitlines()[1:]]
lines = [line.split("\t") for line in open("q.tsv").read().splitlines()[1:]]
assert len(lines) == len(rows)
def check(text, value):
    assert float(text) == value, (text, value)
    digits = lambda word: len(word.lower().split("e")[0].replace("-", "").replace(".", "").strip("0"))
    assert digits(text) == digits(repr(value)), (text, repr(value))

for row, score, label, q in lines:
    check(score, float(rows[int(row) - 1][1]))
    check(q, float(q))
for line in open("roc.tsv").read().splitlines()[1:]:
    for cell in line.split("\t"):
        check(cell, float(cell))
PY
