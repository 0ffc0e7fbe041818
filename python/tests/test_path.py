"""Paths: all costs and thresholds, against scikit-learn's SVC, brute force and the program."""

import os
import pickle
import shutil
import signal
import subprocess
import threading

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.svm import SVC

import neyman

X, Y = make_classification(400, n_features=5, class_sep=0.8, flip_y=0.1, random_state=3)
NAMES = np.array(["ham", "spam"])


@pytest.fixture(scope="module")
def path():
    return neyman.RocPath(X[:150], NAMES[Y[:150]], splits=3, X_test=X[150:], y_test=NAMES[Y[150:]]).fit()


def test_the_curve_is_the_envelope(path):
    curve = path.curve_
    assert curve.fpr[0] == 0 and curve.tpr[-1] == 1 and curve.fpr[-1] == 1
    assert (np.diff(curve.fpr) >= 0).all() and (np.diff(curve.tpr) >= 0).all()
    slopes = np.diff(curve.tpr) / np.maximum(np.diff(curve.fpr), 1e-300)
    assert (np.diff(slopes) <= 1e-9 * np.abs(slopes[:-1])).all()
    for other in (path.curves_["intercept"], path.curves_["asymmetry"]):
        assert curve.auc >= other.auc - 1e-12
        assert (np.interp(other.fpr, curve.fpr, curve.tpr) >= other.tpr - 0.02).all()
    assert curve.auc == pytest.approx(np.trapz(curve.tpr, curve.fpr))
    assert path.residual_ <= 1e-6 and curve.fpr_error.shape == curve.fpr.shape
    assert list(path.classes_) == ["ham", "spam"] and "150 rows" in repr(path)


def test_picks_by_brute_force(path):
    curve = path.curve_
    share = (Y[:150] == 1).mean()
    for cost_fn, cost_fp in ((1, 1), (5, 1), (1, 20)):
        picked = path.pick(cost_fn=cost_fn, cost_fp=cost_fp)
        costs = cost_fn * share * (1 - curve.tpr) + cost_fp * (1 - share) * curve.fpr
        mine = cost_fn * share * (1 - picked.tpr_) + cost_fp * (1 - share) * picked.fpr_
        assert mine <= costs.min() + 1e-9
    for rate in (0.0, 0.05, 0.3, 1.0):
        picked = path.pick(max_fpr=rate)
        assert picked.fpr_ <= rate and picked.tpr_ == curve.tpr[curve.fpr <= rate].max()
        picked = path.pick(max_fnr=rate)
        assert 1 - picked.tpr_ <= rate and picked.fpr_ == curve.fpr[1 - curve.tpr <= rate].min()
    for wrong in ({}, {"max_fpr": 0.1, "cost_fn": 1}, {"max_fpr": 2}, {"cost_fn": 0}, {"cost_fp": -1}, {"max_fnr": np.nan}):
        with pytest.raises(ValueError, match="expected"):
            path.pick(**wrong)
    with pytest.raises(ValueError, match="line"):
        path.pick(at=(123.0, 0.001))


def test_a_picked_classifier(path, tmp_path):
    picked = path.pick(max_fpr=0.3)
    new, truth = X[150:], NAMES[Y[150:]]
    predicted = picked.predict(new)
    assert set(predicted) == {"ham", "spam"}
    np.testing.assert_array_equal(picked.decision_function(new) >= 0, predicted == "spam")
    assert picked.test_fpr_ == (predicted == "spam")[truth == "ham"].mean()
    assert picked.test_tpr_ == (predicted == "spam")[truth == "spam"].mean()
    assert picked.score(new, truth) == (predicted == truth).mean() > 0.7
    again = pickle.loads(pickle.dumps(picked))
    np.testing.assert_array_equal(again.decision_function(new), picked.decision_function(new))
    assert "FPR at most 30 %" in repr(picked)
    with pytest.raises(ValueError, match="5 features"):
        picked.predict(new[:, :4])
    certified = neyman.certify_estimator(picked, new, truth, max_fpr=0.3)
    assert certified.certificate_.negative == "ham"
    picked.save(tmp_path / "picked.model")
    loaded = neyman.load(tmp_path / "picked.model")
    np.testing.assert_array_equal(loaded.predict(new), predicted)


def test_a_point_of_the_path_is_the_support_vector_machine():
    found = neyman.RocPath(X[:150], Y[:150], splits=2, scale="none", kernel="rbf", gamma=0.2).fit()
    c_plus, c_minus = found.best_
    svc = SVC(C=1, gamma=0.2, class_weight={1: c_plus, 0: c_minus}, tol=1e-8).fit(X[:150], Y[:150])
    np.testing.assert_allclose(found.pick(at=found.best_).decision_function(X), svc.decision_function(X), atol=1e-4)


