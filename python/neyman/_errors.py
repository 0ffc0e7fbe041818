"""Exceptions."""

from __future__ import annotations

__all__ = ["NotCertifiableError"]


class NotCertifiableError(ValueError):
    """The bound cannot be certified with these rows.

    Parameters
    ----------
    message : str
        What was found, and what would be needed.
    rows_needed : int or None, default=None
        The fewest held-out rows (or groups) of the bounded class that can certify the rate at this confidence.
        None where their number is not the reason.
    n_rows : int or None, default=None
        The number of such rows (or groups) that there are.
    tightest_rate : float or None, default=None
        The smallest rate that ``n_rows`` can certify at this confidence.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> y = np.array([0] * 50 + [1] * 50)
    >>> scores = np.linspace(0, 1, 100)
    >>> try:
    ...     neyman.certify(y, scores, max_fpr=0.01)
    ... except neyman.NotCertifiableError as error:
    ...     print(error.rows_needed, error.n_rows)
    299 50
    """

    def __init__(self, message: str, rows_needed: int | None = None, n_rows: int | None = None,
                 tightest_rate: float | None = None):
        super().__init__(message)
        self.rows_needed = rows_needed
        self.n_rows = n_rows
        self.tightest_rate = tightest_rate

    def __reduce__(self):
        return type(self), (self.args[0], self.rows_needed, self.n_rows, self.tightest_rate)
