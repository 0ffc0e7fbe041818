"""Any scikit-learn classifier with a certified threshold."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arrays import _as_vector, as_scores, class_names, encode
from ._certificate import certify, check_bounds

__all__ = ["CertifiedClassifier", "certify_estimator"]


# ---------------------------------------------------------------------- scores of an estimator


def _response_of(estimator: Any, method: str) -> str:
    if method not in ("auto", "decision_function", "predict_proba"):
        raise ValueError(f"response_method={method!r}: expected 'auto', 'decision_function' or 'predict_proba'")
    names = ("decision_function", "predict_proba") if method == "auto" else (method,)
    for name in names:
        if hasattr(estimator, name):
            return name
    raise TypeError(f"{type(estimator).__name__} has no {' and no '.join(names)}: a threshold needs scores")


def scores_of(estimator: Any, X: Any, method: str, positive: Any) -> np.ndarray:
    """One score per row, larger for the class `positive`."""
    name = _response_of(estimator, method)
    found = np.asarray(getattr(estimator, name)(X))
    classes = list(getattr(estimator, "classes_", []))
    if name == "predict_proba":
        if found.ndim != 2 or found.shape[1] != 2:
            raise ValueError(f"predict_proba gives an array of shape {found.shape}, expected two columns: a column per class")
        return as_scores(found[:, classes.index(positive) if classes else 1])
    if found.ndim == 2 and found.shape[1] == 2:
        return as_scores(found[:, classes.index(positive) if classes else 1])
    scores = as_scores(found, "decision_function")
    return -scores if classes and classes[0] == positive else scores


def reject_label_of(classes: np.ndarray, label: Any) -> Any:
    """The label of rejected rows: the one given, or one that no class has."""
    if label is not None:
        if label in list(classes):
            raise ValueError(f"reject_label={label!r} is the label of a class")
        return label
    if classes.dtype.kind in "OUS":
        return "rejected"
    for candidate in (-1, 0):
        if candidate not in classes.astype(float):
            return candidate
    return int(np.min(classes)) - 1


def labels_of(decisions: np.ndarray, negative: Any, positive: Any, reject_label: Any) -> np.ndarray:
    """Labels for decisions +1, -1 and 0."""
    values = [negative, positive] + ([reject_label] if (decisions == 0).any() else [])
    kinds = {np.asarray(v).dtype.kind for v in values}
    mixed = "O" in kinds or ("U" in kinds and len(kinds) > 1)
    table = np.empty(3, dtype=object) if mixed else np.empty(3, dtype=np.asarray(values).dtype)
    table[0], table[2] = negative, positive
    table[1] = values[-1]
    return table[decisions.astype(np.intp) + 1]


# ---------------------------------------------------------------------- leakage


def _stored_rows(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The training rows that a fitted estimator keeps, and X in the same space; None where it keeps none."""
    while isinstance(estimator, Pipeline):
        if len(estimator) > 1:
            X = estimator[:-1].transform(X)
        estimator = estimator[-1]
    for name in ("_fit_X", "support_vectors_", "X_train_", "X_"):
        rows = getattr(estimator, name, None)
        if rows is not None and np.ndim(rows) == 2:
            return rows, X
    return None, X


