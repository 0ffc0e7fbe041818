"""Boosted trees in the estimators. Skipped where the library cannot train them."""

import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV

import neyman

PROGRAM = os.environ.get("NEY_PROGRAM")


def data(n=700, seed=0):
    X, y = make_classification(n, n_features=5, class_sep=1.5, flip_y=0.05, random_state=seed)
    return X.astype(np.float32), y


def reason_to_skip():
    """What the library says where it was built without trees or libxgboost is not installed."""
    try:
        neyman.CostSensitiveClassifier(trees=1).fit(*data(100))
    except ValueError as error:
        if "needs libxgboost" not in str(error):
            raise
        return str(error)
    return ""


REASON = reason_to_skip()
pytestmark = [pytest.mark.skipif(bool(REASON), reason=REASON), pytest.mark.filterwarnings("ignore::UserWarning")]

MAKE = {
    "fpr": lambda **keywords: neyman.NeymanPearsonClassifier(max_fpr=0.1, trees=8, **keywords),
    "fnr": lambda **keywords: neyman.NeymanPearsonClassifier(max_fnr=0.1, trees=8, method="lagrangian", **keywords),
    "both": lambda **keywords: neyman.NeymanPearsonClassifier(max_fpr=0.1, max_fnr=0.1, trees=8, **keywords),
    "tuned": lambda **keywords: neyman.NeymanPearsonClassifierCV(max_fpr=0.1, trees=8, folds=2, grid={"depth": [2, 3]},
                                                                no_extend=True, refine=0, **keywords),
    "costs": lambda **keywords: neyman.CostSensitiveClassifier(cost_fn=3, trees="auto", **keywords),
    "reject": lambda **keywords: neyman.RejectClassifier(0.2, trees=8, **keywords),
}
every_goal = pytest.mark.parametrize("goal", MAKE)


@every_goal
def test_trees_learn_what_they_are_asked_for(goal):
    """Two rings, which no linear score separates; the rates on new rows are those that were bounded."""
    rng = np.random.default_rng(1)

    def rings(n):
        y = rng.integers(0, 2, n)
        angle, radius = rng.uniform(0, 7, n), 1 + y + 0.3 * rng.normal(size=n)
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.array(["in", "out"])[y]

    model = MAKE[goal]().fit(*rings(1500))
    X, y = rings(4000)
    predicted = model.predict(X)
    decided = predicted != model.reject_label_
    assert decided.mean() > 0.7 and (predicted == y)[decided].mean() > 0.85
    assert model.result_["family"] == "trees" and model.n_iter_ >= 1
    certificates = {"fpr": ["in"], "fnr": ["out"], "both": ["in", "out"], "tuned": ["in"]}.get(goal, [])
    assert (model.certificate_ is None) == (not certificates)
    for name in certificates:  # 0.15 is seven deviations above 0.1 with 2000 rows
        other = "out" if name == "in" else "in"
        assert (predicted[y == name] == other).mean() < 0.15


@every_goal
def test_files_and_pickles_give_the_same_bits(goal, tmp_path):
    X, y = data()
    X[::5, 1] = np.nan
    model = MAKE[goal](missing="keep").fit(X, np.array(["ham", "spam"])[y])
    scores = model.raw_scores(X)
    path, rows, packed, out = (tmp_path / name for name in ("a.model", "rows.csv", "a.pickle", "out.npy"))
    model.save(path)
    again = neyman.load(path)
    np.testing.assert_array_equal(again.raw_scores(X), scores)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.certificate_ == model.certificate_
    with open(packed, "wb") as file:
        pickle.dump((model, X), file)
    code = ("import pickle, sys, numpy as np\nmodel, X = pickle.load(open(sys.argv[1], 'rb'))\n"
            "np.save(sys.argv[2], model.raw_scores(X))\nassert 'libxgboost' not in open('/proc/self/maps').read()")
    subprocess.run([sys.executable, "-c", code, packed, out], check=True)
    np.testing.assert_array_equal(np.load(out), scores)
    if PROGRAM:
        np.savetxt(rows, X.astype(float), delimiter=",", fmt="%.17g", header="a,b,c,d,e", comments="")
        text = subprocess.run([PROGRAM, "predict", "--scores", path, rows], check=True, capture_output=True, text=True).stdout
        lines = [line.split("\t") for line in text.splitlines()]
        np.testing.assert_array_equal([float(line[lines[0].index("score")]) for line in lines[1:]], scores)


