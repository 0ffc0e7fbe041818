"""What callers pass, as the arrays that the C functions take."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["as_scores", "as_labels", "as_groups", "class_names", "encode"]


def as_scores(scores: Any, name: str = "scores") -> np.ndarray:
    """A contiguous vector of doubles without NaN; not copied if it is one already."""
    values = np.asarray(scores)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        hint = "; of predict_proba pass the column of the positive class" if values.ndim == 2 else ""
        raise ValueError(f"{name}: expected one score per row, found an array of shape {values.shape}{hint}")
    if np.iscomplexobj(values):
        raise ValueError(f"{name}: expected real numbers, found {values.dtype}")
    try:
        values = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected numbers, found {values.dtype}: {error}") from None
    if np.isnan(values.min(initial=np.inf)):  # the minimum of an array with NaN is NaN
        raise ValueError(f"{name}: row {int(np.isnan(values).argmax())} is not a number (NaN)")
    return values


def _as_vector(values: Any, n: int | None, name: str) -> np.ndarray:
    vector = np.asarray(values)
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1:
        raise ValueError(f"{name}: expected one value per row, found an array of shape {vector.shape}")
    if n is not None and vector.shape[0] != n:
        raise ValueError(f"{name}: expected {n} values, one per row, found {vector.shape[0]}")
    return vector


def _distinct(y: np.ndarray) -> np.ndarray:
    """The distinct labels, ascending: at most three of numbers, which need no sorting."""
    if y.size == 0:
        return y
    if y.dtype.kind in "biuf":
        low, high = y.min(), y.max()
        if y.dtype.kind == "f" and np.isnan(low):
            raise ValueError(f"y: row {int(np.isnan(y).argmax())} is not a number (NaN)")
        other = y[(y != low) & (y != high)]
        return np.unique(np.array([low, high, *other[:1]]))
    try:
        return np.unique(y)
    except TypeError:
        raise ValueError("y: labels of several types cannot be ordered; pass strings, numbers or booleans") from None


def class_names(y: np.ndarray, pos_label: Any = None) -> tuple[Any, Any]:
    """The negative and the positive label: without ``pos_label`` the larger one is positive."""
    found = _distinct(y)
    if len(found) > 2:
        raise ValueError(f"y: expected two labels, found more: {', '.join(repr(v) for v in found.tolist()[:3])}, ...")
    if pos_label is None:
        if len(found) < 2:
            raise ValueError(f"y: expected two labels, found {found.tolist()}; "
                             "if all rows are of one class, name the positive one: pos_label")
        return found[0], found[1]
    others = found[found != pos_label]
    if len(others) == len(found) == 2:
        raise ValueError(f"y: no label is pos_label={pos_label!r}; found {found.tolist()}")
    return (others[0] if len(others) else None), pos_label


def encode(y: np.ndarray, negative: Any, positive: Any) -> np.ndarray:
    """+1 for the positive label, -1 for the other."""
    is_positive = y == positive
    labels = np.where(is_positive, np.int8(1), np.int8(-1))
    if negative is not None and not np.all(is_positive | (y == negative)):
        row = int((~(is_positive | (y == negative))).argmax())
        raise ValueError(f"y: row {row} is {y[row]!r}, expected {negative!r} or {positive!r}")
    return labels


def as_labels(y: Any, n: int | None, pos_label: Any = None) -> np.ndarray:
    """+1 and -1 for labels of any kind."""
    vector = _as_vector(y, n, "y")
    return encode(vector, *class_names(vector, pos_label))


def as_groups(groups: Any, n: int, name: str = "groups") -> np.ndarray | None:
    """A 64-bit number per row, equal for rows of one group."""
    if groups is None:
        return None
    vector = _as_vector(groups, n, name)
    try:
        return np.unique(vector, return_inverse=True)[1].astype(np.uint64)
    except TypeError:
        raise ValueError(f"{name}: values of several types cannot be ordered; pass strings or numbers") from None

