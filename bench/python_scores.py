#!/usr/bin/env python3
"""Certified thresholds and ROC curves of the Python package against scikit-learn's roc_curve, on 10^7 scores.

    python3 bench/python_scores.py [ROWS]

The time of the fastest of three runs, alternating; labels are integers, scores doubles in random order.
"""

import sys
import time

import numpy as np
import sklearn
from sklearn.metrics import roc_curve

import neyman

N = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
SCORES = RNG.normal(size=N) + Y
ASCENDING = np.sort(SCORES)

CASES = {
    "scikit-learn: roc_curve": lambda: roc_curve(Y, SCORES),
    "neyman: certify, max_fpr 0.01": lambda: neyman.certify(Y, SCORES, 0.01),
    "neyman: certify, max_fpr 0.3": lambda: neyman.certify(Y, SCORES, 0.3),
    "neyman: certify, max_fpr 0.01, scores ascending": lambda: neyman.certify(Y, ASCENDING, 0.01),
    "neyman: certify, both rates 0.01": lambda: neyman.certify(Y, SCORES, 0.01, max_fnr=0.01),
    "neyman: roc, with the area and its interval": lambda: neyman.roc(Y, SCORES),
}


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


best = {name: float("inf") for name in CASES}
for _ in range(3):
    for name, function in CASES.items():
        best[name] = min(best[name], seconds(function))
base = best["scikit-learn: roc_curve"]
print(f"{N} rows, scikit-learn {sklearn.__version__}, NumPy {np.__version__}\n\n| | seconds | roc_curve takes |\n|---|---|---|")
for name, time_taken in best.items():
    print(f"| {name} | {time_taken:.3f} | {base / time_taken:.1f} times as long |")
