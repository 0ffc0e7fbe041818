"""The interactive page from arrays: what is written into it, and that it is what the program writes."""

import base64
import json
import os
import re
import subprocess

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import neyman


def content(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("</script>") == 4
    data = re.search(r'<script type="application/json" id="neyman-data">(.*?)</script>', text, re.S).group(1)
    assert not re.search("[<>&]", data)
    scores = re.search(r'<script type="text/plain" id="neyman-scores">(.*?)</script>', text, re.S).group(1)
    return json.loads(data), base64.b64decode(scores)


def drawn(n, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3 == 0)
    scores = rng.normal(size=n) + 1.5 * y
    return np.where(y, "spam", "ham"), scores if digits is None else scores.round(digits)


@pytest.mark.parametrize("n, digits", [(700, None), (700, 1), (5, None), (100, 0)])
def test_scores_are_packed_as_the_program_does(tmp_path, n, digits):
    y, scores = drawn(n, digits=digits)
    neyman.report(tmp_path / "a.html", y, scores, threshold=0.5)
    with open(tmp_path / "s.tsv", "w") as file:
        file.write("label\tscore\n" + "".join(f"{a}\t{b!r}\n" for a, b in zip(y, scores.tolist())))
    subprocess.run([os.environ["NEY_PROGRAM"], "report", "-q", "--from-scores", tmp_path / "s.tsv", "--threshold", "0.5",
                    "-o", tmp_path / "b.html"], check=True, stdout=subprocess.DEVNULL)
    mine, packed = content(tmp_path / "a.html")
    theirs, wanted = content(tmp_path / "b.html")
    assert packed == wanted
    assert mine["near"] == theirs["near"] and mine["worst"] == theirs["worst"]
    for key in ("n", "n_pos", "n_neg", "positive", "negative", "rates_on", "unit"):
        assert mine["rows"][key] == theirs["rows"][key]
    assert mine["threshold"] == theirs["threshold"] and mine["costs"] == theirs["costs"]


def test_of_a_certified_estimator(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1500, 3))
    y = np.where(X[:, 0] + rng.normal(size=1500) > 0.5, "yes", "no")
    certified = neyman.certify_estimator(LogisticRegression().fit(X[:500], y[:500]), X[500:1000], y[500:1000], max_fpr=0.1)
    path = neyman.report(str(tmp_path / "r.html"), y[1000:], estimator=certified, X=X[1000:], ids=np.arange(500), prevalence=0.01)
    data, _ = content(path)
    claim, = data["claims"]
    certificate = certified.certificate_
    assert (claim["rate"], claim["max_rate"], claim["confidence"]) == ("fpr", 0.1, 0.95)
    assert claim["calibration_rows"] == certificate.n_rows
    assert data["threshold"]["high"] == certificate.threshold and data["threshold"]["origin"] == "model"
    assert data["rows"]["positive"] == "yes" and data["prevalence"] == 0.01
    assert all(row["id"] == str(row["row"] - 1) for row in data["near"] + data["worst"])


def test_pair_rejects(tmp_path):
    y, scores = drawn(4000)
    pair = neyman.certify(y[:2000], scores[:2000], max_fpr=0.1, max_fnr=0.1)
    data, _ = content(neyman.report(tmp_path / "r.html", y[2000:], scores[2000:], certificate=pair, rows=False))
    assert (data["threshold"]["low"], data["threshold"]["high"]) == (pair.low, pair.high)
    assert [c["rate"] for c in data["claims"]] == ["fpr", "fnr"] and "near" not in data
    assert all(c["confidence"] == pair.confidence for c in data["claims"])


def test_names_are_escaped_and_umask_is_kept(tmp_path):
    y, scores = drawn(60)
    y = np.where(y == "spam", "</script><b>", "a & \U0001F600 \u2028")
    path = neyman.report(tmp_path / "r.html", y, scores, threshold=(0, 1), name="<!--", max_fnr=0.2)
    data, _ = content(path)
    assert data["rows"]["positive"] == "a & \U0001F600 \u2028" and data["rows"]["file"] == "<!--"
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize("overlap, n_pos, n_neg", [(1.5, 1500, 1500), (50, 149, 2850), (50, 299, 299), (50, 599, 899), (0, 30, 2000)])
def test_thinned(overlap, n_pos, n_neg, monkeypatch):
    """With at most 300 thresholds every rate is known to within 1/300, whatever the order of the classes."""
    from neyman import _report
    monkeypatch.setattr(_report, "_MOST_THRESHOLDS", 300)
    monkeypatch.setattr(_report, "_CELLS", 150)
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [n_pos, n_neg])
    scores = rng.normal(size=n_pos + n_neg) + overlap * y
    curve = neyman.roc(y, scores)
    kept, gap = _report._kept(curve, [0.25])
    assert len(kept) <= 300 and kept[-1] == len(curve.thresholds) - 1
    assert np.flatnonzero(curve.thresholds >= 0.25)[-1] in kept
    points = np.concatenate([[0], kept])
    most = max(max((curve.fp[k] - curve.fp[a]) / n_neg, (curve.tp[k] - curve.tp[a]) / n_pos)
               for a, b in zip(points[:-1], points[1:]) for k in range(a, b))
    assert most == gap and 0 < gap <= 2 / 300


@pytest.mark.parametrize("wrong, message", [
    ({}, "either scores, or an estimator"),
    ({"scores": [0.1, 0.2, 0.3], "max_fpr": 0.1}, "needs the threshold"),
    ({"scores": [0.1, 0.2, 0.3], "threshold": (2, 1)}, "low <= high"),
    ({"scores": [0.1, 0.2, 0.3], "ids": ["a"]}, "ids: expected 3"),
    ({"scores": [0.1, np.nan, 0.3]}, "not a number"),
])
def test_refused(tmp_path, wrong, message):
    with pytest.raises(ValueError, match=message):
        neyman.report(tmp_path / "r.html", [0, 1, 1], **wrong)
    with pytest.raises(ValueError, match="both classes|two labels"):
        neyman.report(tmp_path / "r.html", [1, 1], [0.1, 0.2], pos_label=1)
    with pytest.raises(FileNotFoundError):
        neyman.report(tmp_path / "none" / "r.html", [0, 1], [0.1, 0.2])
    with pytest.raises(TypeError, match="Certificate"):
        neyman.report(tmp_path / "r.html", [0, 1], [0.1, 0.2], certificate=0.5)
    assert list(tmp_path.iterdir()) == []
