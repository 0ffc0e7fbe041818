"""Classifiers with the API of scikit-learn that are trained for a goal: bounded rates, costs, rejection, bounded FDR."""

from __future__ import annotations

import numbers
import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arrays import _distinct, as_groups, encode
from ._certificate import Certificate, CertificatePair
from ._certified import labels_of, reject_label_of
from ._data import Rows, as_weights, rows_of, warn_unknown
from ._errors import NotCertifiableError
from ._params import default_of, document, option_pairs, parameter_of, thread_count, translate
from ._progress import ProgressCallback, Reporter

__all__ = ["CostSensitiveClassifier", "FalseDiscoveryClassifier", "NeymanPearsonClassifier", "NeymanPearsonClassifierCV",
           "RejectClassifier", "load"]

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data
except ImportError:
    from sklearn.utils.validation import _check_y

    def validate_data(estimator: Any, /, X: Any = None, y: Any = None, *, reset: bool = True, skip_check_array: bool = False,
                      **check_params: Any) -> Any:
        if not skip_check_array:
            return _check_y(y, estimator=estimator, **check_params)
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)
        return X


def _check_columns(estimator: Any, X: Any, *, reset: bool) -> None:
    """Set names and number of columns, or compare with those of the first rows. What is no table is for rows_of() to refuse."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X, dtype=object).shape
    if len(shape) == 2:
        validate_data(estimator, X, reset=reset, skip_check_array=True)


# Parameters that are not options of the library.
DEFAULT_MAX_FPR = 0.01
OWN_PARAMETERS = ("pos_label", "reject_label", "threads", "verbose")


def _label_text(label: Any) -> str:
    """A label as models and results call it."""
    value = label.item() if isinstance(label, np.generic) else label
    return str(value)


def _labels_of_texts(negative: str, positive: str) -> np.ndarray:
    """Labels of a model that was read from a file: whole numbers, numbers, booleans or texts."""
    texts = [negative, positive]
    if sorted(texts) == ["False", "True"]:
        return np.array([text == "True" for text in texts])
    for kind in (int, float):
        try:
            return np.array([kind(text) for text in texts])
        except ValueError:
            continue
    return np.array(texts)


def _raise_readable(error: ValueError) -> None:
    """The exception of the library in the words of Python."""
    text = translate(str(error))
    if " is missing" in text or " is nan" in text:
        text = "Input X contains NaN: " + text
    elif " is inf" in text or " is -inf" in text:
        text = "Input X contains infinity: " + text
    raise ValueError(text) from None


def _seed_of(random_state: Any) -> int:
    """The seed of a random_state as scikit-learn takes it; that of None is the library's default."""
    if random_state is None:
        return default_of("seed")
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _fit_with_seed(fit: Any, options: list[tuple[str, str]]) -> Any:
    """Fit. The library refuses a seed where nothing is drawn at random; scikit-learn sets one everywhere."""
    try:
        return fit(options)
    except ValueError as error:
        if not str(error).startswith("--seed applies to "):
            raise
    return fit([pair for pair in options if pair[0] != "seed"])


def _is_online(self: Any) -> bool:
    if self.method != "online":
        raise AttributeError(f'partial_fit needs method="online", found method={self.method!r}')
    return True


def _has_probabilities(self: Any) -> bool:
    """Of a fitted estimator: whether its model has calibration rows. Before: whether the parameters ask for them."""
    if hasattr(self, "_model"):
        there = self._model.has_probabilities()
    else:
        there = getattr(self, "calibrate", None) is not None or bool(getattr(self, "calibrate_folds", 0))
    if not there:
        raise AttributeError(f"probabilities need calibration rows: {type(self).__name__} must be fitted with calibrate=0.2, or "
                             "with calibrate_folds=5; or wrap it in CalibratedClassifierCV")
    return True


def _is_never_online(self: Any) -> bool:
    raise AttributeError("FalseDiscoveryClassifier has no partial_fit: the FDR is that of one set of rows, which must be complete. Fit "
                         "all rows; or learn on with NeymanPearsonClassifier, and compute qvalues() of each complete set")


