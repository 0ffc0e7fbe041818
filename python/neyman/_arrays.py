"""What callers pass, as the arrays that the C functions take."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

__all__ = ["as_groups", "as_labels", "as_scores", "class_names", "encode", "named_labels", "refuse_times", "show"]


def refuse_times(values: Any, name: str) -> None:
    """Raise ValueError for dates, times and durations, which NumPy would turn into numbers of any unit."""
    if getattr(getattr(values, "dtype", None), "kind", "") in ("m", "M"):
        raise ValueError(f"{name}: expected numbers, found {values.dtype}; make numbers of it, such as days since a date: "
                         "(times - start) / np.timedelta64(1, 'D')")


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
    refuse_times(values, name)
    try:
        values = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected numbers, found {values.dtype}: {error}") from None
    if np.isnan(values.min(initial=np.inf)):  # the minimum of an array with NaN is NaN
        raise ValueError(f"{name}: row {int(np.isnan(values).argmax())} is not a number (NaN); "
                         "fill or drop missing values before scoring")
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


def show(label: Any) -> str:
    """A label as Python writes it, without the type of NumPy."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA has no truth value
        return True


def _refuse_missing(vector: np.ndarray, name: str) -> None:
    """Raise ValueError that names the first missing value: NaN, NaT, None, pandas.NA."""
    if vector.dtype.kind == "O":
        missing = np.fromiter((_is_missing(v) for v in vector), dtype=bool, count=len(vector))
    elif vector.dtype.kind == "f":
        if not np.isnan(vector.min(initial=np.inf)):  # the minimum of an array with NaN is NaN
            return
        missing = np.isnan(vector)
    elif vector.dtype.kind in "mM":
        missing = np.isnat(vector)
    else:
        return
    if missing.any():
        raise ValueError(f"{name}: row {int(missing.argmax())} is missing ({show(vector[missing.argmax()])}); "
                         "drop the rows without a value")


def _distinct(y: np.ndarray) -> np.ndarray:
    """The distinct labels, ascending: at most three of numbers, which need no sorting."""
    if y.size == 0:
        return y
    _refuse_missing(y, "y")
    if y.dtype.kind in "biuf":
        low, high = y.min(), y.max()
        other = y[(y != low) & (y != high)]
        return np.unique(np.array([low, high, *other[:1]]))
    try:
        return np.unique(y)
    except TypeError:
        raise ValueError("y: labels of several types cannot be ordered; pass strings, numbers or booleans") from None


def _equals(y: np.ndarray, label: Any) -> np.ndarray:
    """Which labels are `label`; those of another type are not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy: "elementwise comparison failed"
        try:
            found = y == label
        except (TypeError, ValueError):
            found = NotImplemented
    if isinstance(found, np.ndarray) and found.shape == y.shape and found.dtype == bool:
        return found
    return np.fromiter((not _is_missing(v) and bool(np.all(v == label)) for v in y), dtype=bool, count=len(y))


def class_names(y: np.ndarray, pos_label: Any = None) -> tuple[Any, Any]:
    """The negative and the positive label: without ``pos_label`` the larger one is positive."""
    found = _distinct(y)
    if len(found) > 2:
        hint = "certify one class against the others: pass y == label"
        if found.dtype.kind == "f" and (found != found.round()).any():
            hint = "labels come first, then scores"
        raise ValueError(f"y: expected two labels, found more: {', '.join(map(show, found[:3]))}, ...; {hint}")
    if pos_label is None:
        if len(found) < 2:
            raise ValueError(f"y: expected two labels, found {found.tolist()}; "
                             "if all rows are of one class, name the positive one: pos_label")
        return found[0], found[1]
    others = found[~_equals(found, pos_label)]
    if len(others) == len(found) == 2:
        raise ValueError(f"y: no label is pos_label={pos_label!r}; found {found.tolist()}")
    return (others[0] if len(others) else None), pos_label


def encode(y: np.ndarray, negative: Any, positive: Any, classes: str = "") -> np.ndarray:
    """+1 for the positive label, -1 for the other; `classes` says in an error whose labels they are."""
    is_positive = _equals(y, positive)
    labels = is_positive.astype(np.int8)
    labels += labels
    labels -= 1
    if negative is not None:
        other = is_positive | _equals(y, negative)
        if not other.all():
            row = int((~other).argmax())
            raise ValueError(f"y: row {row} is {show(y[row])}, expected {show(negative)} or {show(positive)}{classes}")
    return labels


def as_labels(y: Any, n: int | None, pos_label: Any = None) -> np.ndarray:
    """+1 and -1 for labels of any kind."""
    return named_labels(y, n, pos_label)[0]


def named_labels(y: Any, n: int | None, pos_label: Any = None) -> tuple[np.ndarray, Any, Any]:
    """+1 and -1 for labels of any kind, and the names of the negative and the positive class."""
    vector = _as_vector(y, n, "y")
    names = class_names(vector, pos_label)
    return (encode(vector, None, names[1]), *names)  # that there are no others is known


def as_groups(groups: Any, n: int, name: str = "groups") -> np.ndarray | None:
    """A 64-bit number per row, equal for rows of one group."""
    if groups is None:
        return None
    vector = _as_vector(groups, n, name)
    _refuse_missing(vector, name)
    try:
        return np.unique(vector, return_inverse=True)[1].astype(np.uint64)
    except TypeError:
        raise ValueError(f"{name}: values of several types cannot be ordered; pass strings or numbers") from None
