#!/bin/sh
# cv: the intervals cover the true rates as often as they say, where the truth is known.
#
# x in {0, 1} with P(x = 1 | positive) = 0.8, P(x = 1 | negative) = 0.2: whatever rows a model sees, it
# flags x = 1, so that FPR, FNR and error rate are 0.2. And x normal around +1 or -1: models differ, and
# their error rate is 0.1587 at the best threshold and at most 0.002 more at the thresholds that 240 rows
# give, a twentieth of the interval.
# With n intervals of 95 % the misses are binomial at most: too many have a probability below 1e-5.
set -eu
command -v python3 > /dev/null || exit 77
PYTHONPATH=$NEY_SOURCE/tests/support python3 -B - "$(command -v neyman)" "${NEY_TEST_SHARE:-1}" "${NEY_TEST_MULT:-1}" <<'PY'
import json, random, subprocess, sys
from binomial import most_misses
program, share, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
runs = max(60 * times // share, 15)
draw = random.Random(7)

def rates(value):
    rows = []
    for _ in range(300):
        y = draw.random() < 0.5
        rows.append(f"{int(y)},{value(y)}\n")
    text = "y,x\n" + "".join(rows)
    got = subprocess.run([program, "cv", "-q", "--json", "--label", "y", "--folds", "5", "--threads", "1", "-"],
                         input=text, capture_output=True, text=True, check=True)
    return json.loads(got.stdout)

two = lambda y: int(draw.random() < (0.8 if y else 0.2))
normal = lambda y: round(draw.gauss(1 if y else -1, 1), 4)
checks = [(two, {"fpr": 0.2, "fnr": 0.2, "error_rate": 0.2}), (normal, {"error_rate": 0.1587})]
for value, truth in checks:
    misses = dict.fromkeys(truth, 0)
    width = 0
    for _ in range(runs):
        found = rates(value)
        for key, p in truth.items():
            low, high = found[key + "_interval"]
            misses[key] += not low <= p <= high
            width = max(width, high - low)
    print(f"{runs} runs, missed: {misses}")
    assert all(m <= most_misses(runs) for m in misses.values())
    assert 0.02 < width < 0.25
PY
