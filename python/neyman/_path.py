"""All costs and all thresholds at once: the best ROC curve that a support vector machine can have, to choose from later."""

from __future__ import annotations

import dataclasses
import os
import warnings
from typing import Any, Callable

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _get_feature_names

from . import _core
from ._arrays import _as_vector, _distinct, encode, named_labels, show
from ._certificate import percent
from ._certified import labels_of
from ._data import Rows, as_weights, rows_of
from ._params import default_of, option_pairs, thread_count, translate
from ._progress import Reporter

__all__ = ["PathClassifier", "PathCurve", "RocPath"]

_CURVES = ("intercept", "asymmetry", "both")
_OPTIONS = ("kernel", "gamma", "degree", "coef0", "cache_size", "cost_fn", "cost_fp", "c_max", "splits", "regular", "scale",
            "missing")
_RESIDUAL = 1e-6  # up to it a point of a path counts as solved: NEY_PATH_RESIDUAL


@dataclasses.dataclass(frozen=True, repr=False)
class PathCurve:
    """A ROC curve whose points are classifiers of a path, from (0, 0) to (1, 1).

    Attributes
    ----------
    fpr, tpr : ndarray
        Rates on the rows that classifiers are chosen by. They are optimistic.
    fpr_error, tpr_error : ndarray or None
        Their standard errors over the half splits; None with validation rows.
    test_fpr, test_tpr : ndarray or None
        Rates on test rows, which nothing is chosen by; None without.
    c_plus, c_minus, threshold : ndarray
        The classifier: costs of one positive and of one negative row, threshold of the score.
    auc, test_auc : float
        Areas below the curve; NaN without test rows.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> import neyman
    >>> X, y = make_classification(120, n_features=4, random_state=0)
    >>> curve = neyman.RocPath(X, y, splits=2).fit().curve_
    >>> curve.fpr[0], curve.tpr[-1]
    (0.0, 1.0)
    """

    fpr: np.ndarray
    tpr: np.ndarray
    fpr_error: np.ndarray | None
    tpr_error: np.ndarray | None
    test_fpr: np.ndarray | None
    test_tpr: np.ndarray | None
    c_plus: np.ndarray
    c_minus: np.ndarray
    threshold: np.ndarray
    auc: float
    test_auc: float

    def __repr__(self) -> str:
        test = "" if self.test_fpr is None else f", {self.test_auc:.4f} on test rows"
        return f"<PathCurve: {len(self.fpr)} points, area {self.auc:.4f} on the rows that chose{test}>"


def _columns(table: np.ndarray, auc: float, test_auc: float) -> PathCurve:
    some = [None if np.isnan(column).all() else column for column in table]
    return PathCurve(table[0], table[1], some[2], some[3], some[4], some[5], table[6], table[7], table[8], auc, test_auc)


