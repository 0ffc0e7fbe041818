"""The interface of scikit-learn 1.6 and later, where only an older one is installed: the older one with the changes made to it.

What changed for classes such as ours: tags are objects of ``__sklearn_tags__``, ``_more_tags`` is not read; checks of names and numbers of
columns are those of the function ``sklearn.utils.validation.validate_data``, no methods; ``force_all_finite`` is called
``ensure_all_finite``; ``is_classifier`` fails for objects without tags (1.7).
"""

import subprocess
import sys

import pytest
import sklearn

NEWER = r"""
import dataclasses, types, warnings
warnings.simplefilter("ignore")
import sklearn.base, sklearn.utils, sklearn.utils.validation as validation

Base = sklearn.base.BaseEstimator
names, features = Base._check_feature_names, Base._check_n_features
check_labels = validation._check_y
del validation._check_y   # private: not to be used
calls = {"columns": 0, "labels": 0}
def validate_data(_estimator, /, X="no_validation", y="no_validation", reset=True, validate_separately=False,
                  skip_check_array=False, **check_params):
    no_X, no_y = isinstance(X, str) and X == "no_validation", isinstance(y, str) and y == "no_validation"
    assert not (no_X and no_y), "X, y or both"
    if no_X:
        assert set(check_params) <= {"multi_output", "y_numeric"} and not skip_check_array
        calls["labels"] += 1
        return check_labels(y, estimator=_estimator, **check_params)
    assert skip_check_array and no_y and not check_params
    calls["columns"] += 1
    names(_estimator, X, reset=reset)
    features(_estimator, X, reset=reset)
    return X
validation.validate_data = validate_data
for name in ("_check_feature_names", "_check_n_features", "_validate_data", "_get_tags", "_more_tags"):
    delattr(Base, name)
sklearn.base.ClassifierMixin._more_tags = None   # reading it is an error

older = validation.check_array
def check_array(array, *, ensure_all_finite=True, accept_sparse=False, dtype="numeric", order=None, copy=False, ensure_2d=True,
                allow_nd=False, ensure_min_samples=1, ensure_min_features=1, estimator=None, input_name="", accept_large_sparse=True):
    return older(array, force_all_finite=ensure_all_finite, accept_sparse=accept_sparse, dtype=dtype, order=order, copy=copy,
                 ensure_2d=ensure_2d, allow_nd=allow_nd, ensure_min_samples=ensure_min_samples,
                 ensure_min_features=ensure_min_features, estimator=estimator, input_name=input_name,
                 accept_large_sparse=accept_large_sparse)
sklearn.utils.check_array = check_array

def tags_of_base(self):
    return types.SimpleNamespace(estimator_type=None, classifier_tags=None, target_tags=types.SimpleNamespace(required=False),
                                 input_tags=types.SimpleNamespace(sparse=False, allow_nan=False, two_d_array=True))
def tags_of_classifier(self):
    tags = super(sklearn.base.ClassifierMixin, self).__sklearn_tags__()
    tags.estimator_type, tags.target_tags.required = "classifier", True
    tags.classifier_tags = types.SimpleNamespace(poor_score=False, multi_class=True, multi_label=False)
    return tags
def is_classifier(estimator):
    if not hasattr(estimator, "__sklearn_tags__"):
        raise AttributeError(f"{type(estimator).__name__} has no __sklearn_tags__")
    return estimator.__sklearn_tags__().estimator_type == "classifier"
sklearn.base.is_classifier = is_classifier
Base.__sklearn_tags__ = tags_of_base
sklearn.base.ClassifierMixin.__sklearn_tags__ = tags_of_classifier
"""

USE = r"""
import numpy as np, neyman
from sklearn.ensemble import RandomForestClassifier
rng = np.random.default_rng(0)
y = np.repeat([0, 1], 300)
X = rng.normal(size=(600, 3)) + 1.5 * y[:, None]
classes = [neyman.NeymanPearsonClassifier(max_fpr=0.1), neyman.NeymanPearsonClassifierCV(max_fpr=0.1, grid={"C": [1]}),
           neyman.CostSensitiveClassifier(), neyman.RejectClassifier(0.2), neyman.FalseDiscoveryClassifier(0.2)]
for model in classes:
    tags = model.__sklearn_tags__()
    assert tags.estimator_type == "classifier" and tags.target_tags.required
    assert tags.classifier_tags.multi_class is False and tags.input_tags.sparse and not tags.input_tags.allow_nan
    before = dict(calls)
    model.fit(X, y)
    assert calls["columns"] == before["columns"] + 1 and calls["labels"] == before["labels"] + 1
    assert model.n_features_in_ == 3 and len(model.predict(X)) == 600
    try:
        model.predict(X[:, :2])
    except ValueError as error:
        assert "features" in str(error)
    else:
        raise AssertionError("two columns were taken")
assert neyman.CostSensitiveClassifier(missing="mean").__sklearn_tags__().input_tags.allow_nan
online = neyman.CostSensitiveClassifier(method="online").partial_fit(X[:, :2], y).partial_fit(X[:, :2], y)
assert online.n_features_in_ == 2
holes = X.copy()
holes[0, 0] = np.nan
neyman.CostSensitiveClassifier(missing="mean").fit(holes, y)
try:
    neyman.CostSensitiveClassifier().fit(holes, y)
except ValueError as error:
    assert "NaN" in str(error)
certified = neyman.CertifiedClassifier(neyman.CostSensitiveClassifier(), max_fpr=0.1)
tags = certified.__sklearn_tags__()
assert tags.estimator_type == "classifier" and tags.classifier_tags.multi_class is False and tags.input_tags.sparse
assert not tags.input_tags.allow_nan
assert neyman.CertifiedClassifier(neyman.CostSensitiveClassifier(missing="mean"),
                                  max_fpr=0.1).__sklearn_tags__().input_tags.allow_nan

class Foreign:   # scores by predict(), without tags
    def predict(self, X):
        return np.asarray(X)[:, 0]
assert 0 <= neyman.certify_estimator(Foreign(), X, y, max_fpr=0.1).predict(X).mean() <= 1

import pandas as pd
frame = pd.DataFrame(X, columns=["a", "b", "c"])
named = neyman.CostSensitiveClassifier().fit(frame, y)
assert list(named.feature_names_in_) == ["a", "b", "c"]
try:
    named.predict(frame[["a", "b"]])
except ValueError as error:
    assert "c" in str(error)
else:
    raise AssertionError("a column is missing")
try:
    named.fit([1.0, 2.0, 3.0], [0, 1, 0])
except ValueError as error:
    assert "Reshape your data" in str(error)
certified.fit(X, y).predict(X)
print("fine")
"""


@pytest.mark.skipif(not hasattr(sklearn.base.BaseEstimator, "_check_n_features"), reason="scikit-learn is new enough itself")
def test_the_interface_of_later_versions():
    done = subprocess.run([sys.executable, "-c", NEWER + USE], capture_output=True, text=True)
    assert done.stdout.strip() == "fine", done.stderr
