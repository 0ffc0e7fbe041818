"""scikit-learn's own checks of every estimator.

Its data have 20 to 300 rows, so nothing can be certified: ``confidence=None``. All else is the default of every class; the others are variants of families
and methods. The checks that may fail are those that SVC excepts for itself.
"""

import neyman
import pytest
import sklearn.utils.estimator_checks as checks
from sklearn.svm import SVC

DEFAULTS = [
    neyman.NeymanPearsonClassifier(confidence=None),
    neyman.NeymanPearsonClassifierCV(confidence=None),
    neyman.CostSensitiveClassifier(),
    neyman.RejectClassifier(),
    neyman.FalseDiscoveryClassifier(),
]
VARIANTS = [
    neyman.NeymanPearsonClassifier(confidence=None, kernel="rbf"),
    neyman.NeymanPearsonClassifier(confidence=None, max_fnr=0.1),
    neyman.NeymanPearsonClassifier(confidence=None, method="online"),
    neyman.CostSensitiveClassifier(method="online"),
    neyman.CostSensitiveClassifier(network=4),
    neyman.RejectClassifier(method="online"),
    neyman.FalseDiscoveryClassifier(method="online"),
]



def trains_trees():
    """Whether the library does; test_estimators_trees.py says what it lacks."""
    try:
        neyman.CostSensitiveClassifier(trees=1).fit([[0.0], [1.0], [2.0], [3.0]] * 10, [0, 1, 0, 1] * 10)
    except ValueError as error:
        assert "needs libxgboost" in str(error)
        return False
    return True


if trains_trees():
    VARIANTS += [neyman.NeymanPearsonClassifier(confidence=None, trees=5), neyman.CostSensitiveClassifier(trees=5),
                 neyman.RejectClassifier(trees=5)]

# Later versions read exceptions from here, and give the check other names.
EXCEPTED = {name: "zero sample_weight is not equivalent to removing samples"
            for name in ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")}
if hasattr(SVC, "_more_tags"):
    parametrize = checks.parametrize_with_checks(DEFAULTS + VARIANTS)
else:
    parametrize = checks.parametrize_with_checks(DEFAULTS + VARIANTS, expected_failed_checks=lambda estimator: EXCEPTED)


@pytest.mark.filterwarnings("ignore")
@parametrize
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_all_classes_are_checked_at_their_defaults():
    for estimator in DEFAULTS:
        plain = type(estimator)()
        changed = {name for name, value in estimator.get_params().items() if value != getattr(plain, name)}
        assert changed <= {"confidence"}
    assert {type(estimator) for estimator in DEFAULTS} == {
        value for value in vars(neyman).values()
        if isinstance(value, type) and hasattr(value, "partial_fit") | hasattr(value, "raw_scores")}


def test_exceptions_are_those_of_svc():
    if hasattr(SVC, "_more_tags"):
        for estimator in DEFAULTS:
            assert set(estimator._more_tags()["_xfail_checks"]) <= set(SVC()._more_tags()["_xfail_checks"])
