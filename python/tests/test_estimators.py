"""Estimators: parameters, labels, composition, pickling."""

import inspect
import pickle
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import neyman
from neyman import _core
from neyman._estimators import OWN_PARAMETERS
from neyman._params import DESCRIPTIONS, OPTIONS, default_of, option_of, parameter_of

CLASSES = [neyman.NeymanPearsonClassifier, neyman.NeymanPearsonClassifierCV, neyman.CostSensitiveClassifier,
           neyman.RejectClassifier, neyman.FalseDiscoveryClassifier]
quiet = pytest.mark.filterwarnings("ignore::UserWarning")


def data(n=1500, seed=0, **keywords):
    return make_classification(n, n_features=6, class_sep=1.5, flip_y=0.03, random_state=seed, **keywords)


# ---------------------------------------------------------------------- parameters

GOAL_DEFAULTS = {"max_fdr": 0.1, "reject_cost": 0.5}  # the parameter that names the goal of a class
FILES_ONLY = {"format", "label", "positive", "weight", "id", "group", "ignore", "keep", "words", "no-header", "zero-based",
              "rest", "negative", "decoys", "delimiter", "decimal", "na", "score", "max-categories", "max-columns", "max-line", "memory", "peptide"}  # how files are read
GROUPS = {"data", "preprocessing", "training", "tuning"}


@pytest.mark.parametrize("cls", CLASSES)
def test_defaults_are_those_of_the_option_table(cls):
    for name, parameter in inspect.signature(cls).parameters.items():
        assert name in DESCRIPTIONS
        if name not in OWN_PARAMETERS and name not in GOAL_DEFAULTS:
            default = default_of(option_of(name))
            assert parameter.default == default and type(parameter.default) is type(default), name
        assert f"\n{name} : " in cls.__doc__
    for name, value in GOAL_DEFAULTS.items():
        assert inspect.signature(cls).parameters.get(name, inspect.Parameter(name, 3, default=value)).default == value


def test_no_option_is_missing():
    parameters = {name for cls in CLASSES for name in inspect.signature(cls).parameters}
    for name, row in OPTIONS.items():
        if row["group"] in GROUPS:
            assert (name in FILES_ONLY) != (parameter_of(name) in parameters), name
    assert all(option_of(name) in OPTIONS for name in parameters - set(OWN_PARAMETERS))


def other_value(name):
    row = OPTIONS[name]
    special = {"spectrum": "a", "peptide": "a", "max-fdr": "0.2", "max-fpr": "0.45", "max-fnr": "0.45", "holdout": "0.5", "confidence": "0.6",
               "conformal-folds": "3", "calibrate": "0.3", "calibrate-folds": "3", "validation": "0.3", "delta0": "0.3", "tol": "0.01", "grid": "C=1,2"}
    if name in special:
        return special[name]
    if row["kind"] == "flag":
        return "true"
    if row["kind"] == "choice":
        return row["choices"].split()[-1 if name == "method" else 1]
    if np.isnan(row["initial"]):
        return "0.3"
    if row["kind"] in ("int", "sizes"):
        return str(int(row["initial"]) + 1)
    return repr(row["initial"] + 0.5 if row["initial"] + 0.5 <= row["high"] else row["initial"] / 2)


