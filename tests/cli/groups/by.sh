#!/bin/sh
# evaluate --by of rows in groups: the rates of each value are means over its groups, computed here from the rows; no flags.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(9); print "patient,site,a,kind"
             for (p = 0; p < 200; p++) { shift = rand(); for (v = 0; v < 1 + p % 4; v++) { y = rand() < 0.4
                 print "p" p "," (p % 3 ? "north" : "south") "," rand() + 0.8 * y + shift "," (y ? "yes" : "no") } } }' > all.csv
head -n 251 all.csv > d.csv
{ head -n 1 all.csv; tail -n +252 all.csv; } > t.csv
neyman train -q --max-fpr 0.2 --label kind --group patient --ignore site d.csv -o m > out
neyman evaluate -q --json m t.csv --by site > by.json
neyman evaluate -q --json m t.csv > whole.json
neyman evaluate -q m t.csv --by site > text
grep -q '^Rates by value' text
neyman predict -q m t.csv --scores --keep site -o rows.csv > out
if neyman evaluate -q m t.csv --prevalence 0.1 > out 2> err; then exit 1; else test $? = 2; fi
grep -q 'leave --prevalence out' err
python3 - <<'PY'
import csv, json
by, whole, rows = json.load(open("by.json")), json.load(open("whole.json")), list(csv.DictReader(open("rows.csv")))
def rate(site, label):
    groups = {}
    for r in rows:
        if r["site"] == site and r["label"] == label:
            groups.setdefault(r["patient"], []).append(r["predicted"] != label)
    return sum(sum(g) / len(g) for g in groups.values()) / len(groups)
assert [b["value"] for b in by["by"]] == ["north", "south"] and by["fpr"] == whole["fpr"]
for b in by["by"]:
    assert b["n_neg"] == sum(r["site"] == b["value"] and r["label"] == "no" for r in rows)
    for key, label in (("fpr", "no"), ("fnr", "yes")):
        assert abs(b[key] - rate(b["value"], label)) < 1e-12, (b, key)
        low, high = b[key + "_interval"]
        assert low <= b[key] <= high
    assert "fpr_exceeds" not in b
assert "by_test" not in by
PY
