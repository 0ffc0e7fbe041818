#!/bin/sh
# evaluate: diagnostic measures, another prevalence, the verdict on the model's bound, subgroups.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(8); for (i = 1; i <= 4000; i++) { y = rand() < 0.4; site = i % 4 == 0 ? "north" : "south, old"
             print (y ? "yes" : "no") "," rand() + rand() + 0.9 * y + (i > 2000 && site == "north" ? 0.8 : 0) ",\"" site "\"" } }' > rows
{ echo kind,a,site; head -n 2000 rows; } > d.csv
{ echo kind,a,site; tail -n 2000 rows; } > t.csv
neyman train -q --max-fpr 0.1 --label kind --id site d.csv -o m > out
neyman evaluate -q --json m t.csv --by site > by.json
neyman evaluate -q --json m t.csv --prevalence 0.01 --cost-fn 5 > rare.json
neyman evaluate -q --json m d.csv > train.json
neyman evaluate -q --json m t.csv --threshold 1 > other.json
neyman evaluate -q m t.csv --by site > text
grep -q '^Rates by value' text
if neyman evaluate m t.csv --by nothing > out 2> message; then exit 1; fi
grep -q nothing message
# Costs at which a constant decision is as good at the share of positives in the file, and far worse at another.
neyman evaluate -q --json m t.csv --cost-fn 20 > common.json
neyman evaluate -q --json m t.csv --cost-fn 20 --prevalence 0.05 > shifted.json
python3 - <<'PY'
import json, math
by, rare, train, other = (json.load(open(f + ".json")) for f in ("by", "rare", "train", "other"))
tp, fp, tn, fn = (by[k] for k in ("tp", "fp", "tn", "fn"))
close = lambda a, b: abs(a - b) < 1e-9 * (1 + abs(b))
assert close(by["sensitivity"], tp / (tp + fn)) and close(by["specificity"], tn / (tn + fp))
assert close(by["ppv"], tp / (tp + fp)) and close(by["npv"], tn / (tn + fn))
assert close(by["lr_positive"], by["sensitivity"] / (1 - by["specificity"]))
assert close(by["lr_negative"], (1 - by["sensitivity"]) / by["specificity"])
assert close(by["f1"], 2 * tp / (2 * tp + fp + fn))
assert close(by["mcc"], (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
for key in ("lr_positive", "lr_negative", "f1", "mcc"):
    low, high = by[key + "_range"]
    assert low < by[key] < high, key
assert by["range_kind"].startswith("range over the joint 95 % Clopper-Pearson rectangle")
assert by["fpr_verdict"] == "refuted" and by["fpr_bound"] == 0.1, by["fpr_interval"]
assert "fpr_verdict" not in train and "fpr_verdict" not in other
a, b, v = rare["sensitivity"], rare["specificity"], 0.01
assert close(rare["ppv"], v * a / (v * a + (1 - v) * (1 - b))) and rare["ppv_range"][0] < rare["ppv"] < rare["ppv_range"][1]
assert close(rare["cost"], v * (1 - a) * 5 + (1 - v) * (1 - b)) and rare["cost_range"][0] < rare["cost"] < rare["cost_range"][1]
common, shifted = (json.load(open(f + ".json")) for f in ("common", "shifted"))
def saving(o, share):  # of the model over the decision positive for every row, and its standard error
    pos, neg = o["tp"] + o["fn"], o["tn"] + o["fp"]
    p, q = (share, 1 - share) if share else (pos / (pos + neg), neg / (pos + neg))
    mean = -p * 20 * o["fn"] / pos + q * o["tn"] / neg
    return mean, math.sqrt(p * p * 400 * o["fn"] / pos ** 2 + q * q * o["tn"] / neg ** 2)
assert saving(common, None)[0] < 2 * saving(common, None)[1] and saving(shifted, 0.05)[0] > 3 * saving(shifted, 0.05)[1]
constant = lambda o: any("for every row costs no more" in w for w in o.get("warnings", []))
assert constant(common) and not constant(shifted), (common.get("warnings"), shifted.get("warnings"))
north, south = by["by"]
assert north["value"] == "north" and south["value"] == "south, old"
assert north["fpr_exceeds"] is True and south["fpr_exceeds"] is False
assert north["n_pos"] + north["n_neg"] + south["n_pos"] + south["n_neg"] == 2000
PY
