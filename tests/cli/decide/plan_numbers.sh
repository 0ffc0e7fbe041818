#!/bin/sh
# What certification needs and costs: the textbook number of rows, losses that decrease with more of
# them, and the best hold-out share.
set -eu
command -v python3 >/dev/null || exit 77
neyman plan --max-fpr 0.05 --json > p.json
neyman plan --max-fnr 0.05 --confidence 0.95 --json > fnr.json
neyman plan --max-fpr 0.01 --confidence 0.99 --power 0.7 --negatives 5000 --train-loss 0.02 --json > share.json
neyman plan --max-fpr 0.05 > table
grep -q '^  fewest rows that certify *59$' table
grep -q 'expected detection rate' table
python3 - <<'PY'
import json
o, fnr = json.load(open("p.json")), json.load(open("fnr.json"))
assert o["needed"] == 59 and o["power"] == 0.9 and o["delta"] == 0.05 and o["max_fpr"] == 0.05
assert [p["n"] for p in o["points"]] == [59, 118, 295, 590, 5900]
assert o["rows_of"] == "negatives" and fnr["rows_of"] == "positives"
assert fnr["points"] == o["points"] and fnr["max_fnr"] == 0.05
for p in o["points"]:
    assert abs(p["expected_rate"] - (p["mistakes"] + 1) / (p["n"] + 1)) < 1e-12 < 0.05
    assert p["rank"] + p["mistakes"] == p["n"]
    assert abs(p["loss"] + p["expected_power"] - 0.9) < 1e-12 and p["loss"] > 0
losses = [p["loss"] for p in o["points"]]
assert losses == sorted(losses, reverse=True)
s = json.load(open("share.json"))
assert s["needed"] == 459 <= s["best_holdout"] < 5000 and s["rows"] == 5000
assert abs(s["best_share"] - s["best_holdout"] / 5000) < 1e-12
assert abs(s["training_loss"] - 0.02 * 5000 / (5000 - s["best_holdout"])) < 1e-12
assert abs(s["total_loss"] - s["training_loss"] - s["certification_loss"]) < 1e-12
assert "N / n" in s["training_assumption"]
# the first row of the table of a plan with that many rows needed gives the loss for any number; here
# a coarse look at others, through the multiples that plan prints
for n, loss in [(p["n"], p["loss"]) for p in s["points"] if p["n"] < 5000]:
    assert loss + 0.02 * 5000 / (5000 - n) >= s["total_loss"] - 1e-12, n
PY
status=0; neyman plan --max-fpr 0.05 --negatives 59 > out 2> err || status=$?
test $status -eq 4
grep -q 'at least 60 are needed' err
neyman plan --max-fpr 0.05 --negatives 60 > out
grep -q '^  rows to hold out *59$' out
misused() {
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; exit 1; }
}
misused plan
misused plan --max-fpr 0.1 --max-fnr 0.1
grep -q -- '--confidence 0.974679' err
misused plan --max-fpr 0.1 --power 0.05
misused plan --max-fpr 0.1 --positives 100
misused plan --max-fpr 0.1 stray
misused plan --max-fpr 0.1 --confidence 1
