"""The interactive page of ``neyman report``, from arrays."""

from __future__ import annotations

import base64
import importlib.resources
import json
import os
import pathlib
import struct
import tempfile
from typing import Any

import numpy as np

from . import _core
from ._arrays import as_labels, as_scores
from ._certificate import Certificate, CertificatePair
from ._display import _scored
from ._scores import RocCurve, roc

__all__ = ["report"]

_MARK = "<!--neyman:data-->"
_BLOCK = 128
_MOST_THRESHOLDS = 1_000_000
_CELLS = _MOST_THRESHOLDS // 2
_ROWS = 20


# ---------------------------------------------------------------------- the curve in few bytes (cli/report_scores.c)


def _keys(values: np.ndarray) -> np.ndarray:
    """Whole numbers that are ordered as the doubles are."""
    bits = (values + 0.0).view(np.uint64)
    sign = bits >> np.uint64(63)
    return bits ^ np.where(sign == 1, ~np.uint64(0), np.uint64(1) << np.uint64(63))


def _kept(curve: RocCurve, fixed: list[float]) -> tuple[np.ndarray, float]:
    """Which points a page holds, and the largest change of a rate from one to a point left out; 0: all are there."""
    n = len(curve.thresholds)
    if n - 1 <= _MOST_THRESHOLDS:
        return np.arange(1, n), 0.0
    begins = np.zeros(n, dtype=bool)  # a cell of the plane of counts; the proof is in cli/report_scores.c
    for counts, total in ((curve.fp, curve.n_neg), (curve.tp, curve.n_pos)):
        cell = np.asarray(counts) // (total // _CELLS + 1)
        begins[1:] |= cell[1:] != cell[:-1]
    begins[-1] = True
    for threshold in fixed:
        begins[np.searchsorted(-curve.thresholds, -threshold, side="right") - 1] = True
    begins[0] = False
    kept = np.flatnonzero(begins)
    last = np.maximum.accumulate(np.where(begins, np.arange(n), 0))  # the kept point that stands for each
    change = np.maximum((curve.fp - curve.fp[last]) / curve.n_neg, (curve.tp - curve.tp[last]) / curve.n_pos)
    return kept, float(change.max())