def test_options_that_a_goal_never_reads_are_no_parameters(tmp_path):
    """Every option of training is tried with every goal, method and family: the library refuses what is not read."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=60) > 0, 1, -1).astype(np.int8)
    goals = {neyman.CostSensitiveClassifier: [{}], neyman.RejectClassifier: [{"reject-cost": "0.3"}],
             neyman.NeymanPearsonClassifier: [{"max-fpr": "0.4"}, {"max-fpr": "0.4", "confidence": "none"}],
             neyman.FalseDiscoveryClassifier: [{"max-fdr": "0.3"}]}
    families = [{}, {"kernel": "rbf"}, {"kernel": "poly"}, {"network": "3"}, {"features": "8"}, {"trees": "3"}, {"conformal": "true"},
                {"rule": "bartlett-wegkamp"}, {"checkpoint": str(tmp_path / "run")}]
    methods = OPTIONS["method"]["choices"].split()

    def is_read(base, option):
        for method in methods:
            for family in families:
                options = {**base, "method": method, **family, option: other_value(option)}
                if option in base or option in family:
                    continue
                (tmp_path / "run").unlink(missing_ok=True)
                try:
                    _core.fit((X, ("a", "b"), None), y, "-1", "1", None, None, list(options.items()), False, None, 1, None,
                              None)
                    return True
                except OSError:  # the option names a file, which is read
                    return True
                except ValueError as error:
                    if "needs libxgboost" in str(error):  # options are refused before
                        return True
        return False

    files = {"checkpoint", "checkpoint-every", "resume", "memory", "method"}  # the method is what the loops vary
    others = {"cost-fn", "cost-fp", "reject-cost", "reject-cost-fn", "reject-cost-fp", "max-fpr", "max-fnr", "max-fdr"}
    for cls, bases in goals.items():
        names = {option_of(name) for name in inspect.signature(cls).parameters}
        for name, row in OPTIONS.items():
            if row["group"] != "training" or name in files or name in others:
                continue
            read = any(is_read(base, name) for base in bases)
            assert read == (name in names), (cls.__name__, name)


def test_values_of_parameters_are_checked_by_the_library():
    X, y = data(200)
    for keywords, part in [({"C": -1}, "C"), ({"kernel": "cubic"}, "kernel"), ({"epochs": 5}, "epochs applies to"),
                           ({"tol": "x"}, "tol"), ({"C": object()}, "C"), ({"threads": 0}, "threads"),
                           ({"pos_label": 7}, "pos_label"), ({"reject_label": 1}, "reject_label")]:
        with pytest.raises(ValueError, match=part):
            neyman.NeymanPearsonClassifier(max_fpr=0.2, **keywords).fit(X, y)
    with pytest.raises(ValueError, match="max_fpr"):
        neyman.NeymanPearsonClassifier(max_fpr=1.5).fit(X, y)


@quiet
@pytest.mark.parametrize("state", [None, 7, np.int64(7), np.random.RandomState(0)], ids=str)
def test_random_state_as_in_scikit_learn(state):
    X, y = data(300)
    neyman.NeymanPearsonClassifier(confidence=None, random_state=state).fit(X, y)  # nothing is random here
    neyman.NeymanPearsonClassifier(max_fpr=0.2, random_state=state).fit(X, y)


# ---------------------------------------------------------------------- fitting


@pytest.mark.parametrize("names", [(0, 1), ("ham", "spam"), (False, True), (-1, 1), (1.0, 2.0), (b"a", b"b")], ids=str)
@pytest.mark.parametrize("positive", [0, 1])
def test_labels_of_any_kind(names, positive):
    X, y = data()
    classes = np.array(names)
    model = neyman.NeymanPearsonClassifier(max_fpr=0.1, pos_label=classes[positive]).fit(X, classes[y])
    predicted = model.predict(X)
    assert predicted.dtype == classes.dtype and list(model.classes_) == list(classes)
    truly_negative = y != positive
    assert ((predicted == classes[positive]) & truly_negative).sum() <= 0.1 * truly_negative.sum()
    np.testing.assert_array_equal(model.decision_function(X) > 0, predicted == classes[1])
    np.testing.assert_array_equal((model.raw_scores(X) >= model.threshold_), predicted == classes[positive])
    assert model.score(X, classes[y]) > 0.8


def test_certificates():
    X, y = data(4000)
    one = neyman.NeymanPearsonClassifier(max_fpr=0.05).fit(X, y)
    certificate, result = one.certificate_, one.result_
    assert isinstance(certificate, neyman.Certificate) and certificate.kind == "fpr"
    assert (certificate.bound, certificate.n_held_out, certificate.misclassified, certificate.confidence,
            certificate.threshold) == (result["bound"], result["held_out"], result["misclassified"], 0.95, result["threshold"])
    assert certificate.rate <= certificate.bound <= 0.05 and result["guarantee"].startswith("At most 5 %")
    other = neyman.NeymanPearsonClassifier(max_fnr=0.05, confidence=0.9).fit(X, y).certificate_
    assert (other.kind, other.confidence) == ("fnr", 0.9)
    both = neyman.NeymanPearsonClassifier(max_fpr=0.02, max_fnr=0.02).fit(X, y)
    assert isinstance(both.certificate_, neyman.CertificatePair) and both.certificate_.confidence == 0.95
    predicted = both.predict(X)
    rejected = (both.raw_scores(X) >= both.threshold_low_) & (both.raw_scores(X) < both.threshold_)
    assert rejected.any() and set(predicted[rejected]) == {both.reject_label_} == {-1}
    assert set(predicted[~rejected]) == {0, 1}
    groups = np.arange(4000) // 4
    grouped = neyman.NeymanPearsonClassifier(max_fpr=0.1).fit(X, y, groups=groups).certificate_
    assert grouped.unit == "groups" and grouped.n_held_out < 1000 and 0 <= grouped.rate <= grouped.bound
    assert grouped.n_rows > grouped.n_held_out
    # A group may have rows of both classes: the confidences of the two bounds do not multiply.
    pair = neyman.NeymanPearsonClassifier(max_fpr=0.2, max_fnr=0.2).fit(X, y, groups=groups).certificate_
    assert pair.fpr.unit == pair.fnr.unit == "groups" and pair.confidence == 0.95
    words = np.where(y == 1, "spam", "ham")
    named = neyman.NeymanPearsonClassifier(max_fpr=0.05, confidence=0.9).fit(X, words).certificate_
    assert str(named).startswith("At most 5 % of negatives ('ham') are flagged as positive, with 90 % confidence")
    with pytest.warns(UserWarning, match="training rows only"):
        assert neyman.NeymanPearsonClassifier(max_fpr=0.05, confidence=None).fit(X, y).certificate_ is None


def test_the_certified_rate_holds():
    """100 fits on draws of a known distribution: at most 5 % may exceed the bound; 12 and more have probability 0.004."""
    rng = np.random.default_rng(1)
    exceeded = 0
    from scipy.stats import norm
    for _ in range(100):
        y = np.repeat([0, 1], [150, 60])
        X = rng.normal(size=(210, 1)) + 1.5 * y[:, None]
        model = neyman.NeymanPearsonClassifier(max_fpr=0.05, scale="none", threads=1).fit(X, y)
        at = model.raw_scores(np.array([[0.0], [1.0]]))
        cut = (model.threshold_ - at[0]) / (at[1] - at[0])  # the threshold as a value of x: scores are linear
        exceeded += norm.sf(cut) > 0.05 if at[1] > at[0] else norm.cdf(cut) > 0.05
    assert exceeded < 12


def test_not_certifiable():
    X, y = data(400)
    with pytest.raises(neyman.NotCertifiableError) as caught:
        neyman.NeymanPearsonClassifier(max_fpr=0.001).fit(X, y)
    assert caught.value.rows_needed == 2995 and caught.value.n_rows == int((y == 0).sum())
    assert "2995" in str(caught.value)
    with pytest.raises(neyman.NotCertifiableError) as caught:
        neyman.NeymanPearsonClassifier(max_fpr=0.2, max_fnr=0.001).fit(X, y)
    assert caught.value.n_rows == int((y == 1).sum()) and caught.value.rows_needed > 2995
    with pytest.raises(neyman.NotCertifiableError) as caught:
        neyman.NeymanPearsonClassifier(max_fpr=0.05).fit(X, y, groups=np.arange(400) // 40)
    assert caught.value.n_rows <= 10


def test_weights_change_the_model_and_ones_do_not():
    X, y = data(400)
    plain = neyman.CostSensitiveClassifier().fit(X, y)
    ones = neyman.CostSensitiveClassifier().fit(X, y, sample_weight=np.ones(400))
    heavy = neyman.CostSensitiveClassifier().fit(X, y, sample_weight=np.where(y == 1, 10.0, 1.0))
    costly = neyman.CostSensitiveClassifier(cost_fn=10).fit(X, y)
    np.testing.assert_array_equal(plain.raw_scores(X), ones.raw_scores(X))
    np.testing.assert_array_equal(heavy.raw_scores(X), costly.raw_scores(X))
    assert (heavy.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()
    for weights, part in [(np.full(400, -1.0), "negative"), (np.zeros(400), "0"), (np.ones(3), "shape"),
                          (np.where(y == 1, 1.0, 0), "class")]:
        with pytest.raises(ValueError, match=part):
            neyman.CostSensitiveClassifier().fit(X, y, sample_weight=weights)


@quiet
def test_families():
    X, y = data()
    for keywords, family in [({"kernel": "rbf"}, "kernel"), ({"network": 4, "epochs": 3}, "network"),
                             ({"network": (4, 3), "activation": "relu", "epochs": 3}, "network"),
                             ({"fourier_features": 50, "epochs": 3}, "features"), ({"method": "online"}, "linear")]:
        model = neyman.NeymanPearsonClassifier(max_fpr=0.1, **keywords).fit(X, y)
        assert model.result_["family"] == family and model.certificate_.bound <= 0.1
        assert model.score(X, y) > 0.8


def test_conformal_p_values():
    X, y = data()
    model = neyman.CostSensitiveClassifier(conformal=True).fit(X, y)
    p = model.p_values(X)
    assert p.shape == (1500, 2) and (p > 0).all() and (p <= 1).all()
    assert (p[y == 1, 1] <= 0.2).mean() < 0.3
    other = neyman.CostSensitiveClassifier(conformal=True, pos_label=0).fit(X, y).p_values(X)
    assert np.corrcoef(p[:, 1], other[:, 1])[0, 1] > 0.9
    with pytest.raises(ValueError, match="train it with conformal"):
        neyman.CostSensitiveClassifier().fit(X, y).p_values(X)


def test_limits_of_the_solver_are_warned_of():
    X, y = data()
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        neyman.CostSensitiveClassifier(max_iter=1, tol=1e-9, kernel="rbf").fit(X, y)


# ---------------------------------------------------------------------- partial_fit


@quiet
def test_partial_fit():
    X, y = data(6000)
    model = neyman.NeymanPearsonClassifier(max_fpr=0.05, method="online")
    assert hasattr(model, "partial_fit")
    assert not hasattr(neyman.NeymanPearsonClassifier(), "partial_fit")
    assert not hasattr(neyman.CostSensitiveClassifier(), "partial_fit")
    assert not hasattr(neyman.FalseDiscoveryClassifier(method="online"), "partial_fit")
    with pytest.raises(AttributeError, match="one set of rows, which must be complete"):
        neyman.FalseDiscoveryClassifier(method="online").partial_fit(X, y)
    first = model.partial_fit(X[:2000], y[:2000]).certificate_
    scores = model.raw_scores(X)
    second = model.partial_fit(X[2000:4000], y[2000:4000]).certificate_
    assert second.bound <= 0.05 and second.threshold != first.threshold
    assert (model.raw_scores(X) != scores).any()
    kept = model.raw_scores(X)
    with pytest.raises(neyman.NotCertifiableError):  # rows that were used before certify nothing
        model.partial_fit(X[:2000], y[:2000])
    with pytest.raises(neyman.NotCertifiableError) as caught:
        model.partial_fit(X[4000:4020], y[4000:4020])
    assert caught.value.rows_needed == 59
    np.testing.assert_array_equal(model.raw_scores(X), kept)


@quiet
@pytest.mark.parametrize("make, goal", [
    (lambda: neyman.CostSensitiveClassifier(cost_fn=3, method="online"), "cost"),
    (lambda: neyman.CostSensitiveClassifier(cost_fn=3, method="online", fourier_features=30), "cost"),
    (lambda: neyman.RejectClassifier(0.2, cost_fn=3, method="online"), "reject"),
    (lambda: neyman.RejectClassifier(0.2, rule="bartlett-wegkamp", delta0=0.4, method="online"), "reject"),
    (lambda: neyman.NeymanPearsonClassifier(max_fpr=0.05, max_fnr=0.1, cost_fn=2, method="online"), "bounded"),
])
def test_partial_fit_of_every_goal(make, goal):
    """Learning on keeps goal, costs, bounds and thresholds, and comes near to one fit on all rows."""
    X, y = data(6000)
    model, whole = make(), make().fit(X, y)
    for part in np.array_split(np.arange(6000), 3):
        assert model.partial_fit(X[part], y[part]) is model
        assert model.result_["goal"] == whole.result_["goal"] == goal and model.result_["method"] == "online"
    assert np.corrcoef(model.raw_scores(X), whole.raw_scores(X))[0, 1] > 0.97
    facts = model._model.info()["summary"]
    for name in ("cost_fn", "reject_cost_fn", "max_fpr", "max_fnr", "training_cost_fn"):
        assert facts.get(name) == whole._model.info()["summary"].get(name), name
    if goal == "bounded":
        assert model.certificate_.confidence == 0.95 and model.certificate_.fpr.bound <= 0.05
    else:
        assert (model.threshold_, model.threshold_low_) == (whole.threshold_, whole.threshold_low_)
    again = pickle.loads(pickle.dumps(model)).partial_fit(*data(600, seed=5))
    assert (again.raw_scores(X) != model.raw_scores(X)).any()


def test_costs_online_are_near_the_optimum():
    X, y = data(3000)
    batch = neyman.CostSensitiveClassifier(cost_fn=4).fit(X, y).result_
    online = neyman.CostSensitiveClassifier(cost_fn=4, method="online").fit(X, y).result_
    assert batch["objective"] * (1 - 1e-6) <= online["objective"] <= 1.02 * batch["objective"]
    assert online["stop"] == "checks" and "lambda" not in online


def test_no_row_is_rejected_where_rejecting_never_pays():
    X, y = data(300)
    with pytest.warns(UserWarning, match="rejecting never pays at these costs"):
        model = neyman.RejectClassifier().fit(X, y)
    assert set(model.predict(X)) == {0, 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predicted = neyman.RejectClassifier(0.2).fit(X, y).predict(X)
    assert set(predicted) == {-1, 0, 1}


def test_no_discovery_is_a_model():
    """Ten rows cannot support an FDR of 1 %: nothing is accepted, and nothing fails."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 2)), np.arange(10) % 2
    model = neyman.FalseDiscoveryClassifier(0.01).fit(X, y)
    assert set(model.predict(X)) == {0} and model.result_["discoveries"] == 0


