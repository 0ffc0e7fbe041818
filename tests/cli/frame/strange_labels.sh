#!/bin/sh
# Labels with a tab, a quote or the end of a line are quoted, and are read back unchanged.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import csv
with open("d.csv", "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(["a", "kind"])
    for i in range(40):
        out.writerow([i, 'a\t"b"' if i < 20 else "plain"])
PY
neyman train d.csv --label kind -o m -q > out
neyman predict m d.csv --scores -o s.tsv > out
python3 - <<'PY'
import csv
rows = list(csv.DictReader(open("s.tsv", newline=""), delimiter="\t"))
assert len(rows) == 40, len(rows)
assert {r["label"] for r in rows} == {'a\t"b"', "plain"}, rows[0]
assert {r["predicted"] for r in rows} <= {'a\t"b"', "plain"}, rows[0]
PY
neyman evaluate --from-scores s.tsv --positive plain > out
grep -q '^  rows  *40' out
neyman qvalues --from-scores s.tsv --positive plain --all --with-decoys -o q.tsv > out
test "$(wc -l < q.tsv)" -eq 41
awk -F '\t' 'NF != 4 && !/"a/ { exit 1 }' q.tsv