class _Classifier(ClassifierMixin, BaseEstimator):
    """What all estimators share. A subclass names its goal by its parameters."""

    _goals: tuple[str, ...] = ()  # of models that load() gives to the class

    classes_: np.ndarray
    _model: Any
    _is_word: Any  # which columns of a data frame hold categories

    # ------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *,
            callback: ProgressCallback | None = None) -> "_Classifier":
        """Fit the model: preprocess, hold rows out, train, certify.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)
            Rows. Arrays of float32 or float64 and CSR matrices are not copied beyond the storage of the library. Columns of
            a data frame that hold texts or categories become one feature per value, as in the program.
        y : array-like of shape (n,)
            Labels: two values of any kind.
        sample_weight : array-like of shape (n,), optional
            A weight of at least 0 per row, that multiplies the loss of the row in training. Certificates count rows.
        groups : array-like of shape (n,), optional
            Rows with equal values belong together: every hold-out, fold and certificate treats a group as the unit.
        callback : callable, optional
            Called now and then with ``(stage, done, total, value)``; an exception in it stops the fit.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups, callback, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, callback: ProgressCallback | None,
             before: Any) -> "_Classifier":
        """Fit anew, or learn on from the model `before`."""
        is_first = before is None
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        _check_columns(self, X, reset=is_first)
        rows = rows_of(X, self._column_names(), self, None if is_first else self._is_word)
        labels = self._check_labels(y, rows, is_first)
        weights = as_weights(sample_weight, rows.shape[0])
        if weights is not None and len(np.unique(labels[weights > 0])) < 2:
            raise ValueError("Classifier can't train when only one class has rows of a weight above 0")
        keys = as_groups(groups, rows.shape[0])
        negative, positive = _label_text(self._neg_label), _label_text(self.pos_label_)
        options = option_pairs(self._option_values(labels, keys), self._option_names())
        with Reporter(self.verbose, callback) as reporter:
            def fit(pairs: list[tuple[str, str]]) -> tuple[Any, dict[str, Any]]:
                return _core.fit(rows.description, labels, negative, positive, weights, keys, pairs, self._tunes, before,
                                 thread_count(self.threads), reporter.progress, reporter.log)
            try:
                model, result = _fit_with_seed(fit, options)
            except NotCertifiableError as error:
                raise self._not_certifiable(error, labels, keys) from None
            except ValueError as error:
                _raise_readable(error)
        self._take_model(model)
        self.result_ = result
        self._is_word = rows.is_word if is_first else self._is_word
        self._warn_of_result(result)
        return self

    _tunes = False

    def _column_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _option_names(self) -> list[str]:
        return [name for name in self._get_param_names() if name not in OWN_PARAMETERS]

    def _option_values(self, labels: np.ndarray, keys: np.ndarray | None) -> dict[str, Any]:
        return {**self.get_params(deep=False), "random_state": _seed_of(self.random_state)}

    def _check_labels(self, y: Any, rows: Rows, is_first: bool) -> np.ndarray:
        """+1 and -1; sets classes_ and the like, or checks against them."""
        y = validate_data(self, y=y, multi_output=False, y_numeric=False)
        check_consistent_length(np.empty(rows.shape[0]), y)
        found = _distinct(y) if y.dtype.kind in "biu" else None  # needs no sorting, and takes no other check
        if found is None or len(found) > 2:
            check_classification_targets(y)
        if is_first:
            self._set_classes(np.unique(y) if found is None else found, y)
        return encode(y, self._neg_label, self.pos_label_)

    def _set_classes(self, classes: np.ndarray, y: np.ndarray) -> None:
        if len(classes) > 2:
            kind = type_of_target(y, input_name="y")
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        if len(classes) < 2:
            raise ValueError(f"Classifier can't train when only one class is present: {classes.tolist()}")
        positive = classes[1] if self.pos_label is None else self.pos_label
        if positive not in classes.tolist():
            raise ValueError(f"pos_label={self.pos_label!r}: the classes are {classes.tolist()}")
        self.classes_ = classes
        self.pos_label_ = positive
        self._neg_label = classes[0] if positive == classes[1] else classes[1]
        self.reject_label_ = reject_label_of(classes, self.reject_label)

    def _bounds(self) -> dict[int, float]:
        """Bounded rates that are certified, by the label (+1, -1) of the class that they are of."""
        return {}

    def _not_certifiable(self, error: NotCertifiableError, labels: np.ndarray,
                         keys: np.ndarray | None) -> NotCertifiableError:
        """The error with the number of rows needed, of the bounded class that lacks most."""
        bounds = self._bounds()
        delta = _core.delta_of_confidence(self.confidence) if bounds else 1.0
        if len(bounds) > 1:  # a group may have rows of both classes: the union bound
            delta = _core.delta_of_each(delta) if keys is None else delta / 2
        lacking = []
        for label, rate in bounds.items():
            rows = labels == label
            n = int(rows.sum()) if keys is None else len(np.unique(keys[rows]))
            needed = _core.rows_needed(rate, delta) if 0 < rate < 1 else 0
            lacking.append((int(needed) - n, int(needed), n))
        text = translate(str(error))
        if not lacking:
            return NotCertifiableError(text)
        _, needed, n = max(lacking)
        return NotCertifiableError(text, needed or None, n, _core.tightest_rate(n, delta) if n else 1.0)

    def _warn_of_result(self, result: dict[str, Any]) -> None:
        """Warnings of the result, and of a solver that stopped early."""
        for text in result.get("warnings", []):
            warnings.warn(translate(text), UserWarning, stacklevel=4)
        if result.get("stop") in ("iterations", "time"):
            limit = "max_iter" if result["stop"] == "iterations" else "max_time"
            warnings.warn(f"the solver stopped before convergence, by {limit}={getattr(self, limit)}", ConvergenceWarning,
                          stacklevel=4)

    # ------------------------------------------------------------------ what was fitted

    def _take_model(self, model: Any) -> None:
        self._model = model
        info = model.info()
        self._low, self._high = info["low"], info["high"]
        self._categories = info["categories"]
        self.certificate_ = _certificate_of(info, self._neg_label, self.pos_label_)
        self.n_iter_ = max(1, int(info["summary"].get("iterations", 1)))

    @property
    def threshold_(self) -> float:
        """The score from which on a row is positive."""
        check_is_fitted(self)
        return self._high

    @property
    def threshold_low_(self) -> float:
        """The score below which a row is negative: that of ``threshold_`` unless rows are rejected between."""
        check_is_fitted(self)
        return self._low

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # ------------------------------------------------------------------ prediction

    def _rows_to_predict(self, X: Any) -> Rows:
        check_is_fitted(self)
        _check_columns(self, X, reset=False)
        rows = rows_of(X, self._column_names(), self, self._is_word)
        if rows.is_word is not None:
            warn_unknown(rows, self._categories)
        return rows

    def _predict(self, X: Any, kind: type) -> np.ndarray:
        """Scores (float64) or decisions (int8) of rows."""
        rows = self._rows_to_predict(X)
        out: np.ndarray = np.empty(rows.shape[0], kind)
        score, decision = (out, None) if kind is np.float64 else (None, out)
        try:
            self._model.predict(rows.description, score, decision, thread_count(self.threads))
        except ValueError as error:
            _raise_readable(error)
        return out

    def predict(self, X: Any) -> np.ndarray:
        """Labels; ``reject_label_`` for rejected rows, which are never decided.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
        """
        return labels_of(self._predict(X, np.int8), self._neg_label, self.pos_label_, self.reject_label_)

    def raw_scores(self, X: Any) -> np.ndarray:
        """Scores as ``neyman predict --scores`` writes them, bit for bit: larger means more positive.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._predict(X, np.float64)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores less the threshold (of two: the higher one); larger means more like ``classes_[1]``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
            Above 0 if and only if the row is predicted as ``classes_[1]``, where no row is rejected.
        """
        scores = self.raw_scores(X)
        if self.pos_label_ == self.classes_[1]:
            return scores - np.nextafter(self._high, -np.inf)  # a score equal to the threshold is positive
        return self._low - scores

    def p_values(self, X: Any) -> np.ndarray:
        """Conformal p-values of both classes, for a model that was fitted with ``conformal`` or ``conformal_folds``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n, 2)
            The p-value of the hypothesis that the row belongs to each of ``classes_``.
        """
        scores = self.raw_scores(X)
        positive, negative = np.empty(len(scores)), np.empty(len(scores))
        self._model.p_values(scores, positive, negative)
        pair = [negative, positive] if self.pos_label_ == self.classes_[1] else [positive, negative]
        return np.column_stack(pair)

    def _probabilities(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of the positive class: probability, p_low, p_high."""
        scores = self.raw_scores(X)
        p, low, high = (np.empty(len(scores)) for _ in range(3))
        self._model.probabilities(scores, p, low, high)
        return p, low, high

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of both classes, for a model that was fitted with ``calibrate`` or ``calibrate_folds``.

        They are those of ``neyman predict --probability``: p_high / (1 - p_low + p_high) of :meth:`probability_interval`.
        That method says what is guaranteed; of the one number in between nothing is. ``predict`` decides by the threshold
        that suits the goal, not by a probability of 0.5.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n, 2)
            The probability of each of ``classes_``.
        """
        p = self._probabilities(X)[0]
        return np.column_stack([1 - p, p] if self.pos_label_ == self.classes_[1] else [p, 1 - p])

    @available_if(_has_probabilities)
    def probability_interval(self, X: Any) -> np.ndarray:
        """The two Venn-Abers probabilities of ``pos_label_``: p_low and p_high.

        If the calibration rows were held out (``calibrate``, without groups) and new rows come from the same distribution,
        one of the two, that of the row's true class, is perfectly calibrated: among rows for which it is p, a share p is
        positive. The interval between them is no confidence interval. With groups or ``calibrate_folds`` both are estimates;
        ``result_["probability_statement"]`` says what holds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n, 2)
            Columns p_low and p_high.
        """
        return np.column_stack(self._probabilities(X)[1:])

    # ------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that ``neyman predict`` and the other commands read.

        Parameters
        ----------
        path : path
            The file appears whole or not at all.
        """
        check_is_fitted(self)
        self._model.write(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "_Classifier":
        """Read a model that :meth:`save` or the program wrote.

        Parameters
        ----------
        path : path

        Returns
        -------
        estimator
            Fitted; its scores are the same bits. Labels are whole numbers, numbers, booleans or texts, by their names in the
            file; parameters are those that the file knows.
        """
        return _estimator_of(_core.model_read(os.fspath(path)), cls)

    # ------------------------------------------------------------------ scikit-learn

    def _takes_missing(self) -> bool:
        return self.missing != "error" or getattr(self, "trees", 0) != 0  # trees keep missing values

    def _more_tags(self) -> dict[str, Any]:
        return {"binary_only": True, "allow_nan": self._takes_missing(),
                "_xfail_checks": {"check_sample_weights_invariance":
                                  "zero sample_weight is not equivalent to removing samples"}}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_missing()
        return tags


class _OnlineMixin(_Classifier):
    """partial_fit for the goals that the online method can learn on for."""

    @available_if(_is_online)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, groups: Any = None) -> Any:
        """Learn on from the model on new rows, by ``method="online"``.

        The first rows fit the model as :meth:`fit` does: scaling and categories are theirs and stay. Further rows continue from
        the model's weights and multiplier. Rows of one class are kept until rows of the other arrive.

        **What is certified**: with a confidence, every call holds out rows of its own to certify the model that it makes, and
        ``certificate_`` is about that model alone. A call with too few rows of the bounded class raises
        :class:`NotCertifiableError`, rows that the model has seen raise it too, and the model stays as it was. With
        ``confidence=None`` nothing is certified: the bound holds on the rows of the last call.

        Parameters
        ----------
        X, y, sample_weight, groups
            As of :meth:`fit`.
        classes : array-like of shape (2,), optional
            Both labels, where the first rows may lack one.

        Returns
        -------
        self
        """
        is_first = not hasattr(self, "_model")
        parts = [*getattr(self, "_pending", []), (X, y, sample_weight, groups)]
        found = np.unique(np.concatenate([np.asarray(part[1]) for part in parts]))
        known = self.classes_ if not is_first else found if classes is None else np.unique(np.asarray(classes))
        if not set(found.tolist()) <= set(known.tolist()):
            raise ValueError(f"y: the labels are {found.tolist()}, expected {known.tolist()}")
        is_kept = len(found) < 2 and len(known) == 2
        if is_kept or len(parts) > 1:
            _check_columns(self, X, reset=is_first and len(parts) == 1)
        if is_kept:
            self.classes_, self._pending = known, parts
            return self
        rows, labels, weights, keys = _join(parts)
        self._fit(rows, labels, weights, keys, None, None if is_first else self._model)
        self.__dict__.pop("_pending", None)
        return self


