"""Rows of arrays, sparse matrices and data frames, as the C functions take them."""

from __future__ import annotations

import inspect
import numbers
import warnings
from typing import Any, Sequence

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from . import _core
from ._arrays import refuse_times
from ._params import OPTIONS

__all__ = ["Rows", "as_weights", "rows_of"]

_FINITE = "ensure_all_finite" if "ensure_all_finite" in inspect.signature(check_array).parameters else "force_all_finite"
_BLANK = " \t\r"


class Rows:
    """Rows of features, borrowed where their type and order allow it.

    ``description`` is what ``_core.fit`` and ``Model.predict`` take; ``shape`` is that of the table.
    """

    def __init__(self, description: tuple[Any, ...], shape: tuple[int, int], is_word: Sequence[bool] | None = None):
        self.description = description
        self.shape = shape
        self.is_word = is_word  # of a data frame with categories: which columns


# ---------------------------------------------------------------------- data frames


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "iloc")


def _needs_words(X: Any) -> bool:
    """Whether a data frame has columns that are not numbers."""
    return _is_frame(X) and any(not _is_numeric(dtype) for dtype in X.dtypes)


def _is_numeric(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "biuf" and getattr(dtype, "name", "") != "category"


def _number_or_none(value: Any) -> float | None:
    try:
        return None if isinstance(value, str) and "_" in value else float(value)
    except (TypeError, ValueError):
        return None


def _text(value: Any) -> str:
    """A value as it stands in a CSV file."""
    return str(value).strip(_BLANK)


def _values_of(column: Any) -> tuple[np.ndarray, list[Any]]:
    """Codes of the cells (-1: missing) and the values that they stand for."""
    if getattr(column.dtype, "name", "") == "category":
        codes, values = np.asarray(column.cat.codes), list(column.cat.categories)
    else:
        codes, values = column.factorize()
        codes, values = np.asarray(codes), list(values)
    gaps = [k for k, value in enumerate(values) if isinstance(value, str) and _core.is_missing(_text(value))]
    return (np.where(np.isin(codes, gaps), -1, codes) if gaps else codes), values


def _refuse_type(name: Any, values: list[Any]) -> None:
    for value in values:
        if not isinstance(value, (str, int, float, np.number, np.bool_)):
            raise TypeError(f"column '{name}' holds {type(value).__name__} values, such as {value!r}; expected numbers, "
                            "texts or categories")


def _numbers_of(name: Any, column: Any, codes: np.ndarray, values: list[Any]) -> np.ndarray | None:
    """A column of texts as numbers, None where it holds words.

    A column of numbers with a few words is refused, as in a file.
    """
    parsed = [_number_or_none(value) for value in values]
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    words = [k for k, number in enumerate(parsed) if number is None and counts[k] > 0]
    n_words = int(sum(counts[k] for k in words))
    if words and int(counts.sum()) - n_words >= n_words:
        raise ValueError(f"column '{name}' holds {values[words[0]]!r}, which is no number, among "
                         f"{int(counts.sum()) - n_words} numbers: correct it, or make it a column of categories "
                         f"(astype('category'))")
    if words:
        return None
    table = np.array([*(np.nan if number is None else number for number in parsed), np.nan])
    return table[codes]


def _merge_texts(codes: np.ndarray, values: list[Any]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes of the texts of values: two values may have one text."""
    position: dict[str, int] = {}
    new = np.array([*(position.setdefault(_text(value), len(position)) for value in values), -1])
    return new[codes].astype(np.float64), tuple(position)


def _column_of(name: Any, column: Any, is_word: bool | None) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """A column as numbers, or as codes and the texts that they stand for."""
    if _is_numeric(column.dtype) and not is_word:
        return column.to_numpy(dtype=np.float64, na_value=np.nan), None
    codes, values = _values_of(column)
    _refuse_type(name, values)
    is_category = getattr(column.dtype, "name", "") == "category"
    if is_word is False or (is_word is None and not is_category):
        numbers = _numbers_of(name, column, codes, values)
        if numbers is not None:
            return numbers, None
    cells, texts = _merge_texts(codes, values)
    limit = int(OPTIONS["max-categories"]["initial"])
    if is_word is None and len(texts) > limit:
        raise ValueError(f"column '{name}' has {len(texts)} different texts, more than {limit}, too many for categories: "
                         "leave it out or group its values")
    cells[cells < 0] = np.nan
    return cells, texts


def _frame_rows(X: Any, names: Sequence[str] | None, is_word: Sequence[bool] | None) -> Rows:
    shape = (len(X), len(X.columns))
    if names is None:
        raise ValueError("a data frame with columns of categories needs column names that are texts")
    cells = np.empty(shape, order="F")
    categories: list[tuple[str, ...] | None] = []
    for c, name in enumerate(X.columns):
        cells[:, c], texts = _column_of(name, X.iloc[:, c], None if is_word is None else is_word[c])
        categories.append(texts)
    found = [texts is not None for texts in categories]
    return Rows((cells, tuple(names), tuple(categories)), shape, found)


# ---------------------------------------------------------------------- arrays


def _sparse_rows(X: Any) -> Rows:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Rows((X.data, X.indices, X.indptr, int(X.shape[1]), None), X.shape)


def rows_of(X: Any, names: Sequence[str] | None, estimator: Any, is_word: Sequence[bool] | None = None) -> Rows:
    """Rows to learn from or to predict.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        Not copied if it is an array of float32 or float64 of any strides, or CSR with such values.
    names : sequence of str or None
        Names of the columns, that the model keeps.
    estimator : object
        Named in errors.
    is_word : sequence of bool or None
        To predict: which columns of a data frame are categories of the model.
    """
    if _is_frame(X) and (_needs_words(X) or (is_word is not None and any(is_word))):
        check_array(np.empty((len(X), len(X.columns))), estimator=estimator, **{_FINITE: False})
        return _frame_rows(X, names, is_word)
    if is_word is not None and any(is_word):
        raise ValueError("the model has columns of categories: pass a data frame with the columns "
                         + ", ".join(map(str, names or [])))
    refuse_times(X if hasattr(X, "dtype") or hasattr(X, "dtypes") else np.asarray(X), "X")
    table = check_array(X, accept_sparse="csr", accept_large_sparse=True, dtype=[np.float64, np.float32],
                        estimator=estimator, **{_FINITE: False})
    if sparse.issparse(table):
        return _sparse_rows(table)
    if any(stride % table.itemsize for stride in table.strides):
        table = np.ascontiguousarray(table)
    return Rows((table, None if names is None else tuple(names), None), table.shape)


def as_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Weights in single precision; None where all are 1."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Number):
        sample_weight = np.full(n, sample_weight, dtype=np.float64)
    refuse_times(np.asarray(sample_weight), "sample_weight")
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weights.shape != (n,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n,)}!")
    if (weights < 0).any():
        raise ValueError(f"sample_weight: row {int((weights < 0).argmax())} is negative, expected 0 or more")
    if not weights.any():
        raise ValueError("sample_weight: all weights are 0")
    return None if (weights == 1).all() else weights.astype(np.float32)


def warn_unknown(rows: Rows, known: Sequence[Sequence[str] | None]) -> None:
    """Warn of categories that the model does not know: they count as none of its categories."""
    cells, names, categories = rows.description
    for c, (texts, of_model) in enumerate(zip(categories, known)):
        if texts is None or of_model is None:
            continue
        unknown = [k for k, text in enumerate(texts) if text not in set(of_model)]
        n = int(np.isin(cells[:, c], unknown).sum()) if unknown else 0
        if n:
            warnings.warn(f"column '{names[c]}' has {n} cells with values that the model does not know, such as "
                          f"{texts[unknown[0]]!r}: they count as none of its categories", UserWarning, stacklevel=4)