@quiet
def test_partial_fit_keeps_rows_of_one_class():
    X, y = data(600)
    order = np.argsort(y, kind="stable")
    model = neyman.NeymanPearsonClassifier(max_fpr=0.1, method="online", confidence=None)
    for part in np.array_split(order, 4):
        model.partial_fit(X[part], y[part], classes=[0, 1])
        if part is order[:150] or y[part].max() == 0:
            with pytest.raises(NotFittedError):
                model.predict(X)
    assert model.score(X, y) > 0.8
    with pytest.raises(ValueError, match="labels"):
        model.partial_fit(X, y + 1)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :3], y)
    reject = neyman.RejectClassifier(method="online").partial_fit(X, y).partial_fit(X, y)
    assert reject.score(X, y) > 0.7


# ---------------------------------------------------------------------- composition and pickling


@quiet
def test_inside_scikit_learn():
    X, y = data(800)
    model = neyman.NeymanPearsonClassifier(max_fpr=0.1, confidence=None)
    assert cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=3).mean() > 0.8
    search = GridSearchCV(neyman.CostSensitiveClassifier(), {"C": [0.1, 1], "kernel": ["linear", "rbf"]}, cv=3, n_jobs=2)
    assert search.fit(X, y).best_score_ > 0.85
    calibrated = CalibratedClassifierCV(neyman.CostSensitiveClassifier(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (800, 2) and calibrated.score(X, y) > 0.85
    copy = clone(model.set_params(C=3.0))
    assert copy.C == 3.0 and not hasattr(copy, "classes_")
    fits = joblib.Parallel(n_jobs=2)(joblib.delayed(clone(model).fit)(X, y) for _ in range(2))
    np.testing.assert_array_equal(fits[0].raw_scores(X), model.fit(X, y).raw_scores(X))


@pytest.mark.parametrize("keywords", [{}, {"kernel": "rbf"}, {"network": 3, "epochs": 2}, {"conformal": True}], ids=str)
def test_pickled_models_give_the_same_bits_in_another_process(tmp_path, keywords):
    X, y = data(600)
    model = neyman.NeymanPearsonClassifier(max_fpr=0.1, **keywords).fit(X, y)
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    np.save(tmp_path / "X.npy", X)
    code = ("import pickle, numpy as np; m = pickle.load(open('model.pickle', 'rb')); "
            "np.save('scores.npy', m.raw_scores(np.load('X.npy'))); print(m.certificate_.threshold)")
    out = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert (np.load(tmp_path / "scores.npy") == model.raw_scores(X)).all() and float(out) == model.certificate_.threshold


def test_tuning():
    X, y = data(900)
    found = neyman.NeymanPearsonClassifierCV(max_fpr=0.1, kernel="auto", grid={"C": [0.1, 1], "gamma": "0.1"}, folds=3, refine=0).fit(X, y)
    assert found.best_params_["kernel"] == ("rbf" if "gamma" in found.best_params_ else "linear") == found.result_["kernel"]
    assert "kernel" in neyman.NeymanPearsonClassifier(max_fpr=0.1, kernel="auto").fit(X, y).result_
    model = neyman.NeymanPearsonClassifierCV(max_fpr=0.1, kernel="rbf", grid={"C": [0.1, 1], "gamma": "0.01,0.1"}, folds=3,
                                             no_extend=True, refine=0, average=1).fit(X, y)
    assert model.best_params_["C"] in (0.1, 1) and model.best_params_["gamma"] in (0.01, 0.1)
    assert model.certificate_.bound <= 0.1 and model.result_["points"] >= 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="grid|axis"):
            neyman.NeymanPearsonClassifierCV(max_fpr=0.1, grid="nonsense=3").fit(X, y)
