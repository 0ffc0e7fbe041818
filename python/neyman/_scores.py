"""Curves, q-values and p-values from anybody's scores."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import _core
from ._arrays import as_groups, as_labels, as_scores

__all__ = ["ConformalPValues", "RocCurve", "conformal", "interval", "pep", "qvalues", "roc"]


def interval(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact (Clopper-Pearson) interval of a rate from ``hits`` of ``n``.

    Parameters
    ----------
    hits, n : int
        Counts, ``0 <= hits <= n``.
    confidence : float, default=0.95
        The interval contains the true rate with at least this probability, whatever the rate.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> import neyman
    >>> low, high = neyman.interval(3, 1000)
    >>> print(f"{low:.5f} {high:.5f}")
    0.00062 0.00874
    """
    return _core.interval(hits, n, confidence)


# ---------------------------------------------------------------------- ROC curve


@dataclasses.dataclass(frozen=True, repr=False)
class RocCurve:
    """The ROC curve of scores: one point per distinct score, exact counts.

    Attributes
    ----------
    thresholds : ndarray
        Descending; the first is +inf, where no row is positive. A row is positive if its score is at least the threshold.
    fpr, tpr : ndarray
        Rates at each threshold.
    fp, tp : ndarray of int
        Counts at each threshold.
    n_neg, n_pos : int
        Rows of each class.
    auc, auc_error : float
        Area under the curve, ties counted half, and DeLong's standard error.
    auc_interval : tuple of float
        An approximate interval of the area.
    partial_auc : float or None
        Area for an FPR from 0 to the ``max_fpr`` that was given, not rescaled.

    Examples
    --------
    >>> import neyman
    >>> curve = neyman.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5)
    >>> curve.fpr, curve.tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> curve.partial_auc
    0.25
    """

    thresholds: np.ndarray
    fp: np.ndarray
    tp: np.ndarray
    n_neg: int
    n_pos: int
    auc: float
    auc_error: float
    auc_interval: tuple[float, float]
    partial_auc: float | None = None

    @property
    def fpr(self) -> np.ndarray:
        """False-positive rate at each threshold."""
        return self.fp / self.n_neg

    @property
    def tpr(self) -> np.ndarray:
        """True-positive rate at each threshold."""
        return self.tp / self.n_pos

    def __repr__(self) -> str:
        low, high = self.auc_interval
        return (f"<RocCurve: AUC {self.auc:.4f} [{low:.4f}, {high:.4f}]; {self.n_pos} positives, {self.n_neg} negatives, "
                f"{len(self.thresholds)} points>")


def roc(y: Any, scores: Any, *, pos_label: Any = None, confidence: float = 0.95,
        max_fpr: float | None = None) -> RocCurve:
    """The ROC curve with exact counts, its area and an interval of the area.

    Parameters
    ----------
    y : array-like of shape (n,)
        True labels, two values of any kind.
    scores : array-like of shape (n,)
        Larger means more positive.
    pos_label : optional
        The positive label; by default the larger one.
    confidence : float, default=0.95
        Of the interval of the area, which is approximate.
    max_fpr : float, optional
        Compute ``partial_auc`` up to this false-positive rate.

    Returns
    -------
    RocCurve

    Examples
    --------
    >>> import neyman
    >>> curve = neyman.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.auc
    0.75
    >>> curve.thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    >>> curve.tp, curve.fp
    (array([0, 1, 1, 2, 2]), array([0, 0, 1, 1, 2]))
    """
    values = as_scores(scores)
    labels = as_labels(y, len(values), pos_label)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: expected a number between 0 and 1")
    if max_fpr is not None and not 0 < max_fpr <= 1:
        raise ValueError(f"max_fpr={max_fpr!r}: expected a rate above 0 and at most 1")
    n = len(values) + 1
    thresholds, tp, fp = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    points, n_pos, n_neg, auc, error, low, high, partial = _core.roc(
        values, labels, thresholds, tp, fp, confidence, np.nan if max_fpr is None else max_fpr)
    if n_pos == 0 or n_neg == 0:
        raise ValueError(f"y: a ROC curve needs rows of both classes, found {n_pos} positives and {n_neg} negatives")
    return RocCurve(thresholds[:points], fp[:points], tp[:points], n_neg, n_pos, auc, error, (low, high),
                    None if max_fpr is None else partial)


# ---------------------------------------------------------------------- q-values


def _estimate(y: Any, scores: Any, groups: Any, by: Any, pos_label: Any, fdr_convention: str, plus_one: bool,
              compete: bool | None, want_pep: bool) -> tuple[np.ndarray, np.ndarray | None]:
    values = as_scores(scores)
    labels = as_labels(y, len(values), pos_label)
    if fdr_convention not in ("targets", "all"):
        raise ValueError(f"fdr_convention={fdr_convention!r}: expected 'targets' or 'all'")
    q = np.empty(len(values))
    probability = np.empty(len(values)) if want_pep else None
    _core.qvalues(values, labels, as_groups(groups, len(values)), as_groups(by, len(values), "by"), q, probability, None,
                  fdr_convention == "all", not plus_one, compete is True, compete is False, False)
    return q, probability


