"""Cross-fitting against one hold-out on small data: the detection rate of valid rules, by simulation.

    crossfit.py [--draws N]

Classes are normal with unit covariance in 20 columns, and the score function is the difference of the class means, so that rates
of a threshold are exact. All rules see the same n rows of the bounded class and 4 n of the other.

    hold-out       a share of the bounded class certifies the threshold (confidence .95)
    union of K     K models, each certified by its own left-out fold at delta / K; the one with the largest detection rate on
                   its training rows is used, which the union bound allows
    split          a share of the bounded class sets the threshold so that the mean FPR is A: no confidence
    CV+            K models vote on a new row by its rank among all left-out rows, at A / 2, for which a mean FPR of A is proved
    CV+ at A       the same at A, where no more than 2 A is proved
"""
import argparse

import numpy as np
from scipy.stats import binom, norm

COLUMNS, DISTANCE, NEW = 20, 3.0, 4000


def allowed(m, rate, delta):
    """The most errors of m rows at which the rate is certified; -1: none."""
    r = int(binom.ppf(delta, m, rate)) + 1
    while r >= 0 and binom.cdf(r, m, rate) > delta:
        r -= 1
    return r


def mean_difference(neg, pos):
    w = pos.mean(0) - neg.mean(0)
    return w / np.linalg.norm(w)


def exact_rates(w, threshold):
    """FPR and detection rate; the positives' mean is DISTANCE in the first column."""
    return norm.sf(threshold), norm.sf(threshold - DISTANCE * w[0])


def by_rank(w, held, errors):
    """The threshold that so many of the held-out scores exceed."""
    return np.sort(held @ w)[::-1][errors]


def hold_out(neg, pos, share, rate, delta, certified):
    m = int(round(share * len(neg)))
    errors = allowed(m, rate, delta) if certified else int(np.floor(rate * (m + 1))) - 1
    if errors < 0:
        return 0.0, 0.0
    w = mean_difference(neg[m:], pos)
    return exact_rates(w, by_rank(w, neg[:m], errors))


def union(neg, pos, k, rate, delta):
    folds, best = np.array_split(np.arange(len(neg)), k), (-1.0, (0.0, 0.0))
    for fold in folds:
        errors = allowed(len(fold), rate, delta / k)
        if errors < 0:
            return 0.0, 0.0
        w = mean_difference(np.delete(neg, fold, 0), pos)
        threshold = by_rank(w, neg[fold], errors)
        best = max(best, (np.mean(pos @ w >= threshold), exact_rates(w, threshold)))
    return best[1]


def cv_plus(neg, pos, k, rate, rng):
    new = rng.normal(size=(2, NEW, COLUMNS))
    new[1, :, 0] += DISTANCE
    above = np.zeros((2, NEW))
    for fold in np.array_split(np.arange(len(neg)), k):
        w = mean_difference(np.delete(neg, fold, 0), pos)
        left_out = np.sort(neg[fold] @ w)
        above += len(fold) - np.searchsorted(left_out, new @ w, side="left")
    positive = (above + 1) / (len(neg) + 1) <= rate
    return positive[0].mean(), positive[1].mean()


def rules(rate, delta, rng):
    yield from ((f"hold-out {s:.0%}", lambda a, b, s=s: hold_out(a, b, s, rate, delta, True)) for s in (0.3, 0.4, 0.5, 0.65))
    yield from ((f"union of {k}", lambda a, b, k=k: union(a, b, k, rate, delta)) for k in (2, 3, 5))
    yield from ((f"split {s:.0%}", lambda a, b, s=s: hold_out(a, b, s, rate, delta, False)) for s in (0.3, 0.5))
    yield "CV+ of 5", lambda a, b: cv_plus(a, b, 5, rate / 2, rng)
    yield "CV+ of 5 at A", lambda a, b: cv_plus(a, b, 5, rate, rng)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--draws", type=int, default=400)
    draws, rate, delta = p.parse_args().draws, 0.1, 0.05
    sizes = (60, 100, 200, 400)
    table = {}
    for n in sizes:
        rng = np.random.default_rng(n)
        for _ in range(draws):
            neg, pos = rng.normal(size=(n, COLUMNS)), rng.normal(size=(4 * n, COLUMNS))
            pos[:, 0] += DISTANCE
            for name, rule in rules(rate, delta, rng):
                table.setdefault(name, {}).setdefault(n, []).append(rule(neg, pos))
    print("| rule | " + " | ".join(f"n = {n}" for n in sizes) + " |\n|---" * 1 + "|---" * len(sizes) + "|")
    for name, found in table.items():
        cells = []
        for n in sizes:
            fpr, power = np.array(found[n]).T
            cells.append("-" if not power.any() else
                         f"{1 - power.mean():.3f} (FPR {fpr.mean():.3f}, above A in {np.mean(fpr > rate):.3f})")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
