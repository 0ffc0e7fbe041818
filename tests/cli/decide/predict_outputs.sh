#!/bin/sh
# predict: lines of one outcome, digits, CSV, TSV and JSON lines, from a file and from a pipe.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(3); for (i = 1; i <= 600; i++) { y = rand() < 0.4
             print (y ? "y\"es" : "no") "," rand() + rand() + 0.9 * y ",r " i } }' | sed 's/y"es/"y""es"/' > rows
{ echo kind,a,key; cat rows; } > d.csv
neyman train -q --reject-cost 0.3 --label kind --positive 'y"es' --id key d.csv -o m > out
neyman predict -q m d.csv --scores > all.tsv
neyman predict -q m d.csv --scores -o all.csv > out
neyman predict -q m d.csv --scores -o all.jsonl > out
neyman predict -q m - --scores --jsonl < d.csv > pipe.jsonl
cmp all.jsonl pipe.jsonl
neyman predict -q m d.csv --scores --only rejected --digits 4 > rejected.tsv
neyman predict -q m d.csv --jsonl --only positive > positive.jsonl
neyman predict -q --json m d.csv --only negative --scores -o negative.tsv > negative.json
neyman train -q --label kind --positive 'y"es' --id key d.csv -o plain > out
if neyman predict plain d.csv --only rejected > out 2> message; then exit 1; else test $? = 2; fi
grep -q 'models that reject' message
python3 - <<'PY'
import csv, json
table = lambda f, d: list(csv.DictReader(open(f), delimiter=d))
tsv, comma = table("all.tsv", "\t"), table("all.csv", ",")
lines = [json.loads(l) for l in open("all.jsonl")]
assert len(tsv) == 600 and tsv == comma and list(lines[0]) == list(tsv[0])
for a, b in zip(tsv, lines):
    assert a["predicted"] == b["predicted"] and float(a["score"]) == b["score"] and a["key"] == b["key"] and a["label"] == b["label"]
some = table("rejected.tsv", "\t")
want = [r for r in tsv if r["predicted"] == "0"]
assert 0 < len(some) == len(want) < 600 and [r["key"] for r in some] == [r["key"] for r in want]
assert all(r["score"] == "%.4g" % float(w["score"]) for r, w in zip(some, want))
positive = [json.loads(l) for l in open("positive.jsonl")]
assert positive and positive == [l for l in lines if l["predicted"] == 'y"es']  # with ids: which rows they are
n = json.load(open("negative.json"))
assert n["n"] == 600 and n["predicted_neg"] == len(table("negative.tsv", "\t"))
PY