def _pack(curve: RocCurve, fixed: list[float]) -> bytes:
    kept, gap = _kept(curve, fixed)
    before = np.concatenate([[0], kept[:-1]])
    keys = _keys(np.asarray(curve.thresholds, dtype=np.float64)[kept])
    fields = [np.concatenate([[np.uint64(0)], keys[:-1] - keys[1:]]),
              (curve.tp[kept] - curve.tp[before]).astype(np.uint64), (curve.fp[kept] - curve.fp[before]).astype(np.uint64)]
    out = [b"NSC1", struct.pack("<IddddQ", len(kept), curve.n_pos, curve.n_neg, len(curve.thresholds) - 1, gap, int(keys[0]))]
    for start in range(0, len(kept), _BLOCK):
        block = [field[start:start + _BLOCK] for field in fields]
        widths = [int(np.bitwise_or.reduce(values)).bit_length() for values in block]
        out.append(bytes(widths))
        for values, width in zip(block, widths):
            bits = (values[:, None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
            out.append(np.packbits(bits.astype(np.uint8), axis=None, bitorder="little").tobytes())
    return b"".join(out)


# ---------------------------------------------------------------------- what the page is told


def _claims(certificate: Certificate | CertificatePair | None, max_fpr: float | None, max_fnr: float | None) -> list[dict]:
    if certificate is None:
        return [{"rate": rate, "max_rate": bound, "confidence": None, "calibration_rows": None}
                for rate, bound in (("fpr", max_fpr), ("fnr", max_fnr)) if bound is not None]
    parts = [certificate.fpr, certificate.fnr] if isinstance(certificate, CertificatePair) else [certificate]
    return [{"rate": part.kind, "max_rate": part.max_rate, "confidence": certificate.confidence,
             "calibration_rows": part.n_rows} for part in parts]


def _band(certificate: Certificate | CertificatePair | None, threshold: Any) -> tuple[float, float] | None:
    if threshold is None:
        if certificate is None:
            return None
        if isinstance(certificate, CertificatePair):
            return certificate.low, certificate.high
        return certificate.threshold, certificate.threshold
    low, high = threshold if np.ndim(threshold) else (threshold, threshold)
    if not low <= high:
        raise ValueError(f"threshold: expected a number, or a pair (low, high) with low <= high, found {threshold!r}")
    return float(low), float(high)


def _rows(labels: np.ndarray, scores: np.ndarray, band: tuple[float, float], names: tuple[str, str],
          ids: Any) -> dict[str, list[dict]]:
    """Rows nearest to the thresholds, and the errors farthest from them."""
    low, high = band
    decision = np.where(scores >= high, 1, np.where(scores < low, -1, 0))
    distance = np.minimum(np.abs(scores - low), np.abs(scores - high))
    wrong = np.where(labels > 0, decision < 0, decision > 0)
    away = np.where(labels > 0, np.abs(scores - low), np.abs(scores - high))
    said = {1: names[1], -1: names[0], 0: "rejected"}

    def listed(rows: np.ndarray) -> list[dict]:
        return [{"row": int(i) + 1, "id": None if ids is None else str(ids[i]), "label": names[int(labels[i] > 0)],
                 "score": float(scores[i]), "decision": said[int(decision[i])]} for i in rows]

    errors = np.flatnonzero(wrong)
    return {"near": listed(np.argsort(distance, kind="stable")[:_ROWS]),
            "worst": listed(errors[np.argsort(-away[errors], kind="stable")[:_ROWS]])}


def _names(y: Any, labels: np.ndarray) -> tuple[str, str]:
    """The names of the negative and the positive class, as the labels are written."""
    vector = np.asarray(y).ravel()
    negative, positive = labels < 0, labels > 0
    if not negative.any() or not positive.any():
        raise ValueError("y: expected rows of both classes, found those of one")
    return str(vector[negative][0]), str(vector[positive][0])


def _write(path: Any, data: dict, packed: bytes) -> pathlib.Path:
    """The page appears whole or not at all."""
    page = (importlib.resources.files(__package__) / "page.html").read_text(encoding="utf-8")
    text = json.dumps(data, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode("utf-8")
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    scripts = (f'<script type="application/json" id="neyman-data">{text}</script>\n'
               f'<script type="text/plain" id="neyman-scores">{base64.b64encode(packed).decode()}</script>')
    target = pathlib.Path(path)
    handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page.replace(_MARK, scripts, 1))
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(beside, 0o666 & ~umask)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
    return target


def report(path: Any, y: Any, scores: Any = None, *, estimator: Any = None, X: Any = None, certificate: Any = None,
           threshold: Any = None, max_fpr: float | None = None, max_fnr: float | None = None, pos_label: Any = None,
           response_method: Any = None, prevalence: float | None = None, cost_fn: float = 1.0, cost_fp: float = 1.0,
           ids: Any = None, rows: bool = True, name: str | None = None) -> pathlib.Path:
    """Write an interactive page about scores, or about an estimator, on labelled rows.

    The page is one HTML file that works offline: whether the rows confirm the bound, the ROC curve with a simultaneous
    band, rates, counts and costs at any threshold and prevalence, certificates, other curves. It is the page of the
    command ``neyman report``. The rows must be new to the score function and to its threshold.

    Parameters
    ----------
    path : str or path
        The HTML file to write.
    y : array-like of shape (n,)
        True labels.
    scores : array-like of shape (n,), optional
        Scores; larger means positive. Leave out with ``estimator``.
    estimator, X : object and array-like, optional
        A fitted classifier and its rows, which are scored; of a certified one the scores and the certificate are those
        that were certified.
    certificate : Certificate or CertificatePair, optional
        What is promised: its bound, confidence and threshold are shown and compared with the rows.
    threshold : float or (float, float), optional
        A threshold that was fixed before the rows were seen, or two with rejection between. Only there do rates have
        exact intervals; elsewhere those of the simultaneous band.
    max_fpr, max_fnr : float, optional
        Bounds to compare with, where there is no certificate; they need a threshold.
    pos_label : object, optional
        The positive label; else the larger.
    response_method : str or callable, optional
        How ``estimator`` scores, as in :class:`RocDisplay`.
    prevalence, cost_fn, cost_fp : float, optional
        With what the page begins; the reader can change them.
    ids : array-like of shape (n,), optional
        Names of the rows that the page lists.
    rows : bool, default=True
        Whether the page lists single rows: those nearest to the threshold and the largest errors.
    name : str, optional
        What the page calls the rows.

    Returns
    -------
    path : pathlib.Path

    See Also
    --------
    certify : A threshold with a guarantee.
    RocDisplay : The curve as a picture.

    Examples
    --------
    >>> import numpy as np, neyman, tempfile, pathlib
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["ham", "spam"], 1000)
    >>> scores = rng.normal(size=2000) + 3 * (y == "spam")
    >>> half = rng.permutation(2000) < 1000
    >>> certificate = neyman.certify(y[half], scores[half], max_fpr=0.05)
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> neyman.report(folder / "report.html", y[~half], scores[~half], certificate=certificate).name
    'report.html'
    """
    if (scores is None) == (estimator is None):
        raise ValueError("report: expected either scores, or an estimator with X")
    if estimator is not None:
        labels, values, found, called = _scored(estimator, X, y, response_method, pos_label)
        certificate = found if certificate is None else certificate
    else:
        values, called = as_scores(scores), "scores"
        labels = as_labels(y, len(values), pos_label)
    if certificate is not None and not isinstance(certificate, (Certificate, CertificatePair)):
        raise TypeError(f"certificate: expected a Certificate or CertificatePair, found {type(certificate).__name__}")
    if certificate is not None and (max_fpr is not None or max_fnr is not None or threshold is not None):
        raise ValueError("max_fpr, max_fnr and threshold are those of the certificate: leave them out")
    band = _band(certificate, threshold)
    if band is None and (max_fpr is not None or max_fnr is not None):
        raise ValueError("a bound needs the threshold that keeps it: give threshold, or a certificate")
    if ids is not None and len(ids) != len(values):
        raise ValueError(f"ids: expected {len(values)} values, one per row, found {len(ids)}")
    negative, positive = _names(y, labels)
    curve = roc(labels, values)
    data: dict[str, Any] = {
        "format": 1, "version": _core.version, "source": "scores",
        "rows": {"file": name or called, "n": len(values), "n_pos": int(curve.n_pos), "n_neg": int(curve.n_neg),
                 "positive": positive, "negative": negative, "rates_on": None, "unit": "row", "n_groups": None},
        "claims": _claims(certificate, max_fpr, max_fnr),
        "costs": {"fn": float(cost_fn), "fp": float(cost_fp), "reject_fn": 0.1, "reject_fp": 0.1},
        "prevalence": prevalence,
        "provenance": [{"name": "Program", "value": f"neyman {_core.version}, Python package"},
                       {"name": "Rows", "value": name or called}],
    }
    if band is not None:
        low, high = band
        data["threshold"] = {"low": low, "high": high, "center": 0.0 if low <= 0 <= high else (low + high) / 2,
                             "origin": "option" if certificate is None else "model"}
        if rows:
            data |= _rows(labels, values, band, (negative, positive), None if ids is None else np.asarray(ids))
    return _write(path, data, _pack(curve, list(band or ())))
