"""Displays: what they draw, and that it can be read."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import neyman


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def fitted(bounds, n=3000, names=("ham", "spam")):
    X, y = make_classification(n, n_features=6, class_sep=1.2, random_state=0)
    y = np.array(names)[y]
    model = GaussianNB().fit(X[:n // 3], y[:n // 3])
    certified = neyman.certify_estimator(model, X[n // 3:2 * n // 3], y[n // 3:2 * n // 3], **bounds)
    return certified, X[2 * n // 3:], y[2 * n // 3:]


def assert_legible(figure):
    """All text is at least 7 points high, inside the figure, and the figure is one column wide."""
    figure.canvas.draw()
    box = figure.bbox
    texts = []
    for ax in figure.axes:
        texts += [ax.xaxis.label, ax.yaxis.label, *ax.get_legend().get_texts(), ax.get_legend().get_title()]
        for labels, k, limits in ((ax.get_xticklabels(), 0, ax.get_xlim()), (ax.get_yticklabels(), 1, ax.get_ylim())):
            texts += [text for text in labels if limits[0] <= text.get_position()[k] <= limits[1]]
    texts = [text for text in texts if text.get_text()]
    assert len(texts) > 5 and figure.get_figwidth() <= 3.5
    for text in texts:
        extent = text.get_window_extent()
        assert text.get_fontsize() >= 7, text
        assert box.x0 <= extent.x0 and extent.x1 <= box.x1 and box.y0 <= extent.y0 and extent.y1 <= box.y1, text


BOUNDS = [{"max_fpr": 0.05}, {"max_fnr": 0.05}, {"max_fpr": 0.05, "max_fnr": 0.04}]


@pytest.mark.parametrize("bounds", BOUNDS, ids=["fpr", "fnr", "both"])
def test_roc_shows_the_certified_rates(bounds):
    certified, X, y = fitted(bounds)
    display = neyman.RocDisplay.from_estimator(certified, X, y)
    assert_legible(display.figure_)
    assert len(display.bound_lines_) == len(bounds)
    scores = certified.estimator_.predict_proba(X)[:, 1]
    thresholds = sorted({certified.certificate_.low, certified.certificate_.high}, reverse=True)
    assert len(display.points_) == len(thresholds)
    for point, threshold in zip(display.points_, thresholds):
        found = point.get_xdata()[0], point.get_ydata()[0]
        assert found == pytest.approx([(scores >= threshold)[y == name].mean() for name in ("ham", "spam")])
    if "max_fpr" in bounds:
        assert display.bound_lines_[0].get_xdata()[0] == 0.05
    if bounds == {"max_fpr": 0.05}:
        assert display.ax_.get_xlim()[1] == 0.25
        assert neyman.RocDisplay.from_estimator(certified, X, y, zoom=False).ax_.get_xlim()[1] > 1
    low, high = display.curve.auc_interval
    assert f"AUC {display.curve.auc:.3f} [{low:.3f}, {high:.3f}]" in display.line_.get_label()
    again = neyman.RocDisplay.from_predictions(y, scores, certificate=certified.certificate_)
    assert again.points_[0].get_xdata() == display.points_[0].get_xdata()


def test_roc_of_many_rows_draws_few_points():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200000)
    display = neyman.RocDisplay.from_predictions(y, rng.normal(size=len(y)) + y)
    x, t = display.line_.get_data()
    assert len(x) < 10000 < len(display.curve.fpr)
    exact = np.interp(x, display.curve.fpr, display.curve.tpr)
    np.testing.assert_allclose(t, exact, atol=2e-3)
    assert (x[0], t[0], x[-1], t[-1]) == (0, 0, 1, 1)


@pytest.mark.parametrize("bounds", BOUNDS, ids=["fpr", "fnr", "both"])
@pytest.mark.parametrize("names", [("ham", "spam"), (0, 1), ("a name that is very long " * 3, "b name that is very long " * 3)],
                         ids=["text", "numbers", "long"])
def test_certificate_shows_thresholds(bounds, names):
    certified, X, y = fitted(bounds, names=names)
    display = neyman.CertificateDisplay.from_estimator(certified, X, y)
    assert_legible(display.figure_)
    assert [line.get_xdata()[0] for line in display.threshold_lines_] == sorted({certified.certificate_.low, certified.certificate_.high})
    title = display.ax_.get_legend().get_title().get_text()
    assert "95 % confidence" in title and all(f"{100 * rate:g} %" in title for rate in bounds.values())
    shares = [bar.get_height() for bar in display.ax_.patches if hasattr(bar, "get_height")]
    assert not shares or max(shares) <= 100
    again = neyman.CertificateDisplay.from_predictions(y, display_scores(certified, X), certificate=certified.certificate_)
    assert len(again.negative_scores) == (y == names[0]).sum()


def display_scores(certified, X):
    return certified.estimator_.predict_proba(X)[:, 1]


def test_certificate_of_degenerate_scores():
    y = np.repeat([0, 1], 300)
    for scores in (np.zeros(600), np.where(y, np.inf, 0.0), np.where(np.arange(600) % 2, -np.inf, y)):
        found = neyman.certify(y, scores, max_fpr=0.05)
        neyman.CertificateDisplay.from_predictions(y, scores, certificate=found)
        neyman.RocDisplay.from_predictions(y, scores, certificate=found)
        neyman.ErrorRejectDisplay.from_predictions(y, scores, certificate=found)


def test_error_reject_by_counting():
    certified, X, y = fitted({"max_fpr": 0.05, "max_fnr": 0.04})
    display = neyman.ErrorRejectDisplay.from_estimator(certified, X, y)
    assert_legible(display.figure_)
    scores, pair = display_scores(certified, X), certified.certificate_
    middle = (pair.low + pair.high) / 2
    distance = np.abs(scores - middle)
    wrong = (scores >= middle) != (y == "spam")
    assert display.reject_rate[0] == 0 and display.error_rate[0] == pytest.approx(wrong.mean())
    for k in range(0, len(display.reject_rate), 97):
        kept = distance >= np.sort(distance)[round(display.reject_rate[k] * len(y))]
        assert display.error_rate[k] == pytest.approx(wrong[kept].mean())
    predicted = certified.predict(X)
    assert display.point[0] == pytest.approx((predicted == "rejected").mean())
    assert display.point[1] == pytest.approx((predicted != y)[predicted != "rejected"].mean())
    assert (np.diff(display.reject_rate) > 0).all()


def test_error_reject_of_plain_classifiers():
    X, y = make_classification(600, random_state=0)
    for model in (GaussianNB().fit(X, y), LogisticRegression().fit(X, y)):
        display = neyman.ErrorRejectDisplay.from_estimator(model, X, y)
        assert display.error_rate[0] == pytest.approx((model.predict(X) != y).mean()) and display.point is None


def test_axes_of_the_caller_and_errors():
    certified, X, y = fitted({"max_fpr": 0.05})
    figure, axes = plt.subplots(1, 3)
    assert neyman.RocDisplay.from_estimator(certified, X, y, ax=axes[0], color="black").line_.get_color() == "black"
    assert neyman.CertificateDisplay.from_estimator(certified, X, y, ax=axes[1]).ax_ is axes[1]
    assert neyman.ErrorRejectDisplay.from_estimator(certified, X, y, ax=axes[2]).figure_ is figure
    with pytest.raises(ValueError, match="certify_estimator"):
        neyman.CertificateDisplay.from_estimator(certified.estimator_, X, y)
    with pytest.raises(ValueError, match="leave them out"):
        neyman.RocDisplay.from_estimator(certified, X, y, pos_label="ham")
    flipped = neyman.RocDisplay.from_estimator(certified.estimator_, X, y, pos_label="ham")
    plain = neyman.RocDisplay.from_estimator(certified.estimator_, X, y)
    assert flipped.curve.auc == pytest.approx(plain.curve.auc) and flipped.curve.n_pos == plain.curve.n_neg


def test_matplotlib_is_imported_only_to_draw():
    code = ("import sys; import neyman; assert 'matplotlib' not in sys.modules; sys.modules['matplotlib'] = None\n"
            "sys.modules['matplotlib.pyplot'] = None\n"
            "try: neyman.RocDisplay.from_predictions([0, 1], [0.0, 1.0])\n"
            "except ImportError as error: print(error)")
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert told.strip() == "displays draw with Matplotlib: pip install matplotlib"


def test_classifiers_of_this_package_are_drawn_at_their_own_threshold():
    X, y = make_classification(2000, n_features=6, class_sep=1.2, random_state=0)
    model = neyman.NeymanPearsonClassifier(max_fpr=0.1).fit(X[:1500], y[:1500])
    X, y = X[1500:], y[1500:]
    predicted = model.predict(X)
    point = neyman.RocDisplay.from_estimator(model, X, y).points_[0]
    assert [point.get_xdata()[0], point.get_ydata()[0]] == pytest.approx([(predicted == 1)[y == k].mean() for k in (0, 1)])
    display = neyman.CertificateDisplay.from_estimator(model, X, y)
    assert (display.positive_scores >= model.certificate_.threshold).mean() == pytest.approx((predicted == 1)[y == 1].mean())
