"""Probabilities of the estimators, and when there are none."""

import os
import pickle
import subprocess

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import brier_score_loss

import neyman

PROGRAM = os.environ.get("NEY_PROGRAM")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def data(n=1200, seed=0):
    return make_classification(n, n_features=5, flip_y=0.2, random_state=seed)


MAKE = [lambda **keywords: neyman.NeymanPearsonClassifier(max_fpr=0.2, calibrate=0.3, **keywords),
        lambda **keywords: neyman.CostSensitiveClassifier(cost_fn=5, calibrate=0.3, **keywords),
        lambda **keywords: neyman.RejectClassifier(0.2, calibrate_folds=3, **keywords)]
every_class = pytest.mark.parametrize("make", MAKE, ids=["np", "costs", "reject"])


@pytest.mark.skipif(not PROGRAM, reason="runs under ctest, which says where the program is")
@every_class
def test_probabilities_are_those_of_the_program(make, tmp_path):
    X, y = data()
    model = make().fit(X, y)
    path, rows = tmp_path / "a.model", tmp_path / "rows.csv"
    model.save(path)
    np.savetxt(rows, X.astype(np.float32).astype(float), delimiter=",", fmt="%.17g", header="a,b,c,d,e", comments="")
    reject = [] if model.threshold_ == model.threshold_low_ else ["--reject-label", "rejected"]
    text = subprocess.run([PROGRAM, "predict", "--probability", *reject, path, rows], check=True, capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in text.splitlines()]
    column = {name: np.array([float(line[lines[0].index(name)]) for line in lines[1:]]) for name in ("probability", "p_low", "p_high")}
    for other in (model, neyman.load(path), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X.astype(np.float32))[:, 1], column["probability"])
        np.testing.assert_array_equal(other.probability_interval(X.astype(np.float32)),
                                      np.column_stack([column["p_low"], column["p_high"]]))


@every_class
def test_shape_order_and_quality(make):
    X, y = data()
    new, truth = X[600:], y[600:]
    model = make().fit(X[:600], np.array(["b", "a"])[y[:600]])  # 1 is called "a", the first of classes_
    p = model.predict_proba(new)
    assert p.shape == (600, 2) and (p >= 0).all() and np.allclose(p.sum(axis=1), 1)
    assert brier_score_loss(truth, p[:, 0]) < 0.2  # 0.25 is that of one half for every row
    named = make(pos_label="a").fit(X[:600], np.array(["b", "a"])[y[:600]])
    assert brier_score_loss(truth, named.predict_proba(new)[:, 0]) < 0.2
    low, high = named.probability_interval(new).T
    between = named.predict_proba(new)[:, 0]
    assert (low <= high).all() and (low <= between + 1e-12).all() and (between <= high + 1e-12).all()


def test_no_probabilities_without_calibration():
    X, y = data(300)
    for model in (neyman.NeymanPearsonClassifier(max_fpr=0.2), neyman.CostSensitiveClassifier(), neyman.RejectClassifier(0.2),
                  neyman.FalseDiscoveryClassifier(), neyman.NeymanPearsonClassifierCV()):
        assert not hasattr(model, "predict_proba") and not hasattr(model, "probability_interval")
    model = neyman.CostSensitiveClassifier().fit(X, y)
    assert not hasattr(model, "predict_proba")
    model.set_params(calibrate=0.3)  # says what the next fit does: this model has no calibration rows
    with pytest.raises(AttributeError, match="calibrate=0.2"):
        model.predict_proba(X)
    assert hasattr(clone(model), "predict_proba") and hasattr(model.fit(X, y).set_params(calibrate=None), "predict_proba")
    with pytest.raises(NotFittedError):
        clone(model).set_params(calibrate_folds=3).predict_proba(X)


@pytest.mark.parametrize("calibrate", [None, 0.3])
def test_calibrated_classifier_uses_the_scores(calibrate):
    X, y = data(600)
    wrapped = CalibratedClassifierCV(neyman.CostSensitiveClassifier(cost_fn=5, calibrate=calibrate), cv=2).fit(X, y)
    assert brier_score_loss(y, wrapped.predict_proba(X)[:, 1]) < 0.2
