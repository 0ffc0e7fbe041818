#!/bin/sh
# Both rates at once: either certificate is the one-sided one at the confidence's square root, rows
# between the thresholds are rejected, and thresholds that would cross become one.
set -eu
command -v python3 >/dev/null || exit 77
awk 'BEGIN { srand(5); for (i = 1; i <= 4000; i++) { y = i % 2; s = 0
             for (k = 0; k < 6; k++) s += rand(); printf "%d\t%.9g\n", y, s + y } }' > near.tsv
awk 'BEGIN { srand(6); for (i = 1; i <= 4000; i++) { y = i % 2; printf "%d\t%.9g\n", y, rand() + 3 * y } }' > far.tsv
for f in near far; do
    neyman certify $f.tsv --max-fpr 0.05 --max-fnr 0.02 --confidence 0.95 --json -q > $f.json
    neyman certify $f.tsv --max-fpr 0.05 --max-fnr 0.02 -q > $f.table
    neyman certify $f.tsv --max-fpr 0.05 --confidence 0.97467943448089633 --json -q > $f.fpr.json
    neyman certify $f.tsv --max-fnr 0.02 --confidence 0.97467943448089633 --json -q > $f.fnr.json
done
python3 - <<'PY'
import json
for f in "near", "far":
    both, fpr, fnr = (json.load(open(f + end)) for end in (".json", ".fpr.json", ".fnr.json"))
    assert both["goal"] == "two-sided" and both["delta"] == 0.05
    assert abs((1 - both["delta_share"])**2 - 0.95) < 1e-12
    a, b = both["certificates"]
    assert (a["rate"], b["rate"]) == ("fpr", "fnr")
    for got, want in (a, fpr), (b, fnr):
        for key in "rank misclassified threshold calibration_hash".split():
            assert got[key] == want[key], (f, key, got[key], want[key])
    low, high = both["threshold_low"], both["threshold_high"]
    if f == "near":
        assert low == fnr["threshold"] < high == fpr["threshold"]
    else:
        assert fnr["threshold"] > fpr["threshold"] and low == high == fpr["threshold"]
    rows = [line.split() for line in open(f + ".tsv")]
    between = sum(low <= float(s) < high for _, s in rows)
    assert both["reject_rate"] == between / 4000
    assert both["fpr"] == sum(y == "0" and float(s) >= high for y, s in rows) / 2000
    assert both["fnr"] == sum(y == "1" and float(s) < low for y, s in rows) / 2000
    assert both["tpr"] == sum(y == "1" and float(s) >= high for y, s in rows) / 2000
PY
