"""Certificates: thresholds with a guarantee, from anybody's scores."""

from __future__ import annotations

import dataclasses
from typing import Any, Sequence

import numpy as np

from . import _core
from ._arrays import as_groups, as_scores, named_labels
from ._errors import NotCertifiableError

__all__ = ["Certificate", "CertificatePair", "Plan", "PlanPoint", "certify", "plan"]

_KINDS = {"fpr": ("negatives", "flagged as positive", "above"), "fnr": ("positives", "classified as negative", "below")}


def percent(rate: float, digits: int = 4) -> str:
    """A rate as a percentage."""
    return f"{100 * rate:.{digits}g} %"


def stated(rate: float) -> str:
    """A bound or a confidence as a percentage, not rounded to anything that was not asked for."""
    return percent(rate, 12)


def _names(label: Any) -> str | None:
    """The name of a class, where its label is text."""
    return str(label) if isinstance(label, str) else None


@dataclasses.dataclass(frozen=True, repr=False)
class Certificate:
    """A threshold whose error rate on new data is at most ``max_rate``, with a stated confidence.

    The statement: over the draw of the held-out rows, the probability that the error rate at ``threshold`` exceeds
    ``max_rate`` on new data from the same distribution is at most ``1 - confidence``. It assumes that the held-out rows
    are independent draws from that distribution and that the score function did not see them. No assumption is made
    about the score function or the distribution.

    ``print(certificate)`` gives the statement and its evidence as one sentence.

    Attributes
    ----------
    kind : {"fpr", "fnr"}
        The bounded rate: false positives among negatives, or false negatives among positives.
    max_rate : float
        The bound.
    confidence : float
        The probability with which the bound holds.
    threshold : float
        A row is classified as positive if its score is at least this number.
    n_held_out : int
        Held-out rows of the bounded class; held-out groups if the certificate was made with groups.
    misclassified : int
        Held-out rows of the bounded class that the threshold misclassifies.
    rate : float
        The error rate on the held-out rows (with groups: the mean over groups).
    bound : float
        The smallest rate that this threshold certifies at this confidence; at most ``max_rate``.
    unit : {"rows", "groups"}
        What is independent of each other.
    n_rows : int
        Held-out rows of the bounded class, also if the unit is the group.
    negative, positive : str or None
        Names of the classes, where labels are text.

    See Also
    --------
    certify : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> y = np.repeat(["ham", "spam"], 500)
    >>> certificate = neyman.certify(y, np.linspace(0, 1, 1000), max_fpr=0.05)
    >>> certificate
    Certificate: at most 5 % of negatives ('ham') are flagged as positive, with 95 % confidence
      evidence   500 held-out negatives, 16 above the threshold (3.2 %); they certify 4.82 %
      threshold  0.483483: rows with this score or more are positive
    >>> certificate.threshold <= 0.5
    True
    """

    kind: str
    max_rate: float
    confidence: float
    threshold: float
    n_held_out: int
    misclassified: int
    rate: float
    bound: float
    unit: str = "rows"
    n_rows: int | None = None
    negative: str | None = dataclasses.field(default=None, compare=False)
    positive: str | None = dataclasses.field(default=None, compare=False)

    @property
    def low(self) -> float:
        """The threshold below which a row is negative."""
        return self.threshold

    @property
    def high(self) -> float:
        """The threshold from which on a row is positive."""
        return self.threshold

    def decide(self, scores: Any) -> np.ndarray:
        """Decisions at the threshold: +1 or -1 per score.

        Parameters
        ----------
        scores : array-like of shape (n,)

        Returns
        -------
        ndarray of int8
        """
        return _decide(as_scores(scores), self.low, self.high)

    def _claim(self) -> str:
        of, flagged, _ = _KINDS[self.kind]
        name = self.negative if self.kind == "fpr" else self.positive
        name = "" if name is None else f" ('{name}')"
        group, mean = (" of a new group", ", on average over groups") if self.unit == "groups" else ("", "")
        return f"{stated(self.max_rate)} of {of}{name}{group} are {flagged}{mean}"

    def _evidence(self) -> str:
        of, _, beyond = _KINDS[self.kind]
        rows = f"{self.n_held_out} held-out {of}"
        if self.unit == "groups":
            rows = (f"{self.n_held_out} held-out groups" if self.n_rows is None
                    else f"{self.n_rows} held-out {of} in {self.n_held_out} groups")
        return f"{rows}, {self.misclassified} {beyond} the threshold"

    def __str__(self) -> str:
        return f"At most {self._claim()}, with {stated(self.confidence)} confidence ({self._evidence()})."

    def __repr__(self) -> str:
        return (f"Certificate: at most {self._claim()}, with {stated(self.confidence)} confidence\n"
                f"  evidence   {self._evidence()} ({percent(self.rate)}); they certify {percent(self.bound)}\n"
                f"  threshold  {self.threshold:.6g}: rows with this score or more are positive")