def test_storage_frames_and_weights():
    keywords = {"X_valid": X[150:], "y_valid": Y[150:], "scale": "none"}
    dense = neyman.RocPath(X[:150], Y[:150], **keywords).fit()
    assert dense.curve_.fpr_error is None and dense.curve_.test_fpr is None
    fortran = neyman.RocPath(np.asfortranarray(X[:150]), Y[:150], **keywords).fit()
    np.testing.assert_array_equal(fortran.curve_.tpr, dense.curve_.tpr)
    csr = neyman.RocPath(sparse.csr_matrix(X[:150]), Y[:150], **{**keywords, "X_valid": sparse.csr_matrix(X[150:])}).fit()
    np.testing.assert_allclose(csr.curve_.auc, dense.curve_.auc, atol=1e-3)
    frame = pd.DataFrame(X, columns=list("abcde"))
    framed = neyman.RocPath(frame[:150], Y[:150], **{**keywords, "X_valid": frame[150:]}).fit()
    np.testing.assert_array_equal(framed.curve_.tpr, dense.curve_.tpr)
    np.testing.assert_array_equal(framed.pick(max_fpr=0.1).predict(frame), dense.pick(max_fpr=0.1).predict(X))


def test_weights_multiply_the_loss():
    weights = np.r_[np.full(50, 3.0), np.zeros(20), np.ones(80)]
    found = neyman.RocPath(X[:150], Y[:150], sample_weight=weights, X_valid=X[150:], y_valid=Y[150:], scale="none").fit()
    c_plus, c_minus = found.best_
    svc = SVC(kernel="linear", C=1, class_weight={1: c_plus, 0: c_minus}, tol=1e-8).fit(X[:150], Y[:150], weights)
    np.testing.assert_allclose(found.pick(at=found.best_).decision_function(X), svc.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("keywords, message", [
    ({"y": Y[:149]}, "150 values"), ({"y": np.zeros(150)}, "both classes"), ({"y": np.arange(150)}, "two labels"),
    ({"X": np.where(np.arange(5) == 2, np.nan, X[:150])}, "row 0|NaN"), ({"kernel": "sigmoid"}, "positive semidefinite|sigmoid"),
    ({"kernel": "cosine"}, "cosine"), ({"X_test": X}, "belong together"), ({"X_valid": X[:, :3], "y_valid": Y}, "columns|features"),
    ({"splits": 1}, "splits"), ({"sample_weight": -np.ones(150)}, "negative"), ({"X": X[:0], "y": Y[:0]}, "0 sample"),
    ({"y_valid": np.full(400, "x"), "X_valid": X}, "expected 0 or 1"), ({"y": np.zeros(150), "pos_label": 1}, "both classes"),
])
def test_wrong_input(keywords, message):
    with pytest.raises(ValueError, match=message):
        arguments = {"X": X[:150], "y": Y[:150], "splits": 2, **keywords}
        neyman.RocPath(arguments.pop("X"), arguments.pop("y"), **arguments).fit()
    with pytest.raises(ValueError, match="not fitted"):
        neyman.RocPath(X, Y).pick(max_fpr=0.1)


def test_stopping_and_progress():
    seen = []

    class Stop(Exception):
        pass

    def stop(stage, done, total, value):
        seen.append(stage)
        raise Stop

    big, labels = make_classification(1500, n_features=10, flip_y=0.2, random_state=0)
    path = neyman.RocPath(big, labels, splits=2)
    with pytest.raises(Stop):
        path.fit(callback=stop)
    assert len(seen) == 1 and not hasattr(path, "curve_")
    with pytest.raises(KeyboardInterrupt):
        path.fit(callback=lambda *_: os.kill(os.getpid(), signal.SIGINT))


def test_other_threads_work_meanwhile():
    """Between two reports of progress from one thread, the other one runs."""
    big, labels = make_classification(1000, n_features=10, flip_y=0.2, random_state=0)
    steps, gaps, before = [0], [], [0]

    def report(*_):
        gaps.append(steps[0] - before[0])
        before[0] = steps[0]

    worker = threading.Thread(target=lambda: neyman.RocPath(big, labels, splits=2).fit(callback=report))
    worker.start()
    while worker.is_alive():
        steps[0] += 1
    assert len(gaps) > 1 and sum(gap > 0 for gap in gaps) >= len(gaps) / 2


def test_display(path):
    from test_display import assert_legible

    picked = [path.pick(max_fpr=0.1), path.pick(cost_fn=5)]
    display = neyman.PathDisplay.from_path(path, pick=picked)
    assert_legible(display.figure_)
    x, y = display.lines_["both"].get_data()
    np.testing.assert_array_equal(np.sort(path.curve_.test_fpr), x)
    own = neyman.PathDisplay.from_path(path, curves=["both"], test=False)
    np.testing.assert_array_equal(own.lines_["both"].get_xdata(), path.curve_.fpr)
    assert "optimistic" in own.ax_.get_xlabel()
    with pytest.raises(ValueError, match="none of"):
        neyman.PathDisplay.from_path(path, curves=["all"])
    plain = neyman.RocPath(X[:60], Y[:60], splits=2).fit()
    with pytest.raises(ValueError, match="no test rows"):
        neyman.PathDisplay.from_path(plain, test=True)
    plt.close("all")


@pytest.mark.skipif("NEY_PROGRAM" not in os.environ and not shutil.which("neyman"), reason="the program is not built")
def test_the_program_picks_the_same_model(path, tmp_path):
    program = os.environ.get("NEY_PROGRAM", "neyman")
    path.save(tmp_path / "all.path")
    subprocess.run([program, "pick", "-q", tmp_path / "all.path", "--max-fpr", "0.1", "-o", tmp_path / "m"], check=True,
                   capture_output=True)
    told = neyman.load(tmp_path / "m")
    np.testing.assert_array_equal(told.predict(X), path.pick(max_fpr=0.1).predict(X))
