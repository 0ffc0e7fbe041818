"""Any scikit-learn classifier with a certified threshold."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Iterator

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, column_or_1d, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arrays import _as_vector, _distinct, _equals, as_groups, as_scores, class_names, encode, show
from ._certificate import _KINDS, Certificate, _names, certify_signs, check_bounds, deltas, percent, stated, too_few

__all__ = ["CertifiedClassifier", "certify_estimator"]


# ---------------------------------------------------------------------- scores of an estimator

_RESPONSES = ("decision_function", "predict_proba", "predict")


def _is_classifier(estimator: Any) -> bool:
    """As is_classifier(), which since scikit-learn 1.7 is an error for objects that are not of its kind."""
    try:
        return is_classifier(estimator)
    except AttributeError:
        return getattr(estimator, "_estimator_type", None) == "classifier"


def _has(estimator: Any, name: str) -> bool:
    return callable(getattr(estimator, name, None))


def response_of(estimator: Any, method: str | Callable) -> str | Callable:
    """Where scores come from: the name of a method, or a function of the estimator and X."""
    if callable(method):
        return method
    if method != "auto" and method not in _RESPONSES:
        raise ValueError(f"response_method={method!r}: expected 'auto', {', '.join(map(repr, _RESPONSES))} or a function "
                         "that takes the estimator and X and gives one score per row")
    names = _RESPONSES[:2] if method == "auto" else (method,)
    for name in names:
        if _has(estimator, name):
            return name
    labels_only = _is_classifier(estimator) or hasattr(estimator, "classes_")
    if method == "auto" and _has(estimator, "predict") and not labels_only:
        return "predict"  # a regressor: larger means more like the larger label
    name = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
    raise TypeError(f"{name} has no {' and no '.join(names)}, and a threshold needs a score per row. Set the estimator up to "
                    "give probabilities (voting='soft', loss='log_loss'), wrap it in CalibratedClassifierCV, or pass "
                    "response_method: a function that takes the estimator and X and gives one score per row")


def scores_of(estimator: Any, X: Any, method: str | Callable, classes: np.ndarray, positive: Any) -> np.ndarray:
    """One score per row, larger for the class `positive`."""
    response = response_of(estimator, method)
    if not isinstance(response, str):
        return as_scores(response(estimator, X), "response_method")
    found = np.asarray(getattr(estimator, response)(X))
    first = bool(_equals(classes[:1], positive)[0])
    if found.ndim == 2 and found.shape[1] == 2 and response != "predict":
        return as_scores(found[:, 0 if first else 1], response)
    if found.ndim not in (1, 2) or (found.ndim == 2 and found.shape[1] != 1):
        raise ValueError(f"{response} gives an array of shape {found.shape}, expected one score per row or a column per class "
                         "of two classes")
    scores = as_scores(found, response)
    return -scores if first else scores


def classes_of(estimator: Any, y: np.ndarray, pos_label: Any) -> np.ndarray:
    """The two classes of an estimator, ascending; those of y if it does not say."""
    classes = getattr(estimator, "classes_", None)
    name = type(estimator).__name__
    if classes is None:
        names = class_names(y, pos_label)
        if names[0] is None:
            raise ValueError(f"{name} does not say its classes (classes_), and all labels in y are {show(names[1])}: pass "
                             "calibration rows of both classes")
        return np.unique(np.asarray(names))
    if isinstance(classes, list) and classes and np.ndim(classes[0]):
        raise ValueError(f"{name} has {len(classes)} outputs, expected one: fit it on one column of y")
    classes = np.asarray(classes)
    if len(classes) != 2:
        raise ValueError(f"Only binary classification is supported: {name} has {len(classes)} "
                         f"class{'es' * (len(classes) != 1)} ({', '.join(map(show, classes[:4]))}{', ...' * (len(classes) > 4)})."
                         + (" Certify one class against the others: fit it on y == label, and pass that y here."
                            if len(classes) > 2 else " Fit it on rows of both classes."))
    return classes


def reject_label_of(classes: np.ndarray, label: Any) -> Any:
    """The label of rejected rows: the one given, or one that no class has."""
    if label is not None:
        if np.ndim(label):
            raise ValueError(f"reject_label={label!r}: expected one label")
        if _equals(classes, label).any():
            raise ValueError(f"reject_label={label!r} is the label of a class: choose another")
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
    while True:
        if isinstance(estimator, Pipeline):
            if len(estimator) > 1:
                X = estimator[:-1].transform(X)
            estimator = estimator[-1]
        elif hasattr(estimator, "best_estimator_"):  # GridSearchCV and its like
            estimator = estimator.best_estimator_
        else:
            break
    for name in ("_fit_X", "support_vectors_", "X_train_", "X_"):
        rows = getattr(estimator, name, None)
        if rows is not None and np.ndim(rows) == 2:
            return rows, X
    return None, X


def _row_hashes(X: Any, as_sparse: bool) -> Iterator[int]:
    """A number per row of numbers, equal for equal rows."""
    if as_sparse:
        table = sparse.csr_matrix(X, dtype=np.float64, copy=True)
        table.sum_duplicates()
        table.eliminate_zeros()
        for first, last in zip(table.indptr[:-1], table.indptr[1:]):
            yield hash((table.indices[first:last].astype(np.int64).tobytes(), table.data[first:last].tobytes()))
    else:
        for first in range(0, len(X), 4096):
            for row in np.ascontiguousarray(X[first:first + 4096], dtype=np.float64) + 0.0:  # -0.0 becomes 0.0
                yield hash(row.tobytes())


def refuse_training_rows(estimator: Any, X: Any) -> None:
    """Raise ValueError if the rows are training rows that the estimator itself keeps."""
    try:
        stored, seen = _stored_rows(estimator, X)
        if stored is None:
            return
        as_sparse = sparse.issparse(stored) or sparse.issparse(seen)
        stored, seen = (X if sparse.issparse(X) else np.asarray(X) for X in (stored, seen))
        if seen.ndim != 2 or stored.shape[1] != seen.shape[1] or not stored.shape[0] or not seen.shape[0]:
            return
        old, new = list(_row_hashes(stored, as_sparse)), list(_row_hashes(seen, as_sparse))
    except (AttributeError, TypeError, ValueError):  # not tables of numbers
        return
    known, asked = set(old), set(new)
    repeated = sum(key in known for key in new) / len(new)
    covered = sum(key in asked for key in old) / len(old)
    if repeated >= 0.5 or covered >= 0.5:
        raise ValueError(
            f"{100 * repeated:.0f} % of the calibration rows are training rows of {type(estimator).__name__}, and "
            f"{100 * covered:.0f} % of the training rows it keeps are calibration rows: a certificate needs rows that the "
            "estimator did not see. Split the data before fitting, or use CertifiedClassifier.fit, which does.")


def check_fitted(estimator: Any) -> None:
    """Raise NotFittedError for an estimator of scikit-learn's kind that is not fitted; others speak for themselves."""
    if isinstance(estimator, type):
        raise TypeError(f"{estimator.__name__} is a class: pass a fitted object of it")
    if not isinstance(estimator, BaseEstimator):
        return
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        raise NotFittedError(
            f"this {type(estimator).__name__} is not fitted. Fit it on other rows first. A copy (clone, cross_val_score, "
            "GridSearchCV) of a certified classifier loses the fit: there use CertifiedClassifier(estimator), which fits on a "
            "part of the rows and certifies on the others") from None


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

    Put a search inside, ``CertifiedClassifier(GridSearchCV(...))``: the held-out rows then take no part in it, and the
    certificate holds. A search outside, ``GridSearchCV(CertifiedClassifier(...))``, chooses parameters on rows that certify
    the final classifier: use it to compare, not for its certificate. It also passes no ``groups`` on.

    Parameters
    ----------
    estimator : classifier
        Anything with ``decision_function`` or ``predict_proba``, or a regressor.
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
    response_method : {"auto", "decision_function", "predict_proba", "predict"} or callable, default="auto"
        Where scores come from; "auto" takes the first of the first two that the estimator has, and of a regressor ``predict``.
        A function takes the estimator and X and gives one score per row, larger for the positive class.
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
        With one bound the threshold did not see their labels, and it is an unbiased estimate. NaN without such rows.
    power_interval_ : tuple of float
        Its exact 95 % interval. NaN where none is known: with both bounds, whose thresholds saw these rows, and with groups.
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
                 confidence: float = 0.95, holdout: float = 0.3, pos_label: Any = None,
                 response_method: str | Callable = "auto", reject_label: Any = None, random_state: Any = None,
                 prefit: bool = False):
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

        Whether there are enough rows to certify the bounds is checked before the estimator is fitted.

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
        response_of(self.estimator, self.response_method)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        keys = None if groups is None else _as_vector(groups, len(labels), "groups")
        as_groups(keys, len(labels))  # refuses missing values
        if self.prefit:
            if fit_params:
                raise TypeError("fit parameters have no effect on an estimator that is fitted already: "
                                + ", ".join(fit_params))
            check_fitted(self.estimator)
            self.estimator_ = self.estimator
            return self._certify(X, labels, keys)
        X, *_ = indexable(X)
        if _num_samples(X) != len(labels):
            raise ValueError(f"y: expected {_num_samples(X)} labels, one per row of X, found {len(labels)}")
        train, held = self._split(labels, keys)
        params = {name: _safe_indexing(value, train) if np.ndim(value) and len(value) == len(labels) else value
                  for name, value in fit_params.items()}
        self.estimator_ = clone(self.estimator).fit(_safe_indexing(X, train), labels[train], **params)
        return self._certify(_safe_indexing(X, held), labels[held], None if keys is None else keys[held])

    def _bounds(self) -> tuple[float | None, float | None]:
        unset = self.max_fpr is None and self.max_fnr is None
        return (0.01 if unset else self.max_fpr), self.max_fnr

    def _split(self, y: np.ndarray, groups: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Rows to train on and rows to hold out, enough of them to certify the bounds."""
        if not isinstance(self.holdout, (float, np.floating)) or not 0 < self.holdout < 1:
            raise ValueError(f"holdout={self.holdout!r}: expected a share of the rows between 0 and 1")
        check_classification_targets(y)
        found = _distinct(y)
        if len(found) > 2:
            raise ValueError(f"Only binary classification is supported: y has more than two classes ({show(found[0])}, "
                             f"{show(found[1])}, {show(found[2])}, ...). Certify one class against the others: pass y == label")
        if len(found) < 2:
            raise ValueError(f"y has one class only ({', '.join(map(show, found))}): pass rows of both classes")
        negative, positive = class_names(y, self.pos_label)
        signs = encode(y, negative, positive)
        for sign, label in ((-1, negative), (1, positive)):
            if (signs == sign).sum() < 2:
                raise ValueError(f"one row of y is of the class {show(label)}: at least two are needed, one to train on and one "
                                 "to hold out")
        split = StratifiedShuffleSplit if groups is None else GroupShuffleSplit
        try:
            train, held = next(split(1, test_size=self.holdout, random_state=self.random_state).split(y, y, groups))
        except ValueError as error:
            raise ValueError(f"holdout={self.holdout!r} cannot be held out of {len(y)} rows: {error}") from None
        self._check_held_out(signs, held, groups)
        if len(_distinct(y[train])) < 2:
            raise ValueError("the groups that are left to train on have rows of one class only: pass more groups, or another "
                             "random_state")
        return train, held

    def _check_held_out(self, signs: np.ndarray, held: np.ndarray, groups: np.ndarray | None) -> None:
        """Raise NotCertifiableError before any training if the held-out rows are too few."""
        max_fpr, max_fnr = self._bounds()
        _, delta = deltas(self.confidence, max_fpr is not None and max_fnr is not None, groups is not None)
        for kind, rate, sign in (("fpr", max_fpr, -1), ("fnr", max_fnr, 1)):
            if rate is None:
                continue
            of = _KINDS[kind][0]
            all_rows, rows = np.flatnonzero(signs == sign), held[signs[held] == sign]
            total, n = len(all_rows), len(rows)
            if groups is not None:
                total, n = len(np.unique(groups[all_rows])), len(np.unique(groups[rows]))
                of = f"groups with {of}"
            needed = int(_core.rows_needed(rate, delta))
            if n >= needed:
                continue
            held_share = f"; or hold out more, holdout={np.ceil(100 * needed / total) / 100:.2g}" if needed < 0.9 * total else ""
            tightest = _core.tightest_rate(n, delta) if n else 1.0
            raise too_few(
                f"{n} of the {total} {of} are held out; max_{kind}={rate:g} with {stated(self.confidence)} confidence needs at "
                f"least {needed}. Pass at least {int(np.ceil(needed / self.holdout)) + 1} {of}{held_share}; or allow a larger "
                f"rate: {n} can certify max_{kind}={np.ceil(tightest * 1e4) / 1e4:.4g}", n, rate, delta)

    def _certify(self, X: Any, y: np.ndarray, groups: np.ndarray | None) -> "CertifiedClassifier":
        if self.pos_label is not None and np.ndim(self.pos_label):
            raise ValueError(f"pos_label={self.pos_label!r}: expected one label")
        self.classes_ = classes_of(self.estimator_, y, self.pos_label)
        self.pos_label_ = self.classes_[1] if self.pos_label is None else self.pos_label
        is_positive = _equals(self.classes_, self.pos_label_)
        if not is_positive.any():
            raise ValueError(f"pos_label={self.pos_label!r}: the classes are {self.classes_.tolist()}")
        self._neg_label = self.classes_[~is_positive][0]
        self.reject_label_ = reject_label_of(self.classes_, self.reject_label)
        signs = encode(y, self._neg_label, self.pos_label_, f", the classes of {type(self.estimator_).__name__}")
        keys = as_groups(groups, len(signs))
        refuse_training_rows(self.estimator_, X)
        scores = scores_of(self.estimator_, X, self.response_method, self.classes_, self.pos_label_)
        if len(scores) != len(y):
            raise ValueError(f"y: expected {len(scores)} labels, one per score, found {len(y)}")
        max_fpr, max_fnr = self._bounds()
        self.certificate_ = certify_signs(signs, scores, max_fpr, max_fnr, self.confidence, keys,
                                          (_names(self._neg_label), _names(self.pos_label_)))
        self._measure_power(scores, signs)
        return self

    def _measure_power(self, scores: np.ndarray, signs: np.ndarray) -> None:
        """Detection on the held-out rows whose labels did not choose the threshold."""
        one = self.certificate_ if isinstance(self.certificate_, Certificate) else None
        rows = np.ones(len(signs), bool) if one is None else signs == (1 if one.kind == "fpr" else -1)
        right = int((self.certificate_.decide(scores[rows]) == signs[rows]).sum())
        n = int(rows.sum())
        self.power_ = right / n if n else float("nan")
        self.power_interval_ = (float("nan"), float("nan"))
        if one is not None and one.unit == "rows":
            self.power_interval_ = _core.interval(right, n, 0.95)
        if n and right == 0:
            warnings.warn("the bound is certified, but no calibration row of the other class is classified correctly: use "
                          "more calibration rows (neyman.plan), a larger bound or a better estimator", UserWarning,
                          stacklevel=4)
        elif one is not None and self.power_interval_[1] < one.rate:
            of = "positives" if one.kind == "fpr" else "negatives"
            warnings.warn(f"the bound is certified, but the classifier is worse than chance: {percent(self.power_)} of {of} are "
                          f"classified correctly, and {percent(one.rate)} of the other class incorrectly. Larger scores must mean "
                          "more positive: check pos_label and response_method", UserWarning, stacklevel=4)

    # ------------------------------------------------------------------ decisions

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return scores_of(self.estimator_, X, self.response_method, self.classes_, self.pos_label_)

    def predict(self, X: Any) -> np.ndarray:
        """Labels at the certified threshold; ``reject_label_`` for rows between two thresholds."""
        scores = self._scores(X)
        return labels_of(self.certificate_.decide(scores), self._neg_label, self.pos_label_, self.reject_label_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores less the certified threshold (of two: the higher one). Larger means more like ``classes_[1]``.

        With one bound, a row is predicted positive if and only if the number is at least 0 for ``pos_label_`` at its default.
        """
        scores, high = self._scores(X), self.certificate_.high
        with np.errstate(invalid="ignore"):
            shifted = np.where(scores == high, 0.0, scores - high)  # of equal infinities the difference is NaN
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
        reason = "the certified threshold decides, not a probability of 0.5"
        return {"binary_only": True, "_xfail_checks": {"check_classifiers_one_label_sample_weights": reason,
                                                       "check_classifiers_train": reason}}

    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        if hasattr(self.estimator, "__sklearn_tags__"):  # it takes what the estimator takes
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags


def certify_estimator(estimator: Any, X: Any, y: Any, *, max_fpr: float | None = None, max_fnr: float | None = None,
                      confidence: float = 0.95, groups: Any = None, pos_label: Any = None,
                      response_method: str | Callable = "auto", reject_label: Any = None) -> CertifiedClassifier:
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
        Anything with ``decision_function`` or ``predict_proba`` and two classes; or a regressor. It need not be of
        scikit-learn. It is neither copied nor changed.
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
    response_method : {"auto", "decision_function", "predict_proba", "predict"} or callable, default="auto"
        Where scores come from; "auto" takes the first of the first two that the estimator has, and of a regressor ``predict``.
        A function takes the estimator and X and gives one score per row, larger for the positive class.
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
    At most 5 % of negatives are flagged as positive, with 95 % confidence (771 held-out negatives, ... above the threshold).
    >>> predictions = certified.predict(X_cal)
    """
    classifier = CertifiedClassifier(estimator, max_fpr=max_fpr, max_fnr=max_fnr, confidence=confidence, pos_label=pos_label,
                                     response_method=response_method, reject_label=reject_label, prefit=True)
    return classifier.fit(X, y, groups=groups)