@dataclasses.dataclass(frozen=True, repr=False)
class CertificatePair:
    """Two certificates that hold at once: both rates are bounded, and rows between the thresholds are rejected.

    Attributes
    ----------
    fpr, fnr : Certificate
        The certificate of each rate. Their own confidence is higher than that of the pair.
    confidence : float
        The probability with which both bounds hold.
    low, high : float
        A row is negative if its score is below ``low``, positive if it is at least ``high``, rejected between.

    See Also
    --------
    certify : Makes one from labels and scores, where both bounds are given.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["ham", "spam"], 2000)
    >>> pair = neyman.certify(y, rng.normal(size=4000) + 3 * (y == "spam"), max_fpr=0.01, max_fnr=0.01)
    >>> pair
    CertificatePair: at most 1 % of negatives ('ham') are flagged as positive and at most 1 % of positives ('spam') are \
classified as negative, both with 95 % confidence
      evidence    2000 held-out negatives, 11 above the threshold; 2000 held-out positives, 11 below the threshold
      thresholds  negative below 0.753868, positive from 2.41691 on, rejected between
    >>> pair.decide([0.0, 1.0, 5.0])
    array([-1,  0,  1], dtype=int8)
    """

    fpr: Certificate
    fnr: Certificate
    confidence: float
    low: float
    high: float

    def decide(self, scores: Any) -> np.ndarray:
        """Decisions at the thresholds: +1, -1, or 0 for a rejected row.

        Parameters
        ----------
        scores : array-like of shape (n,)

        Returns
        -------
        ndarray of int8
        """
        return _decide(as_scores(scores), self.low, self.high)

    def _claim(self) -> str:
        return f"{self.fpr._claim()} and at most {self.fnr._claim()}, both with {stated(self.confidence)} confidence"

    def _evidence(self) -> str:
        return f"{self.fpr._evidence()}; {self.fnr._evidence()}"

    def __str__(self) -> str:
        return f"At most {self._claim()} ({self._evidence()})."

    def __repr__(self) -> str:
        between = "rejected between" if self.low < self.high else "no row is rejected"
        return (f"CertificatePair: at most {self._claim()}\n  evidence    {self._evidence()}\n"
                f"  thresholds  negative below {self.low:.6g}, positive from {self.high:.6g} on, {between}")


def parts_of(certificate: Certificate | CertificatePair | None) -> list[Certificate]:
    """One certificate, or both of a pair."""
    if certificate is None:
        return []
    return [certificate.fpr, certificate.fnr] if isinstance(certificate, CertificatePair) else [certificate]


def _decide(scores: np.ndarray, low: float, high: float) -> np.ndarray:
    decisions = (scores >= high).astype(np.int8)
    decisions -= scores < low
    return decisions


def _check_number(name: str, value: Any, low: float, expected: str) -> None:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
    if number and low <= value < 1 and value > 0:
        return
    hint = f"; write {value / 100:g} for {value:g} %" if number and 1 < value < 100 and value / 100 >= low else ""
    raise ValueError(f"{name}={value!r}: expected {expected}{hint}")


def check_bounds(max_fpr: float | None, max_fnr: float | None, confidence: float) -> None:
    """Raise ValueError unless a rate is bounded and every number is in its range."""
    if max_fpr is None and max_fnr is None:
        raise ValueError("no rate to certify: pass max_fpr, max_fnr or both")
    for name, rate in (("max_fpr", max_fpr), ("max_fnr", max_fnr)):
        if rate is not None:
            _check_number(name, rate, 0, "a rate above 0 and below 1")
    _check_number("confidence", confidence, 0.5, "a number of at least 0.5 and below 1")


def deltas(confidence: float, both: bool, groups: bool) -> tuple[float, float]:
    """The probability of error of all certificates together, and of each."""
    delta = _core.delta_of_confidence(confidence)
    if not both:
        return delta, delta
    return delta, delta / 2 if groups else _core.delta_of_each(delta)  # a group may have rows of both classes


def too_few(message: str, n: int, max_rate: float, delta: float) -> NotCertifiableError:
    """The exception for `n` rows (or groups) of the bounded class."""
    needed = int(_core.rows_needed(max_rate, delta))
    return NotCertifiableError(message, needed if n < needed else None, n, _core.tightest_rate(n, delta) if n else 1.0)