def test_missing_values_are_kept_and_tell_something():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = rng.random(600) < 0.5
    X[y, 1] = np.nan  # a cell is missing exactly where the row is positive: no filled value tells it
    kept = neyman.CostSensitiveClassifier(trees=5, missing="keep").fit(X, y)
    assert kept.score(X, y) == 1
    plain = neyman.CostSensitiveClassifier(trees=5).fit(X, y)
    np.testing.assert_array_equal(plain.raw_scores(X), kept.raw_scores(X))
    assert neyman.CostSensitiveClassifier(trees=5, missing="mean").fit(X[:, 1:2] * 0, y).score(X[:, 1:2] * 0, y) < 1
    assert kept._more_tags()["allow_nan"] and plain._more_tags()["allow_nan"]
    assert not neyman.CostSensitiveClassifier()._more_tags()["allow_nan"]
    for dtype, order in ((np.float32, "C"), (np.float32, "F"), (np.float64, "F")):
        rows = np.array(X.astype(np.float32), dtype, order=order)
        np.testing.assert_array_equal(kept.raw_scores(rows), kept.raw_scores(X.astype(np.float32)))
    with pytest.raises(ValueError, match="needs a number in every cell"):
        neyman.CostSensitiveClassifier(missing="keep").fit(X, y)
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity: row 0, column 0"):
        kept.predict(X)


def test_parameters_act_or_are_refused():
    X, y = data(400)
    first = neyman.CostSensitiveClassifier(trees=5).fit(X, y).raw_scores(X)
    for name, value in {"depth": 2, "learning_rate": 0.3, "subsample": 0.5, "min_child": 5.0, "trees": 6}.items():
        model = neyman.CostSensitiveClassifier(**{"trees": 5, name: value})
        assert (clone(model).fit(X, y).raw_scores(X) != first).any(), name
        if name != "trees":
            with pytest.raises(ValueError, match=name):
                model.set_params(trees=0).fit(X, y)
    with pytest.raises(ValueError, match="trees"):
        neyman.CostSensitiveClassifier(trees="many").fit(X, y)


def test_trees_for_discoveries():
    rng = np.random.default_rng(3)
    decoys = rng.normal(size=(600, 2))
    targets = np.vstack([rng.normal(size=(300, 2)), 4 * np.sign(rng.normal(size=(300, 2))) + 0.3 * rng.normal(size=(300, 2))])
    X, y = np.vstack([decoys, targets]), np.r_[np.zeros(600), np.ones(600)]
    found = [neyman.FalseDiscoveryClassifier(max_fdr=0.1, trees=trees).fit(X, y).predict(X)[600:].sum() for trees in (0, 30)]
    assert found[1] > 1.5 * found[0]  # four corners: no line tells them from the middle


def test_searches_choose_among_trees():
    X, y = data(400)
    search = GridSearchCV(neyman.CostSensitiveClassifier(trees=4), {"depth": [1, 4]}, cv=2, n_jobs=2).fit(X, y)
    assert search.best_params_["depth"] in (1, 4) and search.best_score_ > 0.8
    tuned = MAKE["tuned"]().fit(X, y)
    assert tuned.best_params_["depth"] in (2, 3) and {"learning_rate", "min_child"} < set(tuned.best_params_)


def test_interrupt_stops_trees():
    X, y = data(3000)
    model = neyman.CostSensitiveClassifier(trees=10**5, threads=1)
    sent = []

    def callback(*progress):
        if not sent:
            sent.append(progress)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, callback=callback)
    assert sent and not hasattr(model, "result_")
