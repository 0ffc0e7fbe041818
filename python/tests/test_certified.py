"""Certified thresholds for scikit-learn's classifiers."""

import pickle
import warnings
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest, RandomForestClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import neyman


def data(n=2400, seed=0, **keywords):
    X, y = make_classification(n, n_features=8, class_sep=1.5, flip_y=0.03, random_state=seed, **keywords)
    return train_test_split(X, y, test_size=0.5, random_state=seed)


@pytest.mark.parametrize("estimator", [
    LogisticRegression(), Perceptron(), GaussianNB(), LinearSVC(dual=False), SVC(),
    RandomForestClassifier(20, random_state=0), HistGradientBoostingClassifier(max_iter=10),
    KNeighborsClassifier(25), make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)),
], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("names", [(0, 1), ("ham", "spam"), (False, True), (-1, 1)], ids=str)
def test_any_estimator_and_any_labels(estimator, names):
    X, X_cal, y, y_cal = data()
    names = np.array(names)
    fitted = clone(estimator).fit(X, names[y])
    certified = neyman.certify_estimator(fitted, X_cal, names[y_cal], max_fpr=0.05)
    predicted = certified.predict(X_cal)
    assert predicted.dtype == names.dtype and set(predicted) <= set(names)
    wrong = (predicted == names[1]) & (y_cal == 0)
    assert wrong.sum() == certified.certificate_.misclassified
    assert wrong.mean() <= 0.05 and certified.power_ > 0.2
    assert certified.power_ == pytest.approx((predicted == names[1])[y_cal == 1].mean())
    assert certified.power_interval_[0] < certified.power_ < certified.power_interval_[1]
    np.testing.assert_array_equal(certified.decision_function(X_cal) >= 0, predicted == names[1])
    assert list(certified.classes_) == list(names) and certified.n_features_in_ == 8
    again = pickle.loads(pickle.dumps(certified))
    np.testing.assert_array_equal(again.predict(X_cal), predicted)


def test_scores_are_the_positive_column():
    X, X_cal, y, y_cal = data()
    model = LogisticRegression().fit(X, y)
    by_probability = neyman.certify_estimator(model, X_cal, y_cal, max_fpr=0.05, response_method="predict_proba")
    by_score = neyman.certify_estimator(model, X_cal, y_cal, max_fpr=0.05, response_method="decision_function")
    assert 0 < by_probability.threshold_ < 1
    np.testing.assert_array_equal(by_probability.predict(X_cal), by_score.predict(X_cal))
    np.testing.assert_array_equal(by_score.predict_proba(X_cal), model.predict_proba(X_cal))


def test_the_other_class_can_be_positive():
    X, X_cal, y, y_cal = data()
    for estimator, method in ((LinearSVC(dual=False), "auto"), (GaussianNB(), "predict_proba")):
        model = estimator.fit(X, y)
        flipped = neyman.certify_estimator(model, X_cal, y_cal, max_fpr=0.05, pos_label=0, response_method=method)
        mirrored = neyman.certify_estimator(model, X_cal, y_cal, max_fnr=0.05, response_method=method)
        assert flipped.certificate_.misclassified == mirrored.certificate_.misclassified
        assert (flipped.predict(X_cal) == mirrored.predict(X_cal)).mean() > 0.999
        assert ((flipped.predict(X_cal) == 0) & (y_cal == 1)).sum() == flipped.certificate_.misclassified
        assert ((flipped.decision_function(X_cal) > 0) <= (flipped.predict(X_cal) == 1)).all()


@pytest.mark.parametrize("names, reject", [((0, 1), -1), ((-1, 1), 0), (("a", "b"), "rejected"), ((False, True), -1)])
def test_both_bounds_reject(names, reject):
    X, X_cal, y, y_cal = data(6000)
    names = np.array(names)
    model = GaussianNB().fit(X, names[y])
    certified = neyman.certify_estimator(model, X_cal, names[y_cal], max_fpr=0.04, max_fnr=0.04)
    predicted = certified.predict(X_cal)
    assert certified.reject_label_ == reject
    rejected = predicted == reject
    assert 0 < rejected.mean() < 0.9
    scores = model.predict_proba(X_cal)[:, 1]
    pair = certified.certificate_
    np.testing.assert_array_equal(rejected, (scores >= pair.low) & (scores < pair.high))
    mine = neyman.certify_estimator(model, X_cal, names[y_cal], max_fpr=0.04, max_fnr=0.04, reject_label="?")
    assert (mine.predict(X_cal)[rejected] == "?").all()
    with pytest.raises(ValueError, match="label of a class"):
        neyman.certify_estimator(model, X_cal, names[y_cal], max_fpr=0.04, reject_label=names[0])