def _certify_class(kind: str, scores: np.ndarray, labels: np.ndarray, groups: np.ndarray | None, max_rate: float, delta: float,
                   confidence: float, names: tuple[str | None, str | None]) -> Certificate:
    number = ("fpr", "fnr").index(kind)
    try:
        found = _core.certify(number, scores, labels, groups, max_rate, delta)
    except NotCertifiableError as error:
        rows = labels == (-1, 1)[number]
        n = int(rows.sum()) if groups is None else len(np.unique(groups[rows]))
        name = "" if names[number] is None else f" ('{names[number]}')"
        message = str(error) if n else (
            f"no row is {('negative', 'positive')[number]}{name}: max_{kind}={max_rate:g} with confidence {confidence:g} needs at "
            f"least {int(_core.rows_needed(max_rate, delta))} of them")
        raise too_few(message, n, max_rate, delta) from None
    by_group = groups is not None
    rate = found["group_rate"] if by_group else found["misclassified"] / found["n"]
    return Certificate(kind=kind, max_rate=max_rate, confidence=confidence, threshold=found["threshold"],
                       n_held_out=found["n_groups"] if by_group else found["n"], misclassified=found["misclassified"],
                       rate=rate, bound=found["bound"], unit="groups" if by_group else "rows", n_rows=found["n"],
                       negative=names[0], positive=names[1])


def certify(y: Any, scores: Any, max_fpr: float | None = None, confidence: float = 0.95, *,
            max_fnr: float | None = None, groups: Any = None, pos_label: Any = None) -> Certificate | CertificatePair:
    """Find a threshold that keeps an error rate on new data, with a stated confidence.

    The threshold is an order statistic of the scores of the bounded class. The guarantee holds for every score function
    and distribution and for every number of rows, if the rows are independent draws from the distribution of new data and
    **were not used to train the score function or to choose between score functions**.

    Parameters
    ----------
    y : array-like of shape (n,)
        True labels, two values of any kind.
    scores : array-like of shape (n,)
        Larger means more positive: ``decision_function(X)`` or ``predict_proba(X)[:, 1]``.
    max_fpr : float, optional
        Bound on the false-positive rate, between 0 and 1.
    confidence : float, default=0.95
        Probability with which the bound (with two bounds: both) holds; at least 0.5.
    max_fnr : float, optional
        Bound on the false-negative rate. With both bounds, rows between two thresholds are rejected.
    groups : array-like of shape (n,), optional
        Rows with equal values belong together, such as several rows per patient: groups are independent, not rows. What is
        bounded then is the mean over groups of the error rate within a group.
    pos_label : optional
        The positive label; by default the larger one.

    Returns
    -------
    Certificate or CertificatePair
        A pair if both rates are bounded.

    Raises
    ------
    NotCertifiableError
        Too few rows of the bounded class; ``rows_needed`` says how many are needed.
    ValueError
        Labels, scores or bounds are not valid.

    See Also
    --------
    plan : How many rows are needed, before there are any.
    certify_estimator : The same for a fitted scikit-learn classifier.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["ham", "spam"], 2000)
    >>> scores = rng.normal(size=4000) + 3 * (y == "spam")
    >>> certificate = neyman.certify(y, scores, max_fpr=0.01)
    >>> certificate
    Certificate: at most 1 % of negatives ('ham') are flagged as positive, with 95 % confidence
      evidence   2000 held-out negatives, 12 above the threshold (0.6 %); they certify 0.9703 %
      threshold  2.39168: rows with this score or more are positive
    >>> print(certificate)
    At most 1 % of negatives ('ham') are flagged as positive, with 95 % confidence (2000 held-out negatives, 12 above the threshold).
    >>> certificate.decide([0.0, 5.0])
    array([-1,  1], dtype=int8)

    Both rates, with rejection between the thresholds:

    >>> pair = neyman.certify(y, scores, max_fpr=0.01, max_fnr=0.01)
    >>> print(f"rejected from {pair.low:.3f} to {pair.high:.3f}")
    rejected from 0.754 to 2.417
    """
    check_bounds(max_fpr, max_fnr, confidence)
    values = as_scores(scores)
    labels, negative, positive = named_labels(y, len(values), pos_label)
    keys = as_groups(groups, len(values))
    return certify_signs(labels, values, max_fpr, max_fnr, confidence, keys, (_names(negative), _names(positive)))


def certify_signs(labels: np.ndarray, values: np.ndarray, max_fpr: float | None, max_fnr: float | None, confidence: float,
                  keys: np.ndarray | None, names: tuple[str | None, str | None]) -> Certificate | CertificatePair:
    """:func:`certify` for arguments that are checked: labels +1 and -1, names of the negative and the positive class."""
    delta, each = deltas(confidence, max_fpr is not None and max_fnr is not None, keys is not None)
    found = {}
    for kind, rate in (("fpr", max_fpr), ("fnr", max_fnr)):
        if rate is not None:
            own = confidence if each == delta else 1 - each
            found[kind] = _certify_class(kind, values, labels, keys, float(rate), each, own, names)
    if len(found) == 1:
        return next(iter(found.values()))
    high = found["fpr"].threshold
    return CertificatePair(fpr=found["fpr"], fnr=found["fnr"], confidence=confidence,
                           low=min(found["fnr"].threshold, high), high=high)