def qvalues(y: Any, scores: Any, *, groups: Any = None, by: Any = None, pos_label: Any = None,
            fdr_convention: str = "targets", plus_one: bool = True, compete: bool | None = None) -> np.ndarray:
    """The q-value of every row: the smallest false-discovery rate of a threshold that accepts it.

    Positives are targets, negatives are decoys (rows that are known to be false).

    Parameters
    ----------
    y : array-like of shape (n,)
        Targets and decoys, two values of any kind; by default the larger one means target.
    scores : array-like of shape (n,)
        Larger means better.
    groups : array-like of shape (n,), optional
        Rows with equal values compete (spectra): only the best of each group can be accepted, the others have q = 1.
    by : array-like of shape (n,), optional
        Estimate separately for each value, such as a charge state.
    pos_label : optional
        The label of targets.
    fdr_convention : {"targets", "all"}, default="targets"
        Decoys over targets, or decoys over both.
    plus_one : bool, default=True
        Add one to the decoys, which the guarantee of target-decoy competition needs.
    compete : bool, optional
        True: one decoy competed with each target. False: no rows compete, whatever the groups. By default the groups say.

    Returns
    -------
    q : ndarray of shape (n,)

    See Also
    --------
    pep : The probability that one row is false.

    Examples
    --------
    >>> import neyman
    >>> neyman.qvalues([1, 1, 1, 0, 1, 0], [9, 8, 7, 6, 5, 4], compete=True)
    array([0.33333333, 0.33333333, 0.33333333, 0.5       , 0.5       ,
           0.75      ])
    """
    return _estimate(y, scores, groups, by, pos_label, fdr_convention, plus_one, compete, False)[0]


def pep(y: Any, scores: Any, *, groups: Any = None, by: Any = None, pos_label: Any = None,
        fdr_convention: str = "targets", plus_one: bool = True, compete: bool | None = None) -> np.ndarray:
    """The posterior error probability of every row: the probability that a target of this score is false.

    A monotone fit; see doc/guides/scores.md. Parameters are those of :func:`qvalues`.

    Returns
    -------
    pep : ndarray of shape (n,)
        Never 0; falls as the score grows.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> probability = neyman.pep(y, rng.normal(size=1000) + 2 * y)
    >>> bool(0 < probability.min() < 0.1 and probability.max() <= 1)
    True
    """
    probability = _estimate(y, scores, groups, by, pos_label, fdr_convention, plus_one, compete, True)[1]
    assert probability is not None
    return probability


# ---------------------------------------------------------------------- conformal p-values


@dataclasses.dataclass(frozen=True)
class ConformalPValues:
    """Two p-values per row.

    Attributes
    ----------
    p_neg, p_pos : ndarray
        The p-value of the hypothesis that the row is negative, and that it is positive.

    Examples
    --------
    >>> import neyman
    >>> neyman.conformal([0, 0, 0, 1, 1, 1], [1, 2, 3, 2, 4, 5], [6])
    ConformalPValues(p_neg=array([0.25]), p_pos=array([1.]))
    """

    p_neg: np.ndarray
    p_pos: np.ndarray

    def sets(self, max_error: float) -> np.ndarray:
        """Prediction sets that miss the true class with probability at most ``max_error``, in either class.

        Returns
        -------
        ndarray of bool, shape (n, 2)
            Whether the negative and the positive class are in the set.
        """
        return np.column_stack([self.p_neg > max_error, self.p_pos > max_error])


def _at_least_as_odd(calibration: np.ndarray, weights: np.ndarray, scores: np.ndarray, sign: int) -> np.ndarray:
    """The weight of calibration scores of one class that are at least as unlike the class as each score."""
    order = np.argsort(calibration, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    ordered = calibration[order]
    if sign > 0:
        return below[np.searchsorted(ordered, scores, side="right")]
    return below[-1] - below[np.searchsorted(ordered, scores, side="left")]


def conformal(y: Any, scores: Any, new_scores: Any, *, groups: Any = None, pos_label: Any = None) -> ConformalPValues:
    """Class-conditional conformal p-values of new scores.

    If a new row is drawn like the calibration rows of its class, the p-value of its class is at most e with probability at
    most e: the classes with p > e contain the true one with probability at least 1 - e, in either class.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of calibration rows, which the score function did not see.
    scores : array-like of shape (n,)
        Their scores.
    new_scores : array-like of shape (m,)
        Scores of the rows to classify.
    groups : array-like of shape (n,), optional
        Calibration rows with equal values belong together; p-values are then those of a random row of a new group.
    pos_label : optional
        The positive label; by default the larger one.

    Returns
    -------
    ConformalPValues

    Examples
    --------
    >>> import neyman
    >>> p = neyman.conformal([0, 0, 0, 1, 1, 1], [1, 2, 3, 2, 4, 5], [0, 2, 6])
    >>> p.p_neg, p.p_pos
    (array([1.  , 0.75, 0.25]), array([0.25, 0.5 , 1.  ]))
    >>> p.sets(0.3)
    array([[ True, False],
           [ True,  True],
           [False,  True]])
    """
    values, new = as_scores(scores), as_scores(new_scores, "new_scores")
    labels = as_labels(y, len(values), pos_label)
    keys = as_groups(groups, len(values))
    p = []
    for sign in (-1, 1):
        rows = labels == sign
        if not rows.any():
            raise ValueError(f"y: no calibration row is {'positive' if sign > 0 else 'negative'}")
        weights, n = np.ones(int(rows.sum())), int(rows.sum())
        if keys is not None:
            _, inverse, sizes = np.unique(keys[rows], return_inverse=True, return_counts=True)
            weights, n = 1 / sizes[inverse], len(sizes)
        p.append(np.minimum(1, (_at_least_as_odd(values[rows], weights, new, sign) + 1) / (n + 1)))
    return ConformalPValues(*p)