class RocPath:
    """Support vector machines for all costs and thresholds, computed once; choose later.

    The solution of a cost-sensitive support vector machine is piecewise linear along every line of costs. :meth:`fit` follows
    it exactly along lines through the plane of the two costs, and keeps, of all classifiers with all thresholds, those on the
    upper convex envelope of the ROC plane. :meth:`pick` takes the one for given costs or for a bounded rate, without training.

    Rates are measured on random halves of the rows, or on validation rows. These rows also choose, so the rates are
    optimistic; pass test rows to see others, and :func:`certify_estimator` for a bound that holds on new data.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n, n_features)
        Rows to learn from. The kernel matrix takes n * n numbers, or is computed row by row beyond ``cache_size``.
    y : array-like of shape (n,)
        Labels: two values of any kind.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows' losses.
    X_valid, y_valid : optional
        Rows to choose by, in place of random halves of X.
    X_test, y_test : optional
        Rows that nothing is chosen by, for the ``test_`` rates of the curves.
    kernel : {"linear", "rbf", "poly"}, default="linear"
        The kernel.
    gamma : float or "scale", default="scale"
        Coefficient of the kernels rbf and poly. "scale": 1 / (columns * variance).
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0
        Constant of the poly kernel.
    cost_fn, cost_fp : float, default=1
        Costs for which the centre of the exploration is sought.
    c_max : float, default=1000
        The largest sum of the two costs.
    splits : int, default=10
        Random half splits by which classifiers are chosen, without validation rows.
    regular : int, default=2
        Further sums of costs on each side of the best one, a factor of 10 apart.
    scale : {"default", "none", "standard", "minmax", "unit", "rank", "asinh", "auto"}, default="default"
        Scaling of the columns, fitted on the rows that are learned from. "default": standard for dense rows, none for sparse
        ones. "auto": for each column the one of standard, asinh and rank that correlates most with the labels of these rows.
    missing : {"error", "mean"}, default="error"
        What to do with NaN.
    cache_size : float, optional
        Megabytes for the kernel matrix.
    random_state : int, default=1
        Seed of the half splits.
    pos_label : optional
        The positive label; by default the larger one.
    threads : int, optional
        By default as many as the process may use.
    verbose : int, default=0
        1: progress on standard error.

    Attributes
    ----------
    curve_ : PathCurve
        The envelope: every cost with every threshold.
    curves_ : dict of PathCurve
        "both" is the envelope; "asymmetry": every ratio of the costs, each classifier with its own threshold;
        "intercept": one classifier with every threshold, the usual ROC curve.
    classes_ : ndarray of shape (2,)
        The labels, the negative one first.
    best_ : (float, float)
        The pair of costs at the centre.
    residual_ : float
        The largest violation of the optimality conditions anywhere on the path.
    n_features_in_ : int
        Columns of X.

    See Also
    --------
    PathDisplay : Draws the curves.
    CostSensitiveClassifier : One pair of costs.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> import neyman
    >>> X, y = make_classification(200, n_features=4, class_sep=1.5, random_state=0)
    >>> path = neyman.RocPath(X, y, splits=2).fit()
    >>> path.curve_.auc >= path.curves_["intercept"].auc
    True
    >>> careful = path.pick(max_fpr=0.05)
    >>> careful.fpr_ <= 0.05
    True
    >>> costly = path.pick(cost_fn=5, cost_fp=1)        # a missed positive costs five times as much
    >>> costly.tpr_ >= careful.tpr_
    True
    >>> costly.predict(X[:5]).shape
    (5,)
    """

    curves_: dict[str, PathCurve]
    curve_: PathCurve
    classes_: np.ndarray
    best_: tuple[float, float]
    residual_: float
    n_features_in_: int

    def __init__(self, X: Any, y: Any, *, sample_weight: Any = None, X_valid: Any = None, y_valid: Any = None, X_test: Any = None,
                 y_test: Any = None, kernel: str = "linear", gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0,
                 cost_fn: float = 1.0, cost_fp: float = 1.0, c_max: float = 1000.0, splits: int = 10, regular: int = 2,
                 scale: str = "default", missing: str = "error", cache_size: float | None = None, random_state: int = 1,
                 pos_label: Any = None, threads: int | None = None, verbose: int = 0):
        for name, rows, labels in (("valid", X_valid, y_valid), ("test", X_test, y_test)):
            if (rows is None) != (labels is None):
                raise ValueError(f"X_{name} and y_{name} belong together: pass both or neither")
        self.X, self.y, self.sample_weight = X, y, sample_weight
        self.X_valid, self.y_valid, self.X_test, self.y_test = X_valid, y_valid, X_test, y_test
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.cost_fn, self.cost_fp, self.c_max, self.splits, self.regular = cost_fn, cost_fp, c_max, splits, regular
        self.scale, self.missing, self.random_state = scale, missing, random_state
        self.cache_size = default_of("cache") if cache_size is None else cache_size
        self.pos_label, self.threads, self.verbose = pos_label, threads, verbose

    def __repr__(self) -> str:
        found = f"{self.curve_!r}"[1:-1] if hasattr(self, "curve_") else "not fitted"
        return f"<RocPath: {np.shape(self.X)[0]} rows, kernel {self.kernel}; {found}>"

    # ------------------------------------------------------------------ fitting

    def fit(self, *, callback: Callable[[str, float, float, float], Any] | None = None) -> "RocPath":
        """Follow the paths.

        Parameters
        ----------
        callback : callable, optional
            Called now and then with ``(stage, done, total, value)``; an exception in it stops the computation.

        Returns
        -------
        self
        """
        names = _get_feature_names(self.X)
        rows = rows_of(self.X, names, self)
        found = _distinct(_as_vector(self.y, rows.shape[0], "y"))
        if len(found) < 2:
            raise ValueError(f"y: all rows are of the class {show(found[0])}; pass rows of both classes")
        labels, negative, positive = named_labels(self.y, rows.shape[0], self.pos_label)
        weights = as_weights(self.sample_weight, rows.shape[0])
        valid = self._more(self.X_valid, self.y_valid, names, rows, negative, positive)
        test = self._more(self.X_test, self.y_test, names, rows, negative, positive)
        options = option_pairs(vars(self), _OPTIONS)
        if self.X_valid is None:  # the seed is that of the half splits
            options += [("seed", str(int(self.random_state)))]
        with Reporter(self.verbose, callback) as reporter:
            try:
                path = _core.explore(rows.description, labels, weights, *valid, *test, str(negative), str(positive), options,
                                     thread_count(self.threads), reporter.progress)
            except ValueError as error:
                raise type(error)(translate(str(error))) from None
        self._keep(path, rows, names, np.array([negative, positive]))
        return self

    def _more(self, X: Any, y: Any, names: Any, like: Rows, negative: Any, positive: Any) -> tuple[Any, Any]:
        if X is None:
            return None, None
        rows = rows_of(X, names, self, like.is_word)
        return rows.description, encode(_as_vector(y, rows.shape[0], "y"), negative, positive)

    def _keep(self, path: Any, rows: Rows, names: Any, classes: np.ndarray) -> None:
        info = path.info()
        self.curves_ = {}
        for kind, name in enumerate(_CURVES):
            table = np.empty(9 * info["n_points"][kind])
            areas = path.curve(kind, table)
            self.curves_[name] = _columns(table.reshape(9, -1), *areas)
        self.curve_ = self.curves_["both"]
        choices = np.empty(5 * info["n_choices"])
        path.choices(choices)
        self._choices = choices.reshape(5, -1)
        self._path, self._names, self._is_word = path, names, rows.is_word
        self.classes_, self.n_features_in_ = classes, rows.shape[1]
        self.best_, self.residual_ = (info["c_plus"], info["c_minus"]), info["residual"]
        if names is not None:
            self.feature_names_in_ = names
        if self.residual_ > _RESIDUAL:
            warnings.warn(f"not solved exactly: the largest KKT residual is {self.residual_:.3g}, above {_RESIDUAL:g}, the limit of "
                          "floating-point precision for these data and costs; scale=\"standard\" or a smaller c_max would help",
                          ConvergenceWarning, stacklevel=3)

    def _check_fitted(self) -> None:
        if not hasattr(self, "_path"):
            raise ValueError("this RocPath is not fitted: call fit() first")

    # ------------------------------------------------------------------ choosing

    def pick(self, *, cost_fn: float | None = None, cost_fp: float | None = None, max_fpr: float | None = None,
             max_fnr: float | None = None, at: tuple[float, float] | None = None) -> "PathClassifier":
        """The classifier for given costs, for a bounded rate, or at a pair of training costs.

        Parameters
        ----------
        cost_fn, cost_fp : float, optional
            Costs of a false negative and of a false positive (default 1): the classifier of least expected cost, at the share
            of positives of the rows that choose.
        max_fpr : float, optional
            The classifier of largest TPR whose FPR is at most this, **on the rows that choose**. On new data it can be larger:
            use :func:`certify_estimator` for a bound that holds there.
        max_fnr : float, optional
            The same for the false-negative rate: of smallest FPR.
        at : (float, float), optional
            Training costs of one positive and of one negative row that lie on a line of the path, such as ``c_plus`` and
            ``c_minus`` of a curve; threshold 0.

        Returns
        -------
        PathClassifier
        """
        self._check_fitted()
        costs = cost_fn is not None or cost_fp is not None
        if costs + (max_fpr is not None) + (max_fnr is not None) + (at is not None) != 1:
            raise ValueError("expected one of: cost_fn and cost_fp, max_fpr, max_fnr, at")
        if at is not None:
            return self._classifier((float(at[0]), float(at[1])), 0.0, float("nan"), float("nan"), f"C+ {at[0]:g}, C- {at[1]:g}")
        if costs:
            prices = [1.0 if cost is None else float(cost) for cost in (cost_fn, cost_fp)]
            if not all(0 < cost < np.inf for cost in prices):
                raise ValueError(f"cost_fn={cost_fn!r}, cost_fp={cost_fp!r}: expected numbers above 0")
            k, goal = self._path.cheapest(*prices), f"costs {prices[0]:g}:{prices[1]:g}"
        else:
            k, goal = self._within("max_fpr", max_fpr) if max_fpr is not None else self._within("max_fnr", max_fnr)
        fpr, tpr, c_plus, c_minus, threshold = self._choices[:, k]
        return self._classifier((c_plus, c_minus), threshold, fpr, tpr, goal)

    def _within(self, name: str, rate: Any) -> tuple[int, str]:
        """The choice of the other rate's best whose rate is at most this, and the goal in words."""
        if not 0 <= rate <= 1:
            raise ValueError(f"{name}={rate!r}: expected a rate between 0 and 1")
        fnr = 1 - self._choices[1]
        k = self._path.within(float(rate)) if name == "max_fpr" else int(np.argmax(fnr <= rate))
        rates = self._choices[0] if name == "max_fpr" else fnr
        if k < 0 or rates[k] > rate:
            raise ValueError(f"{name}={rate!r}: no classifier of the path has such a rate; the smallest is {rates.min():.4g}")
        return k, f"{name[4:].upper()} at most {percent(rate)}"

    def _classifier(self, costs: tuple[float, float], threshold: float, fpr: float, tpr: float, goal: str) -> "PathClassifier":
        model = self._path.model(*map(float, costs), float(threshold))
        test_fpr = test_tpr = float("nan")
        picked = PathClassifier(model, self.classes_, self._names, self._is_word, self.n_features_in_, self.threads, goal,
                                costs, float(threshold), (float(fpr), float(tpr)), (test_fpr, test_tpr))
        if self.X_test is not None:
            signs = encode(_as_vector(self.y_test, None, "y"), *self.classes_)
            flagged = picked.decision_function(self.X_test) >= 0
            picked.test_fpr_, picked.test_tpr_ = float(flagged[signs < 0].mean()), float(flagged[signs > 0].mean())
        return picked

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the path to a file, from which ``neyman pick`` takes models.

        Parameters
        ----------
        path : path
            The file appears whole or not at all.
        """
        self._check_fitted()
        self._path.write(os.fspath(path))


class PathClassifier(ClassifierMixin):
    """A fitted classifier that was picked from a :class:`RocPath`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, the negative one first.
    c_plus_, c_minus_ : float
        Training costs of one positive and of one negative row.
    threshold_ : float
        Of the score; :meth:`decision_function` has it subtracted.
    fpr_, tpr_ : float
        Rates on the rows that chose it, which are optimistic; NaN if it was picked by its training costs.
    test_fpr_, test_tpr_ : float
        Rates on the test rows of the path; NaN without.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    RocPath.pick : Makes it.
    certify_estimator : A bound that holds on new data.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> import neyman
    >>> X, y = make_classification(600, n_features=4, class_sep=1.5, random_state=0)
    >>> picked = neyman.RocPath(X[:200], y[:200], splits=2).fit().pick(max_fpr=0.05)
    >>> certified = neyman.certify_estimator(picked, X[200:], y[200:], max_fpr=0.1)
    >>> certified.certificate_.bound <= 0.1
    True
    """

    _estimator_type = "classifier"

    def __init__(self, model: Any, classes: np.ndarray, names: Any, is_word: Any, n_features: int, threads: int | None, goal: str,
                 costs: tuple[float, float], threshold: float, rates: tuple[float, float], test_rates: tuple[float, float]):
        self._model, self._names, self._is_word, self._threads, self._goal = model, names, is_word, threads, goal
        self.classes_, self.n_features_in_ = classes, n_features
        if names is not None:
            self.feature_names_in_ = names
        self.c_plus_, self.c_minus_ = map(float, costs)
        self.threshold_ = threshold
        self.fpr_, self.tpr_ = rates
        self.test_fpr_, self.test_tpr_ = test_rates

    def __repr__(self) -> str:
        rates = "" if np.isnan(self.fpr_) else f"; FPR {percent(self.fpr_)}, TPR {percent(self.tpr_)} on the rows that chose it"
        test = "" if np.isnan(self.test_fpr_) else f"; FPR {percent(self.test_fpr_)}, TPR {percent(self.test_tpr_)} on test rows"
        return f"<PathClassifier for {self._goal}: C+ {self.c_plus_:.4g}, C- {self.c_minus_:.4g}, threshold {self.threshold_:.4g}{rates}{test}>"

    def label(self) -> str:
        """A short text for legends.

        Returns
        -------
        str
        """
        return f"picked for {self._goal}"

    def _rows(self, X: Any) -> Rows:
        rows = rows_of(X, self._names, self, self._is_word)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {rows.shape[1]} features, but PathClassifier is expecting {self.n_features_in_} features")
        return rows

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores less the threshold: at least 0 means positive, ``classes_[1]``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
        """
        rows = self._rows(X)
        scores = np.empty(rows.shape[0])
        self._model.predict(rows.description, scores, None, thread_count(self._threads))
        return scores - self.threshold_

    def predict(self, X: Any) -> np.ndarray:
        """Labels.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
        """
        rows = self._rows(X)
        decisions = np.empty(rows.shape[0], np.int8)
        self._model.predict(rows.description, None, decisions, thread_count(self._threads))
        return labels_of(decisions, self.classes_[0], self.classes_[1], None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that ``neyman predict`` and the other commands read.

        Parameters
        ----------
        path : path
            The file appears whole or not at all.
        """
        self._model.write(os.fspath(path))