@dataclasses.dataclass(frozen=True)
class PlanPoint:
    """What a certificate from ``n`` rows of the bounded class is expected to cost.

    Attributes
    ----------
    n : int
        Held-out rows of the bounded class.
    errors_allowed : int
        How many of them the certified threshold may misclassify; -1: too few rows.
    expected_rate : float
        The error rate that the certified threshold has on average.
    expected_power : float
        The detection rate there, if scores of each class are normal with equal variance.

    Examples
    --------
    >>> import neyman
    >>> point = neyman.plan(max_fpr=0.01, n=1000).points[0]
    >>> point.n, point.errors_allowed
    (1000, 4)
    """

    n: int
    errors_allowed: int
    expected_rate: float
    expected_power: float


@dataclasses.dataclass(frozen=True, repr=False)
class Plan:
    """How many rows a certificate needs, and what it costs.

    Attributes
    ----------
    kind : {"fpr", "fnr"}
        The bounded rate.
    max_rate, confidence, power : float
        As given to :func:`plan`.
    rows_needed : int
        The fewest held-out rows of the bounded class with which any threshold can be certified.
    points : list of PlanPoint
        Costs at several numbers of rows.

    Examples
    --------
    >>> import neyman
    >>> plan = neyman.plan(max_fnr=0.05, n=100)
    >>> plan.kind, plan.rows_needed, len(plan.points)
    ('fnr', 59, 1)
    """

    kind: str
    max_rate: float
    confidence: float
    power: float
    rows_needed: int
    points: list[PlanPoint]

    def __repr__(self) -> str:
        of = _KINDS[self.kind][0]
        lines = [f"{self.kind.upper()} <= {self.max_rate:.4g} with {stated(self.confidence)} confidence needs at least "
                 f"{self.rows_needed} held-out {of}",
                 "  rows  errors allowed  expected rate  expected power"]
        return "\n".join(lines + [f"{p.n:6d}  {p.errors_allowed:14d}  {p.expected_rate:13.4g}  {p.expected_power:14.4g}"
                                  for p in self.points])


def plan(max_fpr: float | None = None, confidence: float = 0.95, *, max_fnr: float | None = None,
         n: int | Sequence[int] | None = None, power: float = 0.9) -> Plan:
    """How many held-out rows a certificate needs, and what it costs, before there are any data.

    Parameters
    ----------
    max_fpr, max_fnr : float
        The bound; exactly one of them.
    confidence : float, default=0.95
        Probability with which the bound holds.
    n : int or sequence of int, optional
        Numbers of held-out rows of the bounded class to look at; by default 1, 2, 5, 10 and 100 times the fewest.
    power : float, default=0.9
        The detection rate that a threshold with exactly the allowed rate would have. The expected power assumes scores that
        are normal with equal variance in either class; nothing else does.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import neyman
    >>> neyman.plan(max_fpr=0.01).rows_needed
    299
    >>> neyman.plan(max_fpr=0.01, n=[299, 3000])
    FPR <= 0.01 with 95 % confidence needs at least 299 held-out negatives
      rows  errors allowed  expected rate  expected power
       299               0       0.003333          0.7537
      3000              20       0.006998          0.8727
    """
    check_bounds(max_fpr, max_fnr, confidence)
    if max_fpr is not None and max_fnr is not None:
        raise ValueError("plan() looks at one rate: pass max_fpr or max_fnr")
    kind, rate = ("fpr", max_fpr) if max_fpr is not None else ("fnr", max_fnr)
    assert rate is not None
    if not rate < power < 1:
        raise ValueError(f"power={power!r}: expected a detection rate above {rate:g} and below 1")
    delta = _core.delta_of_confidence(confidence)
    needed = int(_core.rows_needed(rate, delta))
    sizes = [k * needed for k in (1, 2, 5, 10, 100)] if n is None else np.atleast_1d(np.asarray(n, dtype=int)).tolist()
    points = []
    for size in sizes:
        if size < 1:
            raise ValueError(f"n={size!r}: expected a number of rows of at least 1")
        rank, expected_rate, expected_power = _core.plan_at(size, rate, delta, power)
        points.append(PlanPoint(size, size - rank if rank else -1, expected_rate, expected_power))
    return Plan(kind, rate, confidence, power, needed, points)