def test_the_bound_holds_on_new_rows():
    """The true FPR of 60 certified classifiers on 20,000 new rows each: at most 5 % may exceed the bound."""
    rng = np.random.default_rng(0)

    def rows(n):
        y = rng.integers(0, 2, n)
        return rng.normal(size=(n, 2)) + 1.5 * y[:, None], y

    X_new, y_new = rows(20000)
    exceeded = 0
    for _ in range(60):
        model = LogisticRegression().fit(*rows(100))
        X_cal, y_cal = rows(400)
        certified = neyman.certify_estimator(model, X_cal, y_cal, max_fpr=0.05)
        exceeded += certified.predict(X_new[y_new == 0]).mean() > 0.05
    assert stats.binomtest(int(exceeded), 60, 0.05, "greater").pvalue > 1e-4


# ---------------------------------------------------------------------- leakage


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(5), SVC(C=10), make_pipeline(StandardScaler(), SVC()),
                                       make_pipeline(StandardScaler(), KNeighborsClassifier()),
                                       GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 5]}, cv=2)],
                         ids=["knn", "svc", "scaled svc", "scaled knn", "search"])
def test_training_rows_are_refused_where_the_estimator_keeps_them(estimator):
    X, X_cal, y, y_cal = data()
    fitted = estimator.fit(X, y)
    with pytest.raises(ValueError, match="did not see"):
        neyman.certify_estimator(fitted, X, y, max_fpr=0.05)
    with pytest.raises(ValueError, match="did not see"):
        neyman.certify_estimator(fitted, np.vstack([X, X_cal]), np.r_[y, y_cal], max_fpr=0.05)
    neyman.certify_estimator(fitted, X_cal, y_cal, max_fpr=0.05)


def test_training_rows_are_refused_in_wide_sparse_data():
    """300 rows of 10^6 columns: dense they would be 2.4 GB."""
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix((rng.normal(size=6000), rng.integers(0, 10**6, 6000), np.arange(0, 6001, 10)), (600, 10**6))
    y = rng.integers(0, 2, 600)
    fitted = KNeighborsClassifier().fit(X[:300], y[:300])
    with pytest.raises(ValueError, match="did not see"):
        neyman.certify_estimator(fitted, X[:300].tocoo(), y[:300], max_fpr=0.05)
    neyman.certify_estimator(fitted, X[300:], y[300:], max_fpr=0.05)


def test_an_estimator_that_is_not_fitted_is_refused():
    X, X_cal, y, y_cal = data()
    with pytest.raises(NotFittedError):
        neyman.certify_estimator(LogisticRegression(), X_cal, y_cal, max_fpr=0.05)
    with pytest.raises(NotFittedError):
        neyman.CertifiedClassifier(LogisticRegression()).predict(X_cal)
    certified = neyman.certify_estimator(LogisticRegression().fit(X, y), X_cal, y_cal, max_fpr=0.05)
    with pytest.raises(NotFittedError, match="use CertifiedClassifier"):
        clone(certified).fit(X_cal, y_cal)
    assert certified.set_params(max_fpr=0.1).fit(X_cal, y_cal).certificate_.max_rate == 0.1


# ---------------------------------------------------------------------- errors


