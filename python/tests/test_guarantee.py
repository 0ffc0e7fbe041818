"""The guarantee of certify_estimator in simulations with known truth.

Scores of class -1 are N(0, 1), those of class +1 are N(2, 1), or the same with an effect of the group added: the true rates at a
threshold are known, and no test rows are needed. A bound may be exceeded in at most 5 % of the draws of calibration rows.
"""

import os

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import neyman

REPEATS = 400 * int(os.environ.get("NEY_TEST_MULT", "1"))
SEED = int(os.environ.get("NEY_TEST_SEED", "1"))


pytestmark = pytest.mark.filterwarnings("ignore:the bound is certified, but no calibration row")


class Scorer:
    """A fitted classifier of another package."""

    classes_ = np.array([-1, 1])

    def decision_function(self, X):
        return X[:, 0]


def assert_at_most(exceeded, probability=0.05):
    assert binomtest(int(exceeded), REPEATS, probability, "greater").pvalue > 1e-6


@pytest.mark.parametrize("bounds", [{"max_fpr": 0.05}, {"max_fnr": 0.05}, {"max_fpr": 0.1, "max_fnr": 0.05}],
                         ids=["fpr", "fnr", "both"])
@pytest.mark.parametrize("ties", [False, True], ids=["continuous", "ties"])
def test_rows(bounds, ties):
    rng = np.random.default_rng(SEED)
    exceeded = 0
    for _ in range(REPEATS):
        y = rng.choice([-1, 1], 300)
        x = rng.normal(size=300) + 2 * (y > 0)
        certified = neyman.certify_estimator(Scorer(), (x.round(1) if ties else x)[:, None], y, **bounds)
        low, high = certified.certificate_.low, certified.certificate_.high
        if ties:  # rows are classified by their rounded score
            grid = np.arange(-100, 101) / 10
            low, high = grid[np.searchsorted(grid, [low, high])] - 0.05
        exceeded += norm.sf(high) > bounds.get("max_fpr", 1) or norm.cdf(low - 2) > bounds.get("max_fnr", 1)
    assert_at_most(exceeded)
    assert ties or len(bounds) == 2 or exceeded > 0.01 * REPEATS  # and the bound is not needlessly strict


def grouped_rows(rng, n_groups):
    """Groups with an effect of their own, larger groups with larger scores; a group has rows of both classes."""
    effect = rng.normal(size=n_groups)
    groups = np.repeat(np.arange(n_groups), 1 + (effect > 0) * rng.integers(0, 12, n_groups))
    y = rng.choice([-1, 1], len(groups))
    return effect[groups] + rng.normal(size=len(groups)) + 2 * (y > 0), y, groups


@pytest.mark.parametrize("bounds", [{"max_fpr": 0.1}, {"max_fpr": 0.1, "max_fnr": 0.1}], ids=["fpr", "both"])
def test_groups(bounds):
    rng = np.random.default_rng(SEED)
    exceeded = 0
    for _ in range(REPEATS):
        x, y, groups = grouped_rows(rng, 100)
        pair = neyman.certify_estimator(Scorer(), x[:, None], y, groups=groups, **bounds).certificate_
        # a group has negatives with a probability that depends on its size: the mean over groups that have some
        exceeded += (group_rate(pair.high, -1) > bounds["max_fpr"]
                     or ("max_fnr" in bounds and group_rate(pair.low, 1) > bounds["max_fnr"]))
    assert_at_most(exceeded)


def group_rate(threshold, sign):
    """The mean over groups with rows of a class of the error rate within a group: over effects u, by quadrature."""
    u = np.linspace(-8, 8, 1601)
    sizes = np.arange(1, 13)
    has = np.where(u > 0, np.mean(1 - 0.5**sizes), 0.5)  # P(a group with this effect has rows of the class)
    weight = norm.pdf(u) * has
    error = norm.sf(threshold - u) if sign < 0 else norm.cdf(threshold - 2 - u)
    return float((weight * error).sum() / weight.sum())


def test_rows_of_groups_taken_as_independent_exceed_the_bound():
    """What groups are for: without them the same simulation fails, so it can see a false statement."""
    rng = np.random.default_rng(SEED)
    exceeded = 0
    for _ in range(REPEATS):
        x, y, groups = grouped_rows(rng, 100)
        order = np.argsort(groups, kind="stable")
        few = order[np.searchsorted(groups[order], np.arange(0, 100, 5))]  # rows of 20 groups, each repeated as noise around them
        x = np.repeat(x[few], 10) + 0.01 * rng.normal(size=200)
        certified = neyman.certify_estimator(Scorer(), x[:, None], np.repeat(y[few], 10), max_fpr=0.1, pos_label=1)
        exceeded += group_rate(certified.threshold_, -1) > 0.1
    assert exceeded > 0.1 * REPEATS


def test_leaked_training_rows_exceed_the_bound():
    """The rows must be new: certified on its training rows, a classifier that fits noise breaks the bound."""
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(SEED)
    exceeded = 0
    for _ in range(50):
        y = rng.choice([-1, 1], 300)
        X = rng.normal(size=(300, 2)) + (y > 0)[:, None]
        new = rng.normal(size=(500, 2))
        tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        leaked = neyman.certify_estimator(tree, X, y, max_fpr=0.05)
        exceeded += (leaked.predict(new) == 1).mean() > 0.05
    assert exceeded > 25