def _join(parts: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Batches of rows as one."""
    if len(parts) == 1:
        return parts[0]
    joined: list[Any] = [_stack([part[0] for part in parts])]
    for column in zip(*[part[1:] for part in parts]):
        joined.append(None if all(value is None for value in column) else np.concatenate([np.asarray(v) for v in column]))
    return tuple(joined)


def _stack(tables: list[Any]) -> Any:
    if all(hasattr(table, "iloc") for table in tables):
        import pandas as pd
        return pd.concat(tables, ignore_index=True)
    if any(hasattr(table, "tocsr") for table in tables):
        from scipy import sparse
        return sparse.vstack(tables, format="csr")
    return np.vstack([np.asarray(table) for table in tables])


# ---------------------------------------------------------------------- certificates and files


def _one_certificate(facts: dict[str, Any], kind: str, names: tuple[str | None, str | None]) -> Certificate | None:
    if f"{kind}_max_rate" not in facts:
        return None
    unit = "groups" if facts.get("unit") == "group" else "rows"
    n, wrong = int(facts[f"{kind}_n"]), int(facts[f"{kind}_misclassified"])
    groups = int(facts.get(f"{kind}_n_groups", n))
    rate = facts.get(f"{kind}_group_rate", wrong / n if n else 0.0)
    return Certificate(kind=kind, max_rate=facts[f"{kind}_max_rate"], confidence=round(1 - facts[f"{kind}_delta"], 12),
                       threshold=facts[f"{kind}_threshold"], n_held_out=groups if unit == "groups" else n,
                       misclassified=wrong, rate=rate, bound=facts[f"{kind}_bound"], unit=unit, n_rows=n,
                       negative=names[0], positive=names[1])


def _certificate_of(info: dict[str, Any], negative: Any = None, positive: Any = None) -> Certificate | CertificatePair | None:
    """The certificate of a model, with the names of classes that are text; None where no rate is certified."""
    names = (negative, positive) if isinstance(negative, str) and isinstance(positive, str) else (None, None)
    fpr, fnr = (_one_certificate(info["certificate"], kind, names) for kind in ("fpr", "fnr"))
    if not fpr or not fnr:
        return fpr or fnr
    if "groups" in (fpr.unit, fnr.unit):  # a group may have rows of both classes: the union bound
        both = fpr.confidence + fnr.confidence - 1
    else:  # rows of the two classes are independent
        both = fpr.confidence * fnr.confidence
    return CertificatePair(fpr, fnr, round(both, 9), info["low"], info["high"])


def _known_parameters(cls: type[_Classifier], info: dict[str, Any]) -> dict[str, Any]:
    """Parameters that a model's metadata has."""
    names = cls._get_param_names()
    known = {"C" if key == "c" else parameter_of(key): value for key, value in info["summary"].items()}
    found = {name: value for name, value in known.items() if name in names}
    if "confidence" in names:
        certificate = _certificate_of(info)
        found["confidence"] = None if certificate is None else certificate.confidence
    if "max_fdr" in found:
        rates = [float(rate) for rate in str(found["max_fdr"]).split(",")]
        found["max_fdr"] = rates[0] if len(rates) == 1 else rates
    return found


def _estimator_of(model: Any, cls: type[_Classifier] | None) -> Any:
    info = model.info()
    goal = info["summary"].get("goal", "cost")
    kinds: tuple[type[_Classifier], ...] = (NeymanPearsonClassifier, RejectClassifier, FalseDiscoveryClassifier, CostSensitiveClassifier)
    if cls is None:
        cls = next((kind for kind in kinds if goal in kind._goals), CostSensitiveClassifier)
    elif goal not in cls._goals:
        fitting = [kind.__name__ for kind in kinds if goal in kind._goals]
        raise ValueError(f"the model was made for the goal {goal!r}, which is of {' or '.join(fitting) or 'no estimator'}, not "
                         f"{cls.__name__}; neyman.load() chooses the estimator")
    estimator = cls(**_known_parameters(cls, info))
    labels = _labels_of_texts(info["negative"] or "-1", info["positive"] or "1")
    estimator.pos_label = None if labels[1] > labels[0] else labels[1].item()
    estimator._set_classes(np.sort(labels), labels)
    columns = info["columns"]
    estimator.n_features_in_ = info["n_features"] if columns is None else len(columns)
    if columns is not None:
        estimator.feature_names_in_ = np.array(columns, dtype=object)
    words = [category is not None for category in info["categories"]]
    estimator._is_word = words if any(words) else None
    estimator._take_model(model)
    estimator.result_ = dict(info["summary"])
    return estimator


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model of the program or of :meth:`save` as the estimator of its goal.

    Parameters
    ----------
    path : path

    Returns
    -------
    estimator
        Fitted; its scores are the same bits. ``result_`` has what the file keeps of the training result.

    Examples
    --------
    >>> import os, tempfile, neyman
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(300, random_state=0)
    >>> model = neyman.CostSensitiveClassifier(cost_fn=5).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.model")
    ...     model.save(path)
    ...     again = neyman.load(path)
    >>> type(again).__name__, again.cost_fn
    ('CostSensitiveClassifier', 5.0)
    >>> bool((again.raw_scores(X) == model.raw_scores(X)).all())
    True
    """
    return _estimator_of(_core.model_read(os.fspath(path)), None)


# ---------------------------------------------------------------------- the estimators


class _RateClassifier(_Classifier):
    """Bounded rates, the default bound included."""

    _goals = ("np", "bounded")

    def _option_values(self, labels: np.ndarray, keys: np.ndarray | None) -> dict[str, Any]:
        values = super()._option_values(labels, keys)
        if values["max_fpr"] is None and values["max_fnr"] is None:
            values["max_fpr"] = DEFAULT_MAX_FPR
        return values

    def _bounds(self) -> dict[int, float]:
        if self.confidence is None:
            return {}
        if self.max_fpr is None and self.max_fnr is None:
            return {-1: DEFAULT_MAX_FPR}
        return {label: rate for label, rate in ((-1, self.max_fpr), (1, self.max_fnr)) if rate is not None}


@document
class NeymanPearsonClassifier(_OnlineMixin, _RateClassifier):
    """A classifier that keeps an error rate below a bound, certified on held-out rows.

    Finds the score function that has the smallest rate of the other error, and a threshold for which the bound holds on new
    data with the stated confidence. With bounds on both rates, rows that cannot be decided within them are rejected.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    certificate_ : Certificate, CertificatePair or None
        The guarantee and its evidence; None with ``confidence=None``.
    result_ : dict
        Everything that ``neyman train --json`` prints.
    classes_ : ndarray of shape (2,)
        The labels, ascending.
    pos_label_, reject_label_ : object
        The positive label, and the prediction for rejected rows.
    threshold_, threshold_low_ : float
        A row is positive if its score is at least the first, negative if it is below the second.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray
        Names of the columns of a data frame.
    n_iter_ : int
        Iterations of the solver.

    See Also
    --------
    NeymanPearsonClassifierCV : Chooses C, gamma and the method by cross-validation.
    certify_estimator : The guarantee for any other classifier.

    Examples
    --------
    >>> import neyman
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(4000, class_sep=2, flip_y=0.02, random_state=0)
    >>> model = neyman.NeymanPearsonClassifier(max_fpr=0.05).fit(X, y)
    >>> print(model.certificate_)  # doctest: +ELLIPSIS
    At most 5 % of negatives are flagged as positive, with 95 % confidence (... held-out negatives, ... above the threshold).
    >>> bool(((model.predict(X) == 1) & (y == 0)).mean() < 0.05)
    True
    >>> both = neyman.NeymanPearsonClassifier(max_fpr=0.01, max_fnr=0.01).fit(X, y)
    >>> sorted(set(both.predict(X).tolist()))
    [-1, 0, 1]
    """

    def __init__(self, *, max_fpr: float | None = None, max_fnr: float | None = None, confidence: float | None = 0.95,
                 holdout: float | None = None, C: float = 1.0, kernel: str = "linear", gamma: float | str = "scale",
                 degree: int = 3, coef0: float = 0.0, method: str = "auto", cost_fn: float = 1.0, cost_fp: float = 1.0,
                 eta: float = 1.0, start: int = 0, at_k: int = 0, loss: str = "ramp", epochs: int = 0,
                 network: int | Sequence[int] | str = 0, activation: str = "tanh",
                 batch: int = 0, fourier_features: int = 0, trees: int | str = 0,
                 depth: int = 6, learning_rate: float = 0.1, subsample: float = 0.8, min_child: float = 0.05,
                 validation: float | None = None,
                 checkpoint: Any = None, checkpoint_every: float = 60.0, resume: bool = False, conformal: bool = False,
                 conformal_folds: int = 0, calibrate: float | None = None,
                 calibrate_folds: int = 0, scale: str = "default", missing: str = "error", tol: float = 1e-3, max_iter: int = 0,
                 max_time: float = 0.0, cache_size: float = 0.0, no_fingerprint: bool = False, random_state: int = 1,
                 pos_label: Any = None, reject_label: Any = None, threads: int | None = None, verbose: int = 0):
        self.max_fpr = max_fpr
        self.max_fnr = max_fnr
        self.confidence = confidence
        self.holdout = holdout
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.method = method
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.eta = eta
        self.start = start
        self.at_k = at_k
        self.loss = loss
        self.epochs = epochs
        self.network = network
        self.activation = activation
        self.batch = batch
        self.fourier_features = fourier_features
        self.trees = trees
        self.depth = depth
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.min_child = min_child
        self.validation = validation
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.conformal = conformal
        self.conformal_folds = conformal_folds
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.scale = scale
        self.missing = missing
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.cache_size = cache_size
        self.no_fingerprint = no_fingerprint
        self.random_state = random_state
        self.pos_label = pos_label
        self.reject_label = reject_label
        self.threads = threads
        self.verbose = verbose


@document
class NeymanPearsonClassifierCV(_RateClassifier):
    """A :class:`NeymanPearsonClassifier` whose C, gamma and method are chosen by cross-validation.

    The rows that certify the bound take no part in the choice, and scaling is fitted inside the folds: the certificate holds
    whatever the grid. Equal to ``neyman tune``.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    best_params_ : dict
        The values that were chosen.
    certificate_, result_, classes_, threshold_, n_features_in_, ...
        As of :class:`NeymanPearsonClassifier`; ``result_`` is what ``neyman tune --json`` prints.

    Examples
    --------
    >>> import neyman
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(1000, n_features=5, class_sep=2, random_state=0)
    >>> model = neyman.NeymanPearsonClassifierCV(max_fpr=0.05, grid={"C": [0.1, 1]}, no_extend=True, refine=0).fit(X, y)
    >>> model.best_params_["C"] in (0.1, 1)
    True
    >>> model.certificate_.bound <= 0.05
    True
    """

    def __init__(self, *, max_fpr: float | None = None, max_fnr: float | None = None, confidence: float | None = 0.95,
                 grid: Any = None, folds: int = 4, criterion: str = "auto", at: float | None = None, no_extend: bool = False,
                 refine: int = 1, average: int = 10, table: Any = None, fresh: bool = False, search_rows: int | str = "auto",
                 holdout: float | None = None,
                 C: float = 1.0, kernel: str = "linear", gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0,
                 method: str = "auto", cost_fn: float = 1.0, cost_fp: float = 1.0, eta: float = 1.0, start: int = 0,
                 at_k: int = 0, loss: str = "ramp", epochs: int = 0,
                 network: int | Sequence[int] | str = 0, activation: str = "tanh", batch: int = 0,
                 fourier_features: int = 0, trees: int | str = 0,
                 depth: int = 6, learning_rate: float = 0.1, subsample: float = 0.8, min_child: float = 0.05,
                 validation: float | None = None,
                 conformal: bool = False, conformal_folds: int = 0, calibrate: float | None = None,
                 calibrate_folds: int = 0, scale: str = "default", missing: str = "error",
                 tol: float = 1e-3, max_iter: int = 0, max_time: float = 0.0, cache_size: float = 0.0,
                 no_fingerprint: bool = False, random_state: int = 1, pos_label: Any = None, reject_label: Any = None,
                 threads: int | None = None, verbose: int = 0):
        self.max_fpr = max_fpr
        self.max_fnr = max_fnr
        self.confidence = confidence
        self.grid = grid
        self.folds = folds
        self.criterion = criterion
        self.at = at
        self.no_extend = no_extend
        self.refine = refine
        self.average = average
        self.table = table
        self.fresh = fresh
        self.search_rows = search_rows
        self.holdout = holdout
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.method = method
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.eta = eta
        self.start = start
        self.at_k = at_k
        self.loss = loss
        self.epochs = epochs
        self.network = network
        self.activation = activation
        self.batch = batch
        self.fourier_features = fourier_features
        self.trees = trees
        self.depth = depth
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.min_child = min_child
        self.validation = validation
        self.conformal = conformal
        self.conformal_folds = conformal_folds
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.scale = scale
        self.missing = missing
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.cache_size = cache_size
        self.no_fingerprint = no_fingerprint
        self.random_state = random_state
        self.pos_label = pos_label
        self.reject_label = reject_label
        self.threads = threads
        self.verbose = verbose

    _tunes = True

    def _option_values(self, labels: np.ndarray, keys: np.ndarray | None) -> dict[str, Any]:
        """Not more folds than rows (or groups) of the smaller class."""
        values = super()._option_values(labels, keys)
        units = [labels == sign for sign in (-1, 1)]
        least = min(int(rows.sum()) if keys is None else len(np.unique(keys[rows])) for rows in units)
        if 2 <= least < values["folds"]:
            warnings.warn(f"the smaller class has {least} {'rows' if keys is None else 'groups'}: {least} folds, not "
                          f"{values['folds']}", UserWarning, stacklevel=4)
            values["folds"] = least
        return values

    @property
    def best_params_(self) -> dict[str, Any]:
        """The values that were chosen."""
        check_is_fitted(self)
        chosen = {name: self.result_[name] for name in ("C", "kernel", "gamma", "method", "cost_fn", "cost_fp") if name in self.result_}
        summary = self._model.info()["summary"]
        if "depth" in summary:  # trees
            chosen.update(depth=int(summary["depth"]), learning_rate=summary["learning_rate"], min_child=summary["min_child"])
        return chosen


@document
class CostSensitiveClassifier(_OnlineMixin, _Classifier):
    """A support vector machine for errors of different cost; with ``method="online"``, one row at a time.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    result_ : dict
        Everything that ``neyman train --json`` prints.
    classes_, pos_label_, threshold_, n_features_in_, feature_names_in_, n_iter_
        As of :class:`NeymanPearsonClassifier`; ``certificate_`` is None.

    Examples
    --------
    >>> import neyman
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(1000, flip_y=0.2, random_state=0)
    >>> careful = neyman.CostSensitiveClassifier(cost_fn=1, cost_fp=10).fit(X, y)
    >>> even = neyman.CostSensitiveClassifier().fit(X, y)
    >>> bool((careful.predict(X) == 1).sum() < (even.predict(X) == 1).sum())
    True
    """

    _goals = ("cost",)

    def __init__(self, cost_fn: float = 1.0, cost_fp: float = 1.0, *, C: float = 1.0, kernel: str = "linear",
                 gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0, method: str = "auto", eta: float = 1.0,
                 epochs: int = 0,
                 network: int | Sequence[int] | str = 0, activation: str = "tanh", batch: int = 0, fourier_features: int = 0, trees: int | str = 0,
                 depth: int = 6, learning_rate: float = 0.1, subsample: float = 0.8, min_child: float = 0.05,
                 validation: float | None = None,
                 checkpoint: Any = None, checkpoint_every: float = 60.0, resume: bool = False, conformal: bool = False, conformal_folds: int = 0, calibrate: float | None = None,
                 calibrate_folds: int = 0, holdout: float | None = None, scale: str = "default",
                 missing: str = "error", tol: float = 1e-3, max_iter: int = 0, max_time: float = 0.0, cache_size: float = 0.0,
                 no_fingerprint: bool = False, random_state: int = 1, pos_label: Any = None, reject_label: Any = None,
                 threads: int | None = None, verbose: int = 0):
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.method = method
        self.eta = eta
        self.epochs = epochs
        self.network = network
        self.activation = activation
        self.batch = batch
        self.fourier_features = fourier_features
        self.trees = trees
        self.depth = depth
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.min_child = min_child
        self.validation = validation
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.conformal = conformal
        self.conformal_folds = conformal_folds
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.holdout = holdout
        self.scale = scale
        self.missing = missing
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.cache_size = cache_size
        self.no_fingerprint = no_fingerprint
        self.random_state = random_state
        self.pos_label = pos_label
        self.reject_label = reject_label
        self.threads = threads
        self.verbose = verbose


@document
class RejectClassifier(_OnlineMixin, _Classifier):
    """A support vector machine that rejects rows where deciding costs more than rejecting.

    The default cost of rejection is half of an error, at which rejecting never pays: no row is rejected, and a warning says so.
    State what a rejection costs.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    result_ : dict
        Everything that ``neyman train --json`` prints.
    classes_, pos_label_, reject_label_, threshold_, threshold_low_, n_features_in_, feature_names_in_, n_iter_
        As of :class:`NeymanPearsonClassifier`; ``certificate_`` is None.

    Examples
    --------
    >>> import neyman
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(1000, flip_y=0.1, random_state=0)
    >>> model = neyman.RejectClassifier(reject_cost=0.2).fit(X, y)
    >>> predicted = model.predict(X)
    >>> decided = predicted != model.reject_label_
    >>> bool(0 < decided.mean() < 1 and (predicted == y)[decided].mean() > (predicted == y).mean())
    True
    """

    _goals = ("reject",)

    def __init__(self, reject_cost: float = 0.5, *, reject_cost_fn: float | None = None, reject_cost_fp: float | None = None,
                 cost_fn: float = 1.0, cost_fp: float = 1.0, rule: str = "grandvalet", delta0: float | None = None,
                 C: float = 1.0, kernel: str = "linear", gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0,
                 method: str = "auto", epochs: int = 0,
                 network: int | Sequence[int] | str = 0, activation: str = "tanh", batch: int = 0, fourier_features: int = 0, trees: int | str = 0,
                 depth: int = 6, learning_rate: float = 0.1, subsample: float = 0.8, min_child: float = 0.05,
                 validation: float | None = None, checkpoint: Any = None, checkpoint_every: float = 60.0,
                 resume: bool = False, conformal: bool = False, conformal_folds: int = 0, calibrate: float | None = None,
                 calibrate_folds: int = 0, holdout: float | None = None,
                 scale: str = "default", missing: str = "error", tol: float = 1e-3, max_iter: int = 0, max_time: float = 0.0,
                 cache_size: float = 0.0, no_fingerprint: bool = False, random_state: int = 1, pos_label: Any = None,
                 reject_label: Any = None, threads: int | None = None, verbose: int = 0):
        self.reject_cost = reject_cost
        self.reject_cost_fn = reject_cost_fn
        self.reject_cost_fp = reject_cost_fp
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.rule = rule
        self.delta0 = delta0
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.method = method
        self.epochs = epochs
        self.network = network
        self.activation = activation
        self.batch = batch
        self.fourier_features = fourier_features
        self.trees = trees
        self.depth = depth
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.min_child = min_child
        self.validation = validation
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.conformal = conformal
        self.conformal_folds = conformal_folds
        self.calibrate = calibrate
        self.calibrate_folds = calibrate_folds
        self.holdout = holdout
        self.scale = scale
        self.missing = missing
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.cache_size = cache_size
        self.no_fingerprint = no_fingerprint
        self.random_state = random_state
        self.pos_label = pos_label
        self.reject_label = reject_label
        self.threads = threads
        self.verbose = verbose


@document
class FalseDiscoveryClassifier(_Classifier):
    """A classifier that accepts as many positives as possible at a bounded false-discovery rate.

    Positives are targets, of which an unknown share is false; negatives are decoys, which are all false. Rows are scored out
    of fold, and the threshold accepts the rows whose q-value is at most ``max_fdr``. ``result_["fdr_control"]`` says whether
    the bound is guaranteed or an estimate.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    result_ : dict
        Everything that ``neyman train --json`` prints.
    classes_, pos_label_, threshold_, n_features_in_, feature_names_in_, n_iter_
        As of :class:`NeymanPearsonClassifier`; ``certificate_`` is None.

    See Also
    --------
    qvalues : q-values of the scores of any model.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 400)
    >>> X = rng.normal(size=(800, 3)) + 2.5 * (y * (np.arange(800) % 2))[:, None]   # half of the targets are true
    >>> model = neyman.FalseDiscoveryClassifier(max_fdr=0.05).fit(X, y)
    >>> 150 < model.result_["discoveries"] < 250
    True
    """

    _goals = ("fdr",)

    @available_if(_is_never_online)
    def partial_fit(self, X: Any, y: Any) -> Any:
        """Not available: an FDR is that of one complete set of rows."""

    def __init__(self, max_fdr: Any = 0.1, *, fdr_convention: str = "targets", compete: bool = False, no_compete: bool = False,
                 size_correct: bool = False, plus_one: bool = False, no_plus_one: bool = False, spectrum: str | None = None,
                 init_weights: str | None = None, training_rows: int = 0, C: float = 1.0, kernel: str = "linear", gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0,
                 method: str = "auto", eta: float = 1.0, epochs: int = 0, network: int = 0,
                 trees: int | str = 0, depth: int = 6, learning_rate: float = 0.1, subsample: float = 0.8, min_child: float = 0.05,
                 scale: str = "default", missing: str = "error", tol: float = 1e-3, max_iter: int = 0, max_time: float = 0.0,
                 cache_size: float = 0.0, no_fingerprint: bool = False, random_state: int = 1, pos_label: Any = None,
                 reject_label: Any = None, threads: int | None = None, verbose: int = 0):
        self.max_fdr = max_fdr
        self.fdr_convention = fdr_convention
        self.compete = compete
        self.no_compete = no_compete
        self.size_correct = size_correct
        self.plus_one = plus_one
        self.no_plus_one = no_plus_one
        self.spectrum = spectrum
        self.init_weights = init_weights
        self.training_rows = training_rows
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.method = method
        self.eta = eta
        self.epochs = epochs
        self.network = network
        self.trees = trees
        self.depth = depth
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.min_child = min_child
        self.scale = scale
        self.missing = missing
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.cache_size = cache_size
        self.no_fingerprint = no_fingerprint
        self.random_state = random_state
        self.pos_label = pos_label
        self.reject_label = reject_label
        self.threads = threads
        self.verbose = verbose