def test_errors_say_what_to_do():
    X, X_cal, y, y_cal = data()
    model = LogisticRegression().fit(X, y)
    few = slice(0, 100)
    with pytest.raises(neyman.NotCertifiableError) as caught:
        neyman.certify_estimator(model, X_cal[few], y_cal[few], max_fpr=0.01)
    assert caught.value.rows_needed == 299 and caught.value.n_rows == (y_cal[few] == 0).sum()
    with pytest.raises(ValueError, match="row 3"):
        neyman.certify_estimator(model, X_cal, np.where(np.arange(len(y_cal)) == 3, 9, y_cal))
    with pytest.raises(ValueError, match="expected 1200 labels"):
        neyman.certify_estimator(model, X_cal, y_cal[:-1])
    with pytest.raises(ValueError, match="expected 1200 labels"):
        neyman.CertifiedClassifier(model).fit(X_cal, y_cal[:-1])
    with pytest.raises(ValueError, match="pos_label"):
        neyman.certify_estimator(model, X_cal, y_cal, pos_label="spam")
    with pytest.raises(ValueError, match="response_method"):
        neyman.certify_estimator(model, X_cal, y_cal, response_method="transform")
    with pytest.raises(TypeError, match="score"):
        neyman.certify_estimator(StandardScaler().fit(X), X_cal, y_cal)
    three = LogisticRegression().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="3 classes"):
        neyman.certify_estimator(three, X_cal, y_cal)
    with pytest.raises(ValueError, match="2 outputs"):
        neyman.certify_estimator(RandomForestClassifier(2).fit(X, np.column_stack([y, y])), X_cal, y_cal)
    with pytest.raises(TypeError, match="voting='soft'"):
        neyman.certify_estimator(VotingClassifier([("one", model)]).fit(X, y), X_cal, y_cal)
    with pytest.raises(TypeError, match="is a class"):
        neyman.certify_estimator(LogisticRegression, X_cal, y_cal)
    with pytest.raises(ValueError, match="write 0.05 for 5 %"):
        neyman.certify_estimator(model, X_cal, y_cal, max_fpr=5)
    with pytest.raises(ValueError, match="write 0.95 for 95 %"):
        neyman.certify_estimator(model, X_cal, y_cal, confidence=95)
    for labels in (np.array(["ham", "spam"])[y_cal], y_cal.astype(str), 2 * y_cal - 1):  # not those it was fitted with
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match="expected 0 or 1, the classes of LogisticRegression"):
                neyman.certify_estimator(model, X_cal, labels)
    with pytest.raises(ValueError, match="row 7 is not a number"):
        neyman.certify_estimator(model, X_cal, y_cal, response_method=lambda e, X: np.where(np.arange(len(X)) == 7, np.nan, 0))
    with pytest.raises(neyman.NotCertifiableError, match="no row is negative") as caught:
        neyman.certify_estimator(model, X_cal[y_cal == 1], y_cal[y_cal == 1], max_fpr=0.05)
    assert caught.value.rows_needed == 59 and caught.value.n_rows == 0


