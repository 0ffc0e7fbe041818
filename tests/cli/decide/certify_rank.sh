#!/bin/sh
# The certified threshold is the one that exact rational arithmetic finds: of 700 negatives with many
# ties, the next number above the order statistic of the binomial sum; the bound is where the sum
# reaches delta, and the rates are those of the rows.
set -eu
command -v python3 >/dev/null || exit 77
awk 'BEGIN { srand(11); print "id,score,label"
             for (i = 1; i <= 1000; i++) { y = i % 10 < 3 ? "bad" : "good"
                 printf "%d,%g,%s\n", i, int(40 * rand() + (y == "bad") * 15) / 8, y } }' > s.csv
for kind in fpr fnr; do
    neyman certify s.csv --positive bad --max-$kind 0.04 --confidence 0.9 --json > $kind.json 2> err
    grep -q 'positive: bad, negative: good' err
done
neyman certify s.csv --positive bad --max-fpr 0.04 --confidence 0.9 > table 2> err
grep -q '^  measured on *calibration rows$' table
grep -q '^  certified *yes$' table
python3 - <<'PY'
import json, math
from fractions import Fraction as F

rows = [line.split(",") for line in open("s.csv").read().split()[1:]]
for kind, label in ("fpr", "good"), ("fnr", "bad"):
    o = json.load(open(kind + ".json"))
    side = 1 if kind == "fpr" else -1
    own = sorted(side * float(s) for _, s, y in rows if y == label)
    n, alpha, delta = len(own), F(4, 100), F(1, 10)
    tail = lambda r, a: sum(math.comb(n, j) * a**j * (1 - a)**(n - j) for j in range(r + 1))
    allowed = next(r for r in range(n) if tail(r + 1, alpha) > delta)  # it rises with r
    t = own[n - allowed - 1]
    want = math.nextafter(t, math.inf) if kind == "fpr" else -t
    assert o["threshold"] == want, (kind, o["threshold"], want)
    assert o["rank"] == (n - allowed if kind == "fpr" else allowed + 1), o["rank"]
    assert o["misclassified"] == sum(s > t for s in own) <= allowed
    assert abs(float(tail(allowed, F(o["bound"]))) - 0.1) < 1e-9 and o["bound"] <= 0.04
    assert o["goal"] == "np" and o["certified"] is True and o["max_" + kind] == 0.04
    assert o["confidence"] == 0.9 and o["delta"] == 0.1 == o["delta_share"]
    assert (o["n"], o["n_pos"], o["n_neg"]) == (1000, 300, 700)
    assert len(o["calibration_hash"]) == 16 and int(o["calibration_hash"], 16) >= 0
    pos = [float(s) for _, s, y in rows if y == "bad"]
    neg = [float(s) for _, s, y in rows if y == "good"]
    assert o["fpr"] == sum(s >= want for s in neg) / 700 and o["fnr"] == sum(s < want for s in pos) / 300
    assert o["tpr"] == sum(s >= want for s in pos) / 300 and o["reject_rate"] == 0
    fitted = ("fpr",) if kind == "fpr" else ("fnr", "tpr")  # of the rows that set the threshold
    for rate in ("fpr", "fnr", "tpr"):
        if rate in fitted:
            assert o[rate + "_interval"] is None, rate
        else:
            low, high = o[rate + "_interval"]
            assert low <= o[rate] <= high
    name, flagged = ("negatives ('good')", "flagged as positive") if kind == "fpr" else ("positives ('bad')", "classified as negative")
    assert o["guarantee"].startswith(f"At most 4 % of {name} are {flagged}, with 90 % confidence ("), o["guarantee"]
PY
