#!/bin/sh
# Probabilities: rows held out for them, disjoint from those of a certificate; groups as a whole; refused without such rows.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(4); for (i = 1; i <= 3000; i++) { y = rand() < 0.3
             print (y ? "yes" : "no") "," rand() + rand() + 0.7 * y "," rand() "," int(i / 3) } }' > rows
{ echo kind,a,b,who; head -n 1500 rows; } > d.csv
{ echo kind,a,b,who; tail -n 1500 rows; } > t.csv
neyman train -q --json --calibrate 0.3 --max-fpr 0.1 --label kind --ignore who d.csv -o m > train.json
neyman train -q --json --calibrate-folds 3 --label kind --ignore who d.csv -o folds > folds.json
neyman train -q --json --calibrate 0.3 --group who --label kind d.csv -o groups > groups.json
neyman train -q --json --calibrate 0.3 --max-fpr 0.1 --network 2 --epochs 2 --label kind --ignore who d.csv -o net > net.json
neyman train -q --label kind --ignore who d.csv -o plain > out
neyman predict -q m t.csv --probability > va.tsv
neyman predict -q m t.csv --probability --calibration isotonic > iso.tsv
neyman predict -q m t.csv --probability --calibration platt > platt.tsv
neyman predict -q --json m t.csv --probability > p.json
neyman predict -q net t.csv --probability > net.tsv
neyman evaluate -q --json m t.csv > e.json
cp m again
neyman train -q --calibrate 0.3 --max-fpr 0.1 --label kind --ignore who --threads 1 d.csv -o m > out
cmp m again
if neyman predict plain t.csv --probability > out 2> message; then exit 1; else test $? = 2; fi
grep -q -e '--calibrate' message
if neyman train --calibrate 0.9999 --label kind d.csv -o x > out 2> message; then exit 1; else test $? = 4; fi
if neyman train --calibrate 0.2 --calibrate-folds 3 --label kind d.csv -o x > out 2> message; then exit 1; else test $? = 2; fi
test ! -e x
python3 - <<'PY'
import csv, json, math
load = lambda f: json.load(open(f))
table = lambda f: list(csv.DictReader(open(f), delimiter="\t"))
train, folds, groups, net, e = map(load, ("train.json", "folds.json", "groups.json", "net.json", "e.json"))
assert train["probability_pos"] + train["probability_neg"] == 450
assert train["learned_from"] == 1500 - 450 - train["held_out"], train
assert train["probability_statement"].startswith("for new rows from the same distribution, one of p_low and p_high")
assert folds["probability_pos"] + folds["probability_neg"] == 1500 and folds["probability_statement"].startswith("estimates")
assert groups["probability_statement"].startswith("estimates") and (groups["probability_pos"] + groups["probability_neg"]) % 3 in (0, 1, 2)
assert net["probability_pos"] + net["probability_neg"] == 450
va, iso, platt = map(table, ("va.tsv", "iso.tsv", "platt.tsv"))
p = load("p.json")
for k, r in enumerate(va):
    low, high, at = (float(r[c]) for c in ("p_low", "p_high", "probability"))
    assert 0 <= low <= at <= high <= 1 and abs(at - high / (1 - low + high)) < 1e-12
    assert (p["p_low"][k], p["p_high"][k], p["probability"][k]) == (low, high, at)
for rows in (va, iso, platt):
    rows.sort(key=lambda r: float(r["score"]))
    values = [float(r["probability"]) for r in rows]
    assert all(b >= a - 1e-15 for a, b in zip(values, values[1:]))
# by the test rows: the means of p_low and p_high on either side of the frequency, within what 1500 rows allow
y = [r["label"] == "yes" for r in va]
mean = lambda v: sum(v) / len(v)
slack = 4.5 * math.sqrt(0.25 / len(y))
assert mean([float(r["p_low"]) for r in va]) - slack < mean(y) < mean([float(r["p_high"]) for r in va]) + slack
values = [float(r["probability"]) for r in va]
assert abs(e["brier"] - mean([(v - t) ** 2 for v, t in zip(values, y)])) < 1e-9
assert abs(e["log_loss"] + mean([math.log(v if t else 1 - v) for v, t in zip(values, y)])) < 1e-9
assert sum(b["rows"] for b in e["reliability"]) == 1500
PY