def test_useless_thresholds_are_announced():
    X, X_cal, y, y_cal = data()
    constant = GaussianNB().fit(np.zeros((4, 8)) + [[0], [0], [1e-9], [1e-9]], [0, 0, 1, 1])
    with pytest.warns(UserWarning, match="no calibration row"):
        neyman.certify_estimator(constant, np.zeros((1200, 8)), y_cal)
    with pytest.warns(UserWarning, match="worse than chance"):
        neyman.certify_estimator(LogisticRegression().fit(X, 1 - y), X_cal, y_cal, max_fpr=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        neyman.certify_estimator(LogisticRegression().fit(X, y), X_cal, y_cal, max_fpr=0.3)


def test_too_few_rows_are_seen_before_the_estimator_is_fitted():
    X, _, y, _ = data()

    class Slow(LogisticRegression):
        def fit(self, X, y):
            raise AssertionError("fitted")

    model = neyman.CertifiedClassifier(Slow(), max_fpr=0.01)
    with pytest.raises(neyman.NotCertifiableError, match=r"Pass at least 99[89] negatives; or hold out more, holdout=0\.[45]") as caught:
        model.fit(X, y)
    assert caught.value.rows_needed == 299 and caught.value.n_rows == np.ceil(0.3 * (y == 0).sum())
    with pytest.raises(AssertionError, match="fitted"):
        model.set_params(holdout=0.55).fit(X, y)
    with pytest.raises(neyman.NotCertifiableError, match="groups with negatives"):
        model.set_params(max_fpr=0.05).fit(X, y, groups=np.arange(len(y)) // 60)
    assert caught.value.rows_needed <= len(y)
    for wrong, message in ((np.zeros(len(y)), "one class only"), (np.arange(len(y)) == 0, "one row of y"),
                           (np.arange(len(y)) % 3, "more than two classes")):
        with pytest.raises(ValueError, match=message):
            model.fit(X, wrong)


# ---------------------------------------------------------------------- objects of other packages


class Booster:
    """Scores and nothing else: no fit, no classes_, no scikit-learn."""

    def __init__(self, model, shape):
        self.model, self.shape = model, shape

    def predict_proba(self, X):
        scores = self.model.predict_proba(X)
        return {"two": scores, "one": scores[:, 1:], "flat": scores[:, 1]}[self.shape]


@pytest.mark.parametrize("shape", ["two", "one", "flat"])
def test_objects_of_other_packages(shape):
    X, X_cal, y, y_cal = data()
    model = LogisticRegression().fit(X, y)
    expected = neyman.certify_estimator(model, X_cal, y_cal, max_fpr=0.05, response_method="predict_proba")
    found = neyman.certify_estimator(Booster(model, shape), X_cal, y_cal, max_fpr=0.05)
    assert found.certificate_ == expected.certificate_
    names = np.array(["ham", "spam"])
    found = neyman.certify_estimator(Booster(model, shape), X_cal, names[y_cal], max_fpr=0.05)
    np.testing.assert_array_equal(found.predict(X_cal), names[expected.predict(X_cal)])
    flipped = neyman.certify_estimator(Booster(model, shape), X_cal, y_cal, max_fnr=0.05, pos_label=0)
    assert flipped.certificate_.misclassified == expected.certificate_.misclassified
    with pytest.raises(ValueError, match="calibration rows of both classes"):
        neyman.certify_estimator(Booster(model, shape), X_cal[y_cal == 1], y_cal[y_cal == 1], max_fnr=0.05, pos_label=1)


def test_regressors_and_functions_give_scores():
    X, X_cal, y, y_cal = data()
    ridge = Ridge().fit(X, y)
    by_regressor = neyman.certify_estimator(ridge, X_cal, y_cal, max_fpr=0.05)
    by_function = neyman.certify_estimator(ridge, X_cal, y_cal, max_fpr=0.05, response_method=lambda e, X: 2 * e.predict(X))
    assert by_regressor.power_ == by_function.power_ > 0.5
    assert by_regressor.threshold_ == neyman.certify(y_cal, ridge.predict(X_cal), 0.05).threshold
    np.testing.assert_array_equal(by_regressor.predict(X_cal), by_function.predict(X_cal))
    small = neyman.certify_estimator(ridge, X_cal, y_cal, max_fnr=0.05, pos_label=0)
    assert small.certificate_.misclassified == by_regressor.certificate_.misclassified
    fitted = neyman.CertifiedClassifier(Ridge(), max_fpr=0.05, random_state=0).fit(X, y)
    assert fitted.power_ > 0.5


def test_infinite_scores():
    X, X_cal, y, y_cal = data()
    with pytest.warns(UserWarning, match="no calibration row"):
        certified = neyman.certify_estimator(Booster(None, None), X_cal, y_cal, max_fnr=0.3,
                                             response_method=lambda e, X: np.where(X[:, 0] > 0, np.inf, -np.inf))
    scores = certified.decision_function(X_cal)
    np.testing.assert_array_equal(scores >= 0, certified.predict(X_cal) == 1)


def test_a_calibration_set_of_negatives_alone():
    X, X_cal, y, y_cal = data()
    model = LogisticRegression().fit(X, y)
    certified = neyman.certify_estimator(model, X_cal[y_cal == 0], y_cal[y_cal == 0], max_fpr=0.05)
    assert np.isnan(certified.power_)
    whole = neyman.certify_estimator(model, X_cal, y_cal, max_fpr=0.05)
    assert whole.threshold_ == certified.threshold_


def test_outlier_detectors_take_the_classes_of_y():
    X, X_cal, y, y_cal = data()
    forest = IsolationForest(n_estimators=20, random_state=0).fit(X[y == 1])
    certified = neyman.certify_estimator(forest, X_cal, np.where(y_cal, 1, -1), max_fpr=0.1)
    assert set(certified.predict(X_cal)) <= {-1, 1}


# ---------------------------------------------------------------------- fit


def test_fit_holds_rows_out():
    X, _, y, _ = data()
    seen = []

    class Spy(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append((len(X), None if sample_weight is None else len(sample_weight)))
            return super().fit(X, y, sample_weight)

    model = neyman.CertifiedClassifier(Spy(), max_fpr=0.05, holdout=0.4, random_state=0)
    model.fit(X, y, sample_weight=np.ones(len(y)))
    assert seen == [(720, 720)]
    assert model.certificate_.n_held_out == pytest.approx(0.4 * (y == 0).sum(), abs=1)
    assert not hasattr(model.estimator, "coef_")
    first = model.predict(X)
    np.testing.assert_array_equal(clone(model).fit(X, y, sample_weight=np.ones(len(y))).predict(X), first)


def test_groups_stay_together():
    X, _, y, _ = data(6000)
    groups = np.arange(len(y)) // 2
    model = neyman.CertifiedClassifier(LogisticRegression(), max_fpr=0.1, random_state=0).fit(X, y, groups=groups)
    assert model.certificate_.unit == "groups" and model.certificate_.n_held_out <= 450
    assert np.isnan(model.power_interval_).all() and 0 < model.power_ < 1


def test_what_scikit_learn_expects_of_a_classifier():
    """Rows of its checks are few: 40 % of them held out, and a bound that a few can certify."""
    model = neyman.CertifiedClassifier(LogisticRegression(), max_fpr=0.3, confidence=0.5, holdout=0.4, random_state=0)
    failed, exempt = [], set()
    for estimator, check in check_estimator(model, generate_only=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                check(estimator)
            except SkipTest as reason:
                exempt.add(str(reason).split()[1])
            except Exception as error:
                failed.append(f"{check.func.__name__}: {error}")
    assert not failed
    assert exempt <= {"check_classifiers_one_label_sample_weights", "check_classifiers_train"}


def test_a_search_inside_does_not_see_held_out_rows():
    X, _, y, _ = data()
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, cv=2)
    model = neyman.CertifiedClassifier(search, max_fpr=0.05, random_state=0).fit(X, y)
    assert model.estimator_.best_params_["C"] in (0.01, 1) and model.certificate_.n_held_out < len(y) / 3


def test_inside_grid_search_and_cross_validation():
    X, _, y, _ = data()
    model = neyman.CertifiedClassifier(LogisticRegression(), max_fpr=0.1, random_state=0)
    search = GridSearchCV(model, {"estimator__C": [0.01, 1], "max_fpr": [0.1, 0.2]}, cv=2, n_jobs=2).fit(X, y)
    assert search.best_params_["max_fpr"] in (0.1, 0.2)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.6
    assert cross_val_score(model, X, y, cv=3, scoring="roc_auc").mean() > 0.8


def test_frames_and_sparse_rows():
    X, X_cal, y, y_cal = data()
    columns = [f"x{k}" for k in range(8)]
    model = LogisticRegression().fit(pd.DataFrame(X, columns=columns), y)
    certified = neyman.certify_estimator(model, pd.DataFrame(X_cal, columns=columns), pd.Series(y_cal), max_fpr=0.05)
    assert list(certified.feature_names_in_) == columns
    sparse_model = LogisticRegression().fit(sparse.csr_matrix(X), y)
    other = neyman.certify_estimator(sparse_model, sparse.csr_matrix(X_cal), y_cal, max_fpr=0.05)
    assert other.certificate_.misclassified == certified.certificate_.misclassified
    fit = neyman.CertifiedClassifier(LogisticRegression(), max_fpr=0.1).fit(pd.DataFrame(X, columns=columns), y)
    assert fit.predict(pd.DataFrame(X_cal, columns=columns)).shape == y_cal.shape