def _row_keys(X: Any) -> list[bytes] | None:
    """A key per row of numbers, equal for equal rows; None for what is not a table of numbers."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    try:
        table = np.ascontiguousarray(dense, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if table.ndim != 2 or table.size == 0:
        return None
    return [row.tobytes() for row in table + 0.0]  # -0.0 becomes 0.0


def refuse_training_rows(estimator: Any, X: Any) -> None:
    """Raise ValueError if the rows are training rows that the estimator itself keeps."""
    try:
        stored, seen = _stored_rows(estimator, X)
    except (AttributeError, TypeError, ValueError):
        return
    if stored is None:
        return
    old, new = _row_keys(stored), _row_keys(seen)
    if not old or not new or len(old[0]) != len(new[0]):
        return
    known, asked = set(old), set(new)
    repeated = sum(key in known for key in new) / len(new)
    covered = sum(key in asked for key in old) / len(old)
    if repeated >= 0.5 or covered >= 0.5:
        raise ValueError(
            f"{100 * repeated:.0f} % of the calibration rows are training rows of {type(estimator).__name__}, and "
            f"{100 * covered:.0f} % of the training rows it keeps are calibration rows: a certificate needs rows that the "
            "estimator did not see. Split the data before fitting, or use CertifiedClassifier.fit, which does.")


# ---------------------------------------------------------------------- the estimator


def _estimator_has(name: str):
    def check(self: "CertifiedClassifier") -> bool:
        getattr(getattr(self, "estimator_", self.estimator), name)
        return True
    return check


class CertifiedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier of any kind whose error rate is certified.

    :meth:`fit` holds out a share of the rows, fits a clone of ``estimator`` on the others, and certifies a threshold on the
    held-out rows: :func:`certify`. The estimator may be a pipeline; it cannot see the held-out rows.
    :func:`certify_estimator` makes the same object from an estimator that is fitted already.

    Parameters
    ----------
    estimator : classifier
        Anything with ``decision_function`` or ``predict_proba``.
    max_fpr : float, optional
        Bound on the false-positive rate; 0.01 if neither bound is given.
    max_fnr : float, optional
        Bound on the false-negative rate. With both bounds, rows between two thresholds are rejected.
    confidence : float, default=0.95
        Probability with which the bounds hold.
    holdout : float, default=0.3
        Share of the rows (or groups) that is held out.
    pos_label : optional
        The positive label; by default the larger one.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        Where scores come from; "auto" takes the first that the estimator has.
    reject_label : optional
        The prediction for rejected rows. By default "rejected" for labels that are strings, else -1, or 0 if -1 is a class.
    random_state : int, RandomState or None, default=None
        Of the split.
    prefit : bool, default=False
        ``estimator`` is fitted already, and the rows given to :meth:`fit` only certify.

    Attributes
    ----------
    certificate_ : Certificate or CertificatePair
        The guarantee, its threshold and its evidence.
    estimator_ : classifier
        The fitted estimator.
    classes_ : ndarray of shape (2,)
        The labels, ascending.
    pos_label_ : object
        The positive one.
    power_ : float
        Share of the held-out rows of the other class that are classified correctly (with both bounds: of all held-out rows).
        The threshold did not see their labels, so it is an unbiased estimate with one bound. NaN without such rows.
    power_interval_ : tuple of float
        Its exact 95 % interval.
    n_features_in_, feature_names_in_
        Those of the estimator, where it has them.

    See Also
    --------
    certify_estimator : For an estimator that is fitted already.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> import neyman
    >>> X, y = make_classification(6000, class_sep=2, flip_y=0.02, random_state=0)
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> model = neyman.CertifiedClassifier(forest, max_fpr=0.05, random_state=0).fit(X, y)
    >>> model.certificate_.rate <= model.certificate_.bound <= 0.05
    True
    >>> model.predict(X[:3]).shape
    (3,)
    """

    def __init__(self, estimator: Any, *, max_fpr: float | None = None, max_fnr: float | None = None,
                 confidence: float = 0.95, holdout: float = 0.3, pos_label: Any = None, response_method: str = "auto",
                 reject_label: Any = None, random_state: Any = None, prefit: bool = False):
        self.estimator = estimator
        self.max_fpr = max_fpr
        self.max_fnr = max_fnr
        self.confidence = confidence
        self.holdout = holdout
        self.pos_label = pos_label
        self.response_method = response_method
        self.reject_label = reject_label
        self.random_state = random_state
        self.prefit = prefit

    def fit(self, X: Any, y: Any, *, groups: Any = None, **fit_params: Any) -> "CertifiedClassifier":
        """Fit the estimator on a part of the rows and certify its threshold on the others.

        Parameters
        ----------
        X, y
            Rows and their labels, as the estimator takes them. With ``prefit=True``: calibration rows.
        groups : array-like, optional
            Rows with equal values belong together: a group is held out as a whole and is the unit of the certificate.
        **fit_params
            For the estimator's ``fit``; not with ``prefit=True``. Arrays with one value per row are split like X.

        Returns
        -------
        self
        """
        check_bounds(*self._bounds(), self.confidence)
        _response_of(self.estimator, self.response_method)
        labels = _as_vector(y, None, "y")
        keys = None if groups is None else _as_vector(groups, len(labels), "groups")
        if self.prefit:
            if fit_params:
                raise TypeError("fit parameters have no effect on an estimator that is fitted already: "
                                + ", ".join(fit_params))
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            return self._certify(X, labels, keys)
        train, held = self._split(labels, keys)
        params = {name: _safe_indexing(value, train) if np.ndim(value) and len(value) == len(labels) else value
                  for name, value in fit_params.items()}
        self.estimator_ = clone(self.estimator).fit(_safe_indexing(X, train), labels[train], **params)
        return self._certify(_safe_indexing(X, held), labels[held], None if keys is None else keys[held])

    def _bounds(self) -> tuple[float | None, float | None]:
        unset = self.max_fpr is None and self.max_fnr is None
        return (0.01 if unset else self.max_fpr), self.max_fnr

    def _split(self, y: np.ndarray, groups: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        if not 0 < self.holdout < 1:
            raise ValueError(f"holdout={self.holdout!r}: expected a share between 0 and 1")
        split = StratifiedShuffleSplit if groups is None else GroupShuffleSplit
        return next(split(1, test_size=self.holdout, random_state=self.random_state).split(y, y, groups))

    def _certify(self, X: Any, y: np.ndarray, groups: np.ndarray | None) -> "CertifiedClassifier":
        classes = getattr(self.estimator_, "classes_", None)
        self.classes_ = np.asarray(class_names(y) if classes is None else classes)
        if self.classes_.ndim != 1 or len(self.classes_) != 2:
            raise ValueError(f"the estimator has {len(self.classes_)} classes, expected two")
        self.pos_label_ = self.classes_[1] if self.pos_label is None else self.pos_label
        if self.pos_label_ not in list(self.classes_):
            raise ValueError(f"pos_label={self.pos_label!r}: the classes are {self.classes_.tolist()}")
        self._neg_label = self.classes_[0] if self.pos_label_ == self.classes_[1] else self.classes_[1]
        self.reject_label_ = reject_label_of(self.classes_, self.reject_label)
        refuse_training_rows(self.estimator_, X)
        scores = scores_of(self.estimator_, X, self.response_method, self.pos_label_)
        if len(scores) != len(y):
            raise ValueError(f"y: expected {len(scores)} labels, one per row of X, found {len(y)}")
        signs = encode(y, self._neg_label, self.pos_label_)
        max_fpr, max_fnr = self._bounds()
        self.certificate_ = certify(signs, scores, max_fpr, self.confidence, max_fnr=max_fnr, groups=groups, pos_label=1)
        self._measure_power(scores, signs)
        return self

    def _measure_power(self, scores: np.ndarray, signs: np.ndarray) -> None:
        """Detection on the held-out rows whose labels did not choose the threshold."""
        kind = getattr(self.certificate_, "kind", None)
        rows = np.ones(len(signs), bool) if kind is None else signs == (1 if kind == "fpr" else -1)
        right = int((self.certificate_.decide(scores[rows]) == signs[rows]).sum())
        n = int(rows.sum())
        self.power_ = right / n if n else float("nan")
        self.power_interval_ = _core.interval(right, n, 0.95) if n else (0.0, 1.0)
        if n and right == 0:
            warnings.warn("the bound is certified, but no calibration row of the other class is classified correctly: use "
                          "more calibration rows (neyman.plan), a larger bound or a better estimator", UserWarning,
                          stacklevel=4)

    # ------------------------------------------------------------------ decisions

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return scores_of(self.estimator_, X, self.response_method, self.pos_label_)

    def predict(self, X: Any) -> np.ndarray:
        """Labels at the certified threshold; ``reject_label_`` for rows between two thresholds."""
        scores = self._scores(X)
        return labels_of(self.certificate_.decide(scores), self._neg_label, self.pos_label_, self.reject_label_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores less the certified threshold (of two: the higher one). Larger means more like ``classes_[1]``.

        With one bound, a row is predicted positive if and only if the number is at least 0 for ``pos_label_`` at its default.
        """
        scores = self._scores(X)
        shifted = scores - self.certificate_.high
        return shifted if self.pos_label_ == self.classes_[1] else -shifted

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the estimator; the threshold does not change them."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    @property
    def threshold_(self) -> float:
        """The certified threshold of the estimator's scores; of two the one from which on rows are positive."""
        return self.certificate_.high

    @property
    def n_features_in_(self) -> int:
        """Number of features of the estimator."""
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the features, if the estimator was fitted with names."""
        return self.estimator_.feature_names_in_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "certificate_")

    def _more_tags(self) -> dict[str, Any]:
        return {"binary_only": True}


def certify_estimator(estimator: Any, X: Any, y: Any, *, max_fpr: float | None = None, max_fnr: float | None = None,
                      confidence: float = 0.95, groups: Any = None, pos_label: Any = None, response_method: str = "auto",
                      reject_label: Any = None) -> CertifiedClassifier:
    """Give a fitted classifier a threshold with a guarantee.

    "At most 1 % of negatives are flagged, with 95 % confidence" for random forests, gradient boosting, neural networks, and
    everything else that has ``decision_function`` or ``predict_proba``. The guarantee needs no assumption about the
    classifier or the distribution.

    **The rows must be new to the estimator**: not used to fit it, to tune it, to select its features or to stop it early,
    and drawn like the rows that it will meet. That two data sets are the same rows cannot be known in general. What can be
    seen is refused: an estimator that is not fitted, and one that keeps training rows (nearest neighbours, support vector
    machines, Gaussian processes, alone or at the end of a pipeline) where at least half of them are among the calibration
    rows, or the reverse.

    Parameters
    ----------
    estimator : fitted classifier
        Anything with ``decision_function`` or ``predict_proba`` and two classes. It is neither copied nor changed.
    X, y : array-like
        Calibration rows, as the estimator takes them, and their labels.
    max_fpr : float, optional
        Bound on the false-positive rate; 0.01 if neither bound is given.
    max_fnr : float, optional
        Bound on the false-negative rate. With both bounds, rows between two thresholds are rejected.
    confidence : float, default=0.95
        Probability with which the bounds hold.
    groups : array-like of shape (n,), optional
        Rows with equal values belong together (patients, accounts): the group is then the unit of the certificate.
    pos_label : optional
        The positive label; by default ``estimator.classes_[1]``.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        Where scores come from; "auto" takes the first that the estimator has.
    reject_label : optional
        The prediction for rejected rows. By default "rejected" for labels that are strings, else -1, or 0 if -1 is a class.

    Returns
    -------
    CertifiedClassifier
        A classifier that predicts at the certified threshold; ``certificate_`` states the guarantee.

    Raises
    ------
    NotCertifiableError
        Too few calibration rows of the bounded class; ``rows_needed`` says how many are needed.
    ValueError
        The rows are seen to be training rows, or arguments are not valid.
    sklearn.exceptions.NotFittedError
        The estimator is not fitted.

    See Also
    --------
    plan : How many calibration rows are needed.
    CertifiedClassifier : Holds rows out, fits and certifies in one step.
    Monitor : Watch the bound while the classifier is in use.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.model_selection import train_test_split
    >>> import neyman
    >>> X, y = make_classification(6000, class_sep=2, flip_y=0.02, random_state=0)
    >>> X_train, X_cal, y_train, y_cal = train_test_split(X, y, random_state=0)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X_train, y_train)
    >>> certified = neyman.certify_estimator(forest, X_cal, y_cal, max_fpr=0.05)
    >>> print(certified.certificate_)  # doctest: +ELLIPSIS
    At most 5 % of negatives are classified as positive, with 95 % confidence (771 held-out negatives: ... misclassified, ... %).
    >>> predictions = certified.predict(X_cal)
    """
    classifier = CertifiedClassifier(estimator, max_fpr=max_fpr, max_fnr=max_fnr, confidence=confidence, pos_label=pos_label,
                                     response_method=response_method, reject_label=reject_label, prefit=True)
    return classifier.fit(X, y, groups=groups)
