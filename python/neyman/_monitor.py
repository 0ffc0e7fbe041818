"""Monitoring of a bounded rate while a classifier is in use."""

from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from . import _core
from ._arrays import _as_vector, _equals, as_scores, encode
from ._certificate import Certificate, CertificatePair, check_bounds, parts_of

__all__ = ["Monitor"]

_BATCH = 16384  # rows per call of the library


class Monitor:
    """Watch whether an error rate stays below its bound, row after row, with an alarm that is valid at any time.

    Each bounded rate has a test martingale. If every row of a class is misclassified with probability at most its bound,
    given all rows before it, an alarm is ever raised with probability at most ``1 - confidence``, however often and whenever
    you look. Rows need not be independent; which rows get a label must not depend on that label.

    Parameters
    ----------
    max_fpr, max_fnr : float, optional
        The bounds; at least one.
    threshold : float or (low, high)
        The threshold in use, or two: negative below ``low``, positive from ``high`` on, rejected between.
    confidence : float, default=0.95
        One minus the probability of a false alarm, over all time.
    classes : (negative, positive), default=(0, 1)
        The two labels. With the default, -1 and False also mean negative, and True means positive.
    window : int, default=0
        Rows of each bounded class after an alarm that new thresholds are certified on. 0: ten times the fewest that can
        certify the bound.
    state : path-like, optional
        A file that keeps the watch: it is read if it exists, and :meth:`save` writes it. The probability of a false alarm is
        then over all runs together.

    Attributes
    ----------
    alarm : bool
        Whether an alarm was raised. It stays.
    alarm_row : int or None
        The row, from 0, that raised it.
    n_rows : int
        Rows seen.
    info : dict
        Counts and the logarithm of the evidence against each bound.

    See Also
    --------
    certify : A threshold to watch.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> rng = np.random.default_rng(0)
    >>> monitor = neyman.Monitor(max_fpr=0.05, threshold=2.0)
    >>> monitor.update(np.zeros(2000), rng.normal(size=2000))    # an FPR of 2.3 %
    False
    >>> monitor.update(np.zeros(2000), rng.normal(1, size=2000)) # now 16 %
    True
    >>> 2000 <= monitor.alarm_row < 2500
    True
    """

    def __init__(self, *, threshold: float | Sequence[float], max_fpr: float | None = None, max_fnr: float | None = None,
                 confidence: float = 0.95, classes: Sequence[Any] = (0, 1), window: int = 0,
                 state: str | os.PathLike | None = None):
        check_bounds(max_fpr, max_fnr, confidence)
        low, high = np.broadcast_to(np.asarray(threshold, dtype=float), 2).tolist()
        if len(classes) != 2 or classes[0] == classes[1]:
            raise ValueError(f"classes={classes!r}: expected two different labels, the negative one first")
        self.classes = tuple(classes)
        self.max_fpr, self.max_fnr, self.confidence = max_fpr, max_fnr, confidence
        self.low, self.high = low, high
        self._watch = _core.Monitor(np.nan if max_fpr is None else max_fpr, np.nan if max_fnr is None else max_fnr, low,
                                    high, _core.delta_of_confidence(confidence), int(window), 0)
        if state is not None:
            self._watch.open(state)

    @classmethod
    def from_certificate(cls, certificate: Certificate | CertificatePair, **keywords: Any) -> "Monitor":
        """Watch the bounds of a certificate at its thresholds.

        Parameters
        ----------
        certificate : Certificate or CertificatePair
            Bounds, thresholds and, unless given, the confidence.
        **keywords
            Further parameters of :class:`Monitor`.
        """
        bounds = {f"max_{c.kind}": c.max_rate for c in parts_of(certificate)}
        given: dict[str, Any] = {"threshold": (certificate.low, certificate.high), "confidence": certificate.confidence}
        return cls(**{**given, **bounds, **keywords})

    def update(self, y: Any, scores: Any) -> bool:
        """Take rows in, in their order, and say whether an alarm was ever raised.

        Parameters
        ----------
        y : array-like of shape (n,)
            True labels.
        scores : array-like of shape (n,)
            Scores that the classifier gave.

        Returns
        -------
        alarm : bool
        """
        values = as_scores(np.atleast_1d(scores))
        labels = self._labels(_as_vector(np.atleast_1d(y), len(values), "y"))
        for first in range(0, len(values), _BATCH):  # Ctrl-C is heard between batches
            self._add(values[first:first + _BATCH], labels[first:first + _BATCH])
        return self.alarm

    def _add(self, values: np.ndarray, labels: np.ndarray) -> None:
        first = 0
        while first < len(values):  # the watch stops at every event
            taken = self._watch.add(values, labels, first)
            if taken == 0:
                break
            first += taken

    def _labels(self, y: np.ndarray) -> np.ndarray:
        if self.classes == (0, 1):
            y = np.where(_equals(y, -1), 0, y)
        return encode(y, *self.classes)

    @property
    def info(self) -> dict[str, Any]:
        """Counts and evidence, as the library keeps them."""
        return self._watch.look()

    @property
    def alarm(self) -> bool:
        """Whether an alarm was raised."""
        return self.info["alarm_row"] > 0

    @property
    def alarm_row(self) -> int | None:
        """The row, from 0, that raised the alarm; None without one."""
        row = self.info["alarm_row"]
        return row - 1 if row else None

    @property
    def n_rows(self) -> int:
        """Rows seen."""
        info = self.info
        return info["n_pos"] + info["n_neg"]

    def renew(self) -> tuple[float, float]:
        """New thresholds, certified on the rows after the alarm alone.

        They are valid if what changed had changed before the alarm.

        Returns
        -------
        low, high : float
            Equal if one rate is watched.

        Raises
        ------
        NotCertifiableError
            There was no alarm, or too few rows came after it.
        """
        return self._watch.certify()

    def save(self) -> None:
        """Write the state file, whole or not at all."""
        self._watch.save()

    def __repr__(self) -> str:
        bounds = [f"{name} <= {rate:.4g}" for name, rate in (("FPR", self.max_fpr), ("FNR", self.max_fnr))
                  if rate is not None]
        found = f"alarm at row {self.alarm_row}" if self.alarm else "no alarm"
        return f"<Monitor: {' and '.join(bounds)}; {self.n_rows} rows, {found}>"
