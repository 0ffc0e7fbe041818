#!/bin/sh
# evaluate --from-scores --by: the rates of each value of a column of the score file, counted here from the rows, and those of the
# model's rows; groups, a pipe, and what is refused.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(5); print "label,score,site,patient"
             for (i = 0; i < 400; i++) { y = rand() < 0.5; print (y ? "ill" : "well") "," rand() + 0.7 * y "," \
                 (i % 3 ? "north" : "south, \"old\"") "," int(i / 2) } }' |
    sed 's/south, "old"/"south, ""old"""/' > s.csv
neyman evaluate -q --json --from-scores s.csv --positive ill --threshold 0.8 --by site > by.json
neyman evaluate -q --json --from-scores s.csv --positive ill --threshold 0.8 --by site --group patient > grouped.json
neyman evaluate -q --from-scores s.csv --positive ill --threshold 0.8 --by site | grep -q '^Rates by value'
neyman evaluate -q --json --from-scores - --positive ill --threshold 0.8 --by site < s.csv > pipe.json
python3 - <<'PY'
import csv, json
rows = list(csv.DictReader(open("s.csv")))
by, grouped, pipe = (json.load(open(f + ".json")) for f in ("by", "grouped", "pipe"))
assert by["by"] == pipe["by"] and "by_test" not in by
assert [b["value"] for b in by["by"]] == ["north", 'south, "old"'] == [b["value"] for b in grouped["by"]]
for b, g in zip(by["by"], grouped["by"]):
    own = [(r["label"] == "ill", float(r["score"]) >= 0.8, r["patient"]) for r in rows if r["site"] == b["value"]]
    for key, positive in (("fpr", False), ("fnr", True)):
        wrong = [(p != positive, unit) for y, p, unit in own if y == positive]
        assert b["n_pos" if positive else "n_neg"] == len(wrong)
        assert abs(b[key] - sum(w for w, _ in wrong) / len(wrong)) < 1e-12, (b, key)
        units = {}
        for w, unit in wrong:
            units.setdefault(unit, []).append(w)
        assert abs(g[key] - sum(sum(u) / len(u) for u in units.values()) / len(units)) < 1e-12, (g, key)
PY
# a model's own rows give the same rates as their scores
awk 'BEGIN { srand(6); print "x,site,y"
             for (i = 0; i < 300; i++) { y = rand() < 0.5; print rand() + 0.5 * y "," i % 4 "," y } }' > d.csv
neyman train -q --ignore site --label y d.csv -o m > out
neyman predict -q m d.csv --scores --keep site -o rows.csv > out
neyman evaluate -q --json m d.csv --by site > model.json
neyman evaluate -q --json --from-scores rows.csv --by site > file.json
python3 -c 'import json
a, b = (json.load(open(f))["by"] for f in ("model.json", "file.json"))
assert a == b and len(a) == 4, (a, b)'
# refused: no such column, too many values
if neyman evaluate -q --from-scores s.csv --positive ill --by ward > out 2> message; then exit 1; else test $? = 3; fi
grep -q "names no column 'ward'" message
{ echo label,score,id; seq 1 1100 | awk '{ print $1 % 2 "," $1 "," $1 }'; } > many.csv
if neyman evaluate -q --from-scores many.csv --by id > out 2> message; then exit 1; fi
grep -q 'more than 1000 values' message
if neyman evaluate -q --from-scores s.csv --positive ill --by site --curve roc > out 2> message; then exit 1; else test $? = 2; fi
