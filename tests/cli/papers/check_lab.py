"""The statistics, rates, curves and verdicts of bench/papers against values from paper, and the store of results."""
import json
import math
import pathlib
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import lab  # noqa: E402
import numpy as np  # noqa: E402


def near(a, b, tolerance=1e-9):
    assert abs(a - b) <= tolerance, (a, b)


def statistics():
    mean, low, high = lab.mean_interval([1, 2, 3, 4])  # s = 1.29099, t(0.975, 3) = 3.182446
    near(mean, 2.5)
    near(high - mean, 3.182446305 * 1.290994449 / 2, 1e-6)
    near(mean - low, high - mean)
    assert math.isnan(lab.mean_interval([1])[1])
    near(lab.wilcoxon([1, 2, 3, 4, 5], [0, 0, 0, 0, 0]), 2 / 32)  # all signs alike: 2 of 2^5
    near(lab.wilcoxon([1, 1], [1, 1]), 1)
    assert lab.interval([1.0]) == "1" and lab.interval([1.0, 1.0]) == "1 [1, 1]"


def rates():
    score, label = np.array([3.0, 2.0, 1.0, 0.0, -1.0]), np.array([1, -1, 1, -1, -1])
    assert lab.rates(score, label) == (2 / 3, 0.0)
    assert lab.rates(score, label, 2.5) == (0.0, 0.5)
    t = lab.threshold_for(score, label, 1 / 3)  # one negative may pass: the threshold is just above the second
    assert t > 0 and lab.rates(score, label, t) == (1 / 3, 0.0)
    assert lab.rates(score, label, lab.threshold_for(score, label, 0)) == (0.0, 0.5)
    assert lab.rates(score, label, lab.threshold_for(score, label, 1)) == (1.0, 0.0)


def curves():
    hull = lab.envelope([(0.2, 0.2), (0.2, 0.6), (0.5, 0.5), (0.6, 0.9)])
    assert hull == [(0.0, 0.0), (0.2, 0.6), (0.6, 0.9), (1.0, 1.0)], hull
    near(float(lab.height(hull, 0.4)), 0.75)
    near(float(lab.height([(0, 0), (0, 0.5), (1, 1)], 0)), 0.5)


def verdicts():
    assert lab.verdict([("a", True), ("b", True)])[0] == "reproduced"
    assert lab.verdict([("a", True), ("b", False)]) == ("partly", "a: yes; b: no")
    assert lab.verdict([("a", False)])[0] == "not reproduced"
    assert lab.anchor("Figure 5: a, b (c)") == "figure-5-a-b-c"


def splits():
    lines = [f"{'+1' if i % 4 else '-1'} 1:{i}" for i in range(400)]
    parts = lab.split(lines, (2, 1, 1), 7)
    assert [len(p) for p in parts] == [200, 100, 100]
    assert sorted(sum(parts, [])) == sorted(lines) and parts == lab.split(lines, (2, 1, 1), 7) != lab.split(lines, (2, 1, 1), 8)
    assert [sum(line.startswith("-") for line in p) for p in parts] == [50, 25, 25]
    x, y = lab.arrays(["+1 1:2 3:-1.5", "-1 2:4"])
    assert x.tolist() == [[2, 0, -1.5], [0, 4, 0]] and y.tolist() == [1, -1]
    assert lab.to_lines(x, y) == ["+1 1:2 3:-1.5", "-1 2:4"]


CALLS = []


def unit(value):
    CALLS.append(value)
    return {"twice": np.float64(2 * value)}


def store():
    with tempfile.TemporaryDirectory() as folder:
        units = [("a", unit, {"value": 1}), ("b", unit, {"value": 2})]
        first = lab.run_units(units, folder, 1)
        assert lab.Results(first)["b"] == {"twice": 4} and CALLS == [1, 2]
        (pathlib.Path(folder) / "b.json").unlink()  # as if interrupted
        assert lab.Results(lab.run_units(units, folder, 1))["b"] == {"twice": 4} and CALLS == [1, 2, 2]
        lab.run_units([("a", unit, {"value": 5})], folder, 1)  # other parameters: not the stored result
        assert CALLS == [1, 2, 2, 5] and json.loads((pathlib.Path(folder) / "a.json").read_text())["result"]["twice"] == 10


for check in (statistics, rates, curves, verdicts, splits, store):
    check()
