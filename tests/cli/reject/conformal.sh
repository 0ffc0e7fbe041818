#!/bin/sh
# Conformal p-values: computed from held-out rows, written by predict, summarised by evaluate.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(9); for (i = 1; i <= 800; i++) { y = i % 4 == 0
             print (y ? "yes" : "no") "," rand() + rand() + 0.5 * y "," rand() } }' > rows
{ echo kind,a,b; head -n 400 rows; } > d.csv
{ echo kind,a,b; tail -n 400 rows; } > t.csv
neyman train -q --json --conformal --reject-cost 0.2 --label kind d.csv -o m > held.json
neyman train -q --json --conformal-folds 4 --reject-cost 0.2 --label kind d.csv -o c > cross.json
neyman predict -q m t.csv --conformal --confidence 0.8 > p.tsv
neyman evaluate -q --json m t.csv --conformal --confidence 0.8 > e.json
neyman predict -q --json m t.csv --conformal --confidence 0.8 > p.json
cp m again
neyman train -q --conformal --reject-cost 0.2 --label kind --threads 1 d.csv -o m > out
cmp m again
python3 - <<'PY'
import csv, json
held, cross, e = (json.load(open(f)) for f in ("held.json", "cross.json", "e.json"))
assert (held["calibrated_pos"], held["calibrated_neg"]) == (25, 75)
assert (cross["calibrated_pos"], cross["calibrated_neg"]) == (100, 300)
rows = list(csv.DictReader(open("p.tsv"), delimiter="\t"))
assert list(rows[0]) == ["predicted", "score", "label", "p_pos", "p_neg", "set"]
last = None
for r in sorted(rows, key=lambda r: float(r["score"])):
    pos, neg = float(r["p_pos"]), float(r["p_neg"])
    assert round(pos * 26, 9) % 1 == 0 and round(neg * 76, 9) % 1 == 0 and pos > 0 and neg > 0
    assert last is None or (pos >= last[0] and neg <= last[1])
    last = pos, neg
    assert r["set"] == "{" + ",".join(n for n, p in (("no", neg), ("yes", pos)) if p > 0.2) + "}", r
size = [sum((float(r["p_pos"]) > 0.2) + (float(r["p_neg"]) > 0.2) == k for r in rows) for k in range(3)]
assert [e["sets_of_none"], e["sets_of_one"], e["sets_of_both"]] == [s / 400 for s in size]
for label, key, p in (("yes", "coverage_pos", "p_pos"), ("no", "coverage_neg", "p_neg")):
    own = [float(r[p]) > 0.2 for r in rows if r["label"] == label]
    assert e[key] == sum(own) / len(own) and e[key + "_interval"][0] < 0.9 and e[key] > 0.6
p = json.load(open("p.json"))
assert p["set"] == [r["set"] for r in rows] and p["p_pos"] == [float(r["p_pos"]) for r in rows]
PY
neyman train -q --reject-cost 0.2 --label kind d.csv -o plain > out
status=0; neyman predict plain t.csv --conformal > out 2> err || status=$?
test $status -eq 2; grep -q 'train it with --conformal' err
status=0; neyman evaluate plain t.csv --conformal > out 2> err || status=$?
test $status -eq 2
# a calibration that was tampered with is refused
sed 's/^calibration 75 25$/calibration 750 25/' m > bad
status=0; neyman predict bad t.csv > out 2> err || status=$?
test $status -eq 3
