"""Functions for anybody's scores, against SciPy, scikit-learn and counting by hand."""

import os
import pickle
import shutil
import subprocess

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import neyman

RNG = np.random.default_rng(7)


def sample(n, seed=0, shift=2.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, rng.normal(size=n) + shift * y


# ---------------------------------------------------------------------- certificates


def allowed_errors(n, rate, delta):
    """The largest r with P(Binomial(n, rate) <= r) <= delta; -1 if there is none."""
    below = stats.binom.cdf(np.arange(n + 1), n, rate) <= delta
    return int(below.sum()) - 1


@pytest.mark.parametrize("n, rate, confidence", [(59, 0.05, 0.95), (300, 0.01, 0.95), (1000, 0.05, 0.9), (777, 0.1, 0.99)])
def test_certificate_is_the_order_statistic(n, rate, confidence):
    scores = np.random.default_rng(n).normal(size=n)
    found = neyman.certify(np.zeros(n), scores, rate, confidence, pos_label=1)
    errors = allowed_errors(n, rate, 1 - confidence)
    assert errors >= 0
    assert found.misclassified == errors == (scores >= found.threshold).sum()
    assert (scores >= np.nextafter(found.threshold, -np.inf)).sum() == errors + 1
    assert found.rate == errors / n and found.n_held_out == n
    # the bound solves P(Binomial(n, bound) <= errors) = delta
    assert stats.binom.cdf(errors, n, found.bound) == pytest.approx(1 - confidence, rel=1e-6)


def test_false_negatives_are_the_mirror_image():
    y, scores = sample(2000)
    fnr = neyman.certify(y, scores, max_fnr=0.05)
    fpr = neyman.certify(1 - y, -scores, max_fpr=0.05)
    assert fnr.misclassified == fpr.misclassified and fnr.kind == "fnr"
    assert (scores[y == 1] < fnr.threshold).sum() == fnr.misclassified


def test_bound_holds_on_new_data_as_often_as_promised():
    """True FPR at the certified threshold of exponential scores, 1000 draws; at most 5 % may exceed the bound."""
    rng = np.random.default_rng(3)
    exceeded = 0
    for _ in range(1000):
        scores = rng.exponential(size=120)
        found = neyman.certify(np.zeros(120), scores, 0.05, pos_label=1)
        exceeded += np.exp(-found.threshold) > 0.05
    assert stats.binomtest(int(exceeded), 1000, 0.05, "greater").pvalue > 1e-4
    assert exceeded > 10  # and it is not needlessly strict


def test_ties_are_never_misclassified_beyond_the_bound():
    scores = np.repeat([0.0, 0.5, 1.0], [500, 490, 10])
    found = neyman.certify(np.zeros(1000), scores, 0.01, pos_label=1)
    assert found.threshold > 1.0 and found.misclassified == 0


def test_both_bounds_share_the_error_probability():
    y, scores = sample(4000, shift=1.0)
    pair = neyman.certify(y, scores, 0.05, max_fnr=0.05)
    each = 1 - np.sqrt(0.95)
    assert pair.fpr.misclassified == allowed_errors(int((y == 0).sum()), 0.05, each)
    assert pair.fnr.misclassified == allowed_errors(int((y == 1).sum()), 0.05, each)
    assert pair.low < pair.high
    decisions = pair.decide(scores)
    assert set(np.unique(decisions)) == {-1, 0, 1}
    assert ((scores >= pair.high) == (decisions == 1)).all() and ((scores < pair.low) == (decisions == -1)).all()


def test_both_bounds_without_rejection_where_classes_part():
    y, scores = sample(4000, shift=30.0)
    pair = neyman.certify(y, scores, 0.05, max_fnr=0.05)
    assert pair.low == pair.high == pair.fpr.threshold


def test_groups_are_the_unit():
    rng = np.random.default_rng(0)
    groups = np.repeat([f"patient {k}" for k in range(200)], 10)
    scores = rng.normal(size=2000)
    found = neyman.certify(np.zeros(2000), scores, 0.05, groups=groups, pos_label=1)
    assert found.unit == "groups" and found.n_held_out == 200
    assert found.threshold >= neyman.certify(np.zeros(2000), scores, 0.05, pos_label=1).threshold
    shares = (scores >= found.threshold).reshape(200, 10).mean(axis=1)
    assert found.rate == pytest.approx(shares.mean())


@pytest.mark.parametrize("rate, confidence", [(0.01, 0.95), (0.05, 0.9), (0.001, 0.99)])
def test_too_few_rows_say_how_many_are_needed(rate, confidence):
    needed = int(np.ceil(np.log(1 - confidence) / np.log1p(-rate) - 1e-9))
    y, scores = np.zeros(needed - 1), RNG.normal(size=needed - 1)
    with pytest.raises(neyman.NotCertifiableError) as caught:
        neyman.certify(y, scores, rate, confidence, pos_label=1)
    assert caught.value.rows_needed == needed and caught.value.n_rows == needed - 1
    assert caught.value.tightest_rate == pytest.approx(1 - (1 - confidence) ** (1 / (needed - 1)))
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.rows_needed == needed and str(again) == str(caught.value)
    neyman.certify(np.zeros(needed), RNG.normal(size=needed), rate, confidence, pos_label=1)
    assert neyman.plan(rate, confidence).rows_needed == needed


def test_certificate_texts():
    found = neyman.certify(np.zeros(300), np.arange(300.0), 0.01, pos_label=1)
    assert str(found) == ("At most 1 % of negatives are flagged as positive, with 95 % confidence "
                          "(300 held-out negatives, 0 above the threshold).")
    first, *rest = repr(found).splitlines()
    assert first == "Certificate: at most 1 % of negatives are flagged as positive, with 95 % confidence"
    assert [line.split()[0] for line in rest] == ["evidence", "threshold"]
    # neither is rounded to a bound that was not certified
    loose = neyman.certify(np.zeros(300), np.arange(300.0), 0.9999999, pos_label=1)
    assert "99.99999 %" in str(loose)
    assert pickle.loads(pickle.dumps(found)) == found


# ---------------------------------------------------------------------- what callers pass


@pytest.mark.parametrize("labels", [("ham", "spam"), (False, True), (0, 1), (-1, 1), (1.0, 2.0), (b"a", b"b")])
def test_labels_of_any_kind(labels):
    y, scores = sample(1000)
    expected = neyman.certify(y, scores, 0.05)
    assert neyman.certify(np.asarray(labels)[y], scores, 0.05) == expected
    assert neyman.certify([labels[k] for k in y], scores.tolist(), 0.05) == expected
    flipped = neyman.certify(np.asarray(labels)[1 - y], scores, 0.05, pos_label=labels[0])
    assert flipped == expected


def test_arrays_of_any_kind():
    y, scores = sample(1000)
    scores = scores.astype(np.float32).astype(float)
    expected = neyman.certify(y, scores, 0.05)
    strided = np.repeat(scores, 3)[::3]
    for form in (strided, scores.astype(np.float32), scores[:, None], scores.astype(">f8"), scores.astype(object),
                 np.asfortranarray(np.column_stack([scores, scores]))[:, 0], scores[::-1].copy()[::-1]):
        assert neyman.certify(y, form, 0.05) == expected


@pytest.mark.parametrize("y, scores, message", [
    ([0, 1], [1.0], "expected 1 values"),
    ([0, 1, 2], [1.0, 2.0, 3.0], "expected two labels"),
    ([0, 0], [1.0, 2.0], "pos_label"),
    ([0, np.nan], [1.0, 2.0], "row 1"),
    ([0, 1], [1.0, np.nan], "row 1 is not a number"),
    ([0, 1], ["a", "b"], "expected numbers"),
    ([0, 1], [[1.0, 2.0], [3.0, 4.0]], "predict_proba"),
    ([0, 1], [1j, 2j], "real numbers"),
    ([], [], "expected two labels"),
    ([0, "a", None], [1.0, 2.0, 3.0], "row 2 is missing"),
    (np.array([0, "a"], dtype=object), [1.0, 2.0], "several types"),
    ([0.5, 1.5, 2.5], [0, 1, 0], "labels come first"),
    ([[0, 1], [1, 0]], [1.0, 2.0], "one value per row"),
])
def test_wrong_input_is_a_value_error(y, scores, message):
    with pytest.raises(ValueError, match=message):
        neyman.certify(y, scores, 0.05)
    with pytest.raises(ValueError, match=message):
        neyman.roc(y, scores)


@pytest.mark.parametrize("keywords", [{}, {"max_fpr": 0}, {"max_fpr": 1}, {"max_fpr": 0.1, "confidence": 1},
                                      {"max_fpr": 0.1, "confidence": None}, {"max_fnr": -1}, {"max_fpr": np.nan},
                                      {"max_fpr": 0.1, "groups": [1, 2]}, {"max_fpr": 0.1, "pos_label": 7},
                                      {"max_fpr": "5 %"}, {"max_fpr": True}, {"max_fpr": 0.1, "groups": [None] * 100},
                                      {"max_fpr": 0.1, "groups": [np.nan] * 100}])
def test_wrong_bounds_are_a_value_error(keywords):
    y, scores = sample(100)
    with pytest.raises(ValueError):
        neyman.certify(y, scores, **keywords)


# ---------------------------------------------------------------------- curves and intervals


@pytest.mark.parametrize("digits", [0, 1, 12])
def test_roc_agrees_with_scikit_learn(digits):
    y, scores = sample(500, seed=digits)
    scores = scores.round(digits)
    found = neyman.roc(y, scores, max_fpr=0.2)
    fpr, tpr, thresholds = metrics.roc_curve(y, scores, drop_intermediate=False)
    np.testing.assert_allclose(found.fpr, fpr)
    np.testing.assert_allclose(found.tpr, tpr)
    np.testing.assert_array_equal(found.thresholds[1:], thresholds[1:])
    assert found.thresholds[0] == np.inf
    assert found.auc == pytest.approx(metrics.roc_auc_score(y, scores))
    assert found.auc_interval[0] < found.auc < found.auc_interval[1]
    area = np.trapz(np.interp(grid := np.union1d(np.linspace(0, 0.2, 10001), fpr[fpr <= 0.2]), fpr, tpr), grid)
    assert found.partial_auc == pytest.approx(area, abs=2e-4)


def test_roc_needs_both_classes():
    with pytest.raises(ValueError, match="both classes"):
        neyman.roc([0, 0], [1.0, 2.0], pos_label=1)


@pytest.mark.parametrize("hits, n", [(0, 10), (3, 1000), (10, 10)])
def test_interval_is_clopper_pearson(hits, n):
    expected = stats.binomtest(hits, n).proportion_ci(0.9, "exact")
    np.testing.assert_allclose(neyman.interval(hits, n, 0.9), (expected.low, expected.high))


def test_interval_refuses_what_is_no_count():
    for hits, n, confidence in [(-1, 5, 0.9), (6, 5, 0.9), (1, 5, 1.0)]:
        with pytest.raises(ValueError):
            neyman.interval(hits, n, confidence)


# ---------------------------------------------------------------------- q-values, p-values


def qvalues_by_counting(y, scores, factor, one):
    estimate = []
    for s in scores:
        decoys, targets = ((scores >= s) & (y == 0)).sum(), ((scores >= s) & (y == 1)).sum()
        estimate.append(factor * (decoys + one) / max(targets, 1e-300))
    estimate = np.minimum(1, estimate)
    return np.array([estimate[scores <= s].min() for s in scores])


def test_qvalues_by_counting():
    y, scores = sample(300)
    scores = scores.round(1)
    n_pos, n_neg = (y == 1).sum(), (y == 0).sum()
    np.testing.assert_allclose(neyman.qvalues(y, scores), qvalues_by_counting(y, scores, n_pos / (n_neg + 1), 1))
    np.testing.assert_allclose(neyman.qvalues(y, scores, compete=True), qvalues_by_counting(y, scores, 1, 1))
    np.testing.assert_allclose(neyman.qvalues(y, scores, plus_one=False),
                               qvalues_by_counting(y, scores, n_pos / n_neg, 0))
    x = neyman.qvalues(y, scores, compete=True)
    below = x < 0.5
    np.testing.assert_allclose(neyman.qvalues(y, scores, compete=True, fdr_convention="all")[below],
                               (x / (1 + x))[below])


def test_qvalues_by_group_are_separate():
    y, scores = sample(600)
    by = np.arange(600) % 2
    found = neyman.qvalues(y, scores, by=by)
    for value in (0, 1):
        np.testing.assert_array_equal(found[by == value], neyman.qvalues(y[by == value], scores[by == value]))


def test_losers_of_a_competition_are_not_accepted():
    y = np.tile([1, 0], 300)
    groups = np.repeat(np.arange(300), 2)
    scores = np.random.default_rng(0).normal(size=600) + 3 * y * (groups % 2)
    q = neyman.qvalues(y, scores, groups=groups)
    best = scores.reshape(-1, 2).max(axis=1).repeat(2) == scores
    assert (q[~best] == 1).all() and (q[best] < 0.05).sum() > 50


def test_pep_falls_with_the_score():
    y, scores = sample(2000)
    p = neyman.pep(y, scores)
    order = np.argsort(scores)
    assert (np.diff(p[order]) <= 1e-12).all() and 0 < p.min() < 0.05 and p.max() <= 1


def test_conformal_by_counting():
    y, scores = sample(200)
    new = np.concatenate([scores[:50].round(1), [-np.inf, np.inf]])
    scores = scores.round(1)
    found = neyman.conformal(y, scores, new)
    for p, sign, odd in ((found.p_neg, 0, np.greater_equal), (found.p_pos, 1, np.less_equal)):
        own = scores[y == sign]
        np.testing.assert_allclose(p, [(1 + odd(own, s).sum()) / (len(own) + 1) for s in new])
    alone = neyman.conformal(y, scores, new, groups=np.arange(200))
    np.testing.assert_allclose(alone.p_pos, found.p_pos)


def test_conformal_of_groups_weighs_groups():
    y = np.zeros(6, int)
    y[:3] = 1
    found = neyman.conformal(y, [1.0, 2, 3, 0, 0, 0], [1.5], groups=["a", "a", "b", "c", "c", "c"])
    assert found.p_pos[0] == pytest.approx((1 + 0.5) / 3) and found.p_neg[0] == pytest.approx(1 / 2)


# ---------------------------------------------------------------------- plan and monitor


def test_plan_points():
    plan = neyman.plan(0.05, 0.9, n=[10, 45, 500])
    assert [p.errors_allowed for p in plan.points] == [allowed_errors(n, 0.05, 0.1) for n in (10, 45, 500)]
    assert plan.points[2].expected_rate == pytest.approx((plan.points[2].errors_allowed + 1) / 501)
    assert "at least 45 held-out negatives" in repr(plan)
    assert neyman.plan(max_fnr=0.05).kind == "fnr"
    for wrong in ({}, {"max_fpr": 0.1, "max_fnr": 0.1}, {"max_fpr": 0.1, "power": 0.05}, {"max_fpr": 0.1, "n": 0}):
        with pytest.raises(ValueError):
            neyman.plan(**wrong)


def test_monitor_alarm_does_not_depend_on_batches(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 4000)
    scores = rng.normal(size=4000) + y
    scores[2000:] += 1
    whole = neyman.Monitor(max_fpr=0.05, threshold=2.0)
    assert whole.update(y, scores)
    single = neyman.Monitor(max_fpr=0.05, threshold=2.0, state=tmp_path / "watch")
    alarms = [single.update(label, score) for label, score in zip(y[:1000], scores[:1000])]
    assert not any(alarms)
    single.save()
    del single
    resumed = neyman.Monitor(max_fpr=0.05, threshold=2.0, state=tmp_path / "watch")
    assert resumed.n_rows == 1000
    assert resumed.update(y[1000:], scores[1000:])
    assert resumed.alarm_row == whole.alarm_row and 2000 <= whole.alarm_row < 3000
    assert resumed.info["fpr"]["errors"] == ((scores >= 2.0) & (y == 0)).sum()


def test_monitor_renews_the_threshold():
    rng = np.random.default_rng(1)
    monitor = neyman.Monitor(max_fpr=0.05, threshold=2.0, window=500)
    with pytest.raises(neyman.NotCertifiableError):
        monitor.renew()
    monitor.update(np.zeros(2000), rng.normal(2, size=2000))
    low, high = monitor.renew()
    assert low == high and 3 < high < 5
    assert "alarm at row" in repr(monitor)


def test_monitor_from_a_certificate_and_labels():
    y, scores = sample(2000)
    names = np.array(["ham", "spam"])[y]
    found = neyman.certify(names, scores, 0.05)
    monitor = neyman.Monitor.from_certificate(found, classes=("ham", "spam"))
    assert monitor.high == found.threshold and not monitor.update(names, scores)
    with pytest.raises(ValueError, match="row 0"):
        monitor.update(["eggs"], [1.0])
    signs = neyman.Monitor(max_fpr=0.05, max_fnr=0.2, threshold=(0.0, 2.0))
    signs.update([-1, 1, True, False], [0.0, 1.0, 2.0, 3.0])
    assert signs.info["n_pos"] == 2 and signs.info["fpr"]["n"] == 2
    for wrong in ({"threshold": 1.0}, {"max_fpr": 0.1, "threshold": (2.0, 1.0)},
                  {"max_fpr": 0.1, "threshold": 1.0, "classes": (1, 1)}):
        with pytest.raises(ValueError):
            neyman.Monitor(**wrong)


# ---------------------------------------------------------------------- the program


@pytest.mark.skipif("NEY_PROGRAM" not in os.environ and not shutil.which("neyman"), reason="the program is not built")
def test_the_program_finds_the_same_thresholds(tmp_path):
    import json

    y, scores = sample(3000, shift=1.0)
    table = tmp_path / "scores.tsv"
    table.write_text("label\tscore\n" + "".join(f"{a}\t{b!r}\n" for a, b in zip(y, scores.tolist())))
    pair = neyman.certify(y, scores, 0.05, max_fnr=0.1)
    program = os.environ.get("NEY_PROGRAM", "neyman")
    told = json.loads(subprocess.run([program, "certify", table, "--max-fpr", "0.05", "--max-fnr", "0.1", "--json"],
                                     check=True, capture_output=True).stdout)
    assert [told["threshold_low"], told["threshold_high"]] == [pair.low, pair.high]
    # and states them in the same words
    table.write_text(table.read_text().replace("\n0\t", "\nham\t").replace("\n1\t", "\nspam\t"))
    for bounds, words in (({"max_fpr": 0.05}, ["--max-fpr", "0.05"]), ({"max_fnr": 0.025}, ["--max-fnr", "0.025"])):
        mine = str(neyman.certify(np.where(y, "spam", "ham"), scores, **bounds))
        told = json.loads(subprocess.run([program, "certify", table, *words, "--json"], check=True, capture_output=True).stdout)
        assert told["guarantee"].split(" (")[0] == mine.split(" (")[0]
