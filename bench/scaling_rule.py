#!/usr/bin/env python3
"""How the rule of `--scale auto` was chosen: rules per column, compared without any test rows of the shared sets.

usage: bench/scaling_rule.py simulated [N]      N random sets of known distributions
       bench/scaling_rule.py train DATA_FOLDER  4 folds of the training parts (at most 2,000 rows of each)

Prints, for each rule against `standard`: mean FNR, geometric mean over sets of the relative FNR, cases better and worse by more than
.01. A case is a set, a bound (.01, .05, .1) and which class is the negative one; the model is scikit-learn's LinearSVC with hinge loss and C = 1, and
the FNR is that at a threshold with the bound's FPR on the rows of the fold.
"""
import glob
import os
import sys
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

BOUNDS = (.01, .05, .1)
SPARSE = ("rcv1", "w8a")


def median_and_scale(x):
    median = np.median(x)
    low, high = np.percentile(x, [25, 75], method="lower")
    others = np.abs(x[x != median] - median)
    return median, (high - low) / 1.349 if high > low else np.median(others) if len(others) else 1.


def standard(x, new):
    deviation = x.std() or 1
    return (x - x.mean()) / deviation, (new - x.mean()) / deviation


def asinh(x, new):
    median, s = median_and_scale(x)
    return standard(np.arcsinh((x - median) / s), np.arcsinh((np.clip(new, x.min(), x.max()) - median) / s))


def rank(x, new):
    value, count = np.unique(x, return_counts=True)
    middle = (np.cumsum(count) - count / 2) / len(x)
    return standard(np.interp(x, value, middle), np.interp(new, value, middle))


def winsorised(x, new):
    low, high = np.percentile(x, [1, 99])
    return standard(np.clip(x, low, high), np.clip(new, low, high)) if high > low else standard(x, new)


def by_tail(most):
    """asinh where the 0.5 or the 99.5 % quantile is further than `most` robust deviations from the median."""
    def rule(x, new, _):
        median, s = median_and_scale(x)
        low, high = np.percentile(x, [.5, 99.5])
        return (asinh if max(high - median, median - low) / s > most else standard)(x, new)
    return rule


def by_correlation(margin):
    """The map that correlates most with the labels; others than `standard` by `margin` / sqrt(n) more."""
    def rule(x, new, y):
        maps = [f(x, new) for f in (standard, asinh, rank)]
        gain = [0 if a.std() == 0 else abs(np.corrcoef(a, y)[0, 1]) for a, _ in maps]
        gain[1:] = [g - margin / np.sqrt(len(y)) for g in gain[1:]]
        return maps[int(np.argmax(gain))]
    return rule


RULES = {"standard": lambda x, new, _: standard(x, new), "asinh": lambda x, new, _: asinh(x, new),
         "rank": lambda x, new, _: rank(x, new), "winsorised": lambda x, new, _: winsorised(x, new),
         "asinh, tail > 6": by_tail(6), "correlation": by_correlation(0), "correlation, 1/4": by_correlation(.25),
         "correlation, 1/2": by_correlation(.5), "correlation, 1": by_correlation(1)}


def mapped(rule, x, y, new):
    columns = [(rule if len(np.unique(x[:, c])) > 2 else RULES["standard"])(x[:, c], new[:, c], y) for c in range(x.shape[1])]
    return np.column_stack([a for a, _ in columns]), np.column_stack([b for _, b in columns])


def fnr(score, y, bound):
    negatives = np.sort(score[y < 0])[::-1]
    return (score[y > 0] <= negatives[int(bound * len(negatives))]).mean()


def by_folds(x, y, repeats):
    """One row per rule, one column per bound and choice of the negative class."""
    found = []
    for repeat in range(repeats):
        for learn, held in StratifiedKFold(4, shuffle=True, random_state=repeat).split(x, y):
            fold = []
            for rule in RULES.values():
                a, b = mapped(rule, x[learn], y[learn], x[held])
                s = LinearSVC(loss="hinge", C=1, max_iter=1000).fit(a, y[learn]).decision_function(b)
                fold.append([fnr(sign * s, sign * y[held], bound) for sign in (1, -1) for bound in BOUNDS])
            found.append(fold)
    return np.mean(found, axis=0)


def simulated(seed, n=1500, cols=8):
    """Columns of seven distributions; the log odds are linear in the value, its asinh or its rank."""
    g = np.random.default_rng(seed)
    x, odds = np.empty((n, cols)), np.zeros(n)
    for c in range(cols):
        z = g.standard_normal(n)
        x[:, c] = [z, g.random(n), np.exp(z * g.uniform(.5, 2)), g.standard_t(2, n), g.exponential(size=n),
                   np.where(g.random(n) < g.uniform(.3, .9), 0, np.exp(z)), np.where(g.random(n) < .5, z, z + 4)][g.integers(7)]
        cause = (standard, asinh, rank)[g.integers(3)](x[:, c], x[:, c])[0]
        odds += g.standard_normal() * cause
    odds *= g.uniform(1, 2)
    odds -= np.quantile(odds, g.uniform(.3, .8))
    return x, np.where(g.random(n) < 1 / (1 + np.exp(-odds)), 1, -1)


def training_rows(folder):
    for path in sorted(glob.glob(folder + "/*.train.svm.gz")):
        name = os.path.basename(path).split(".")[0]
        if name in SPARSE:
            continue
        x, y = load_svmlight_file(path)
        chosen = np.random.default_rng(1).permutation(len(y))[:2000]
        yield name, x[chosen].toarray(), np.where(y[chosen] > 0, 1, -1)


def report(sets):
    names, found = [], []
    for name, x, y in sets:
        if min((y > 0).sum(), (y < 0).sum()) >= 40:
            names.append(name)
            found.append(by_folds(x, y, 3 if len(y) < 1000 else 1))
    found = np.array(found)  # set, rule, case
    print(f"{len(names)} sets\n\n| rule | mean FNR | relative FNR | better | worse | largest loss |\n|---|---|---|---|---|---|")
    for k, rule in enumerate(RULES):
        apart = found[:, k] - found[:, 0]
        relative = np.exp(np.log((found[:, k] + .005) / (found[:, 0] + .005)).mean(axis=1).mean())
        print(f"| {rule} | {found[:, k].mean():.4f} | {relative:.3f} | {(apart < -.01).sum()} | {(apart > .01).sum()} | {apart.max():.3f} |")


def main():
    warnings.simplefilter("ignore")
    if sys.argv[1] == "simulated":
        n = int(sys.argv[2]) if len(sys.argv) > 2 else 60
        report((str(k), *simulated(k)) for k in range(100, 100 + n))
    else:
        report(training_rows(sys.argv[2]))


main()
