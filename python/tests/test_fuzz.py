"""Wrong arguments: the extension answers or raises, and never crashes.

Every function and type of the extension is called with random arguments of random types, and with arguments that are right but
for one. Python code in front of it checks more; here nothing is.
"""

import inspect
import os

import numpy as np
import pytest
from scipy import sparse

import neyman
from neyman import _core

REPEATS = int(os.environ.get("NEY_TEST_MULT", "1"))
SEED = int(os.environ.get("NEY_TEST_SEED", "1"))
FUNCTIONS = sorted(name for name in dir(_core) if inspect.isbuiltin(getattr(_core, name)))
TYPES = sorted(name for name in dir(_core) if inspect.isclass(getattr(_core, name)))


def arrays(rng, n):
    """Arrays that are wrong in some way, and some that are not."""
    whole = rng.normal(size=n)
    frozen = whole.copy()
    frozen.flags.writeable = False
    yield from (whole, whole.astype(np.float32), whole.astype(">f8"), whole.astype(object), whole[:, None], whole[::-1],
                np.asfortranarray(rng.normal(size=(n, 2))), np.repeat(whole, 2)[::2], np.where(whole > 1, np.nan, whole),
                np.where(whole > 1, np.inf, -np.inf), np.empty(0), np.empty((0, 3)), np.empty((3, 0)), np.zeros(n + 1), np.array(1.0), frozen,
                rng.choice([-1, 1], n).astype(np.int8), rng.integers(-128, 128, n).astype(np.int8), np.zeros(n, np.int8),
                rng.integers(0, 2**63, n).astype(np.uint64), rng.integers(0, 5, n).astype(np.uint64), np.arange(n, dtype=np.int64),
                np.arange(n, dtype=np.int32), np.zeros(n, bool), np.array(["a"] * n), whole.astype(complex),
                np.zeros(n, "datetime64[s]"), memoryview(bytes(8 * n)), bytes(n), bytearray(8 * n), np.ma.masked_array(whole, whole > 0))


def scalars():
    return (None, True, False, 0, 1, -1, 2**31, -2**31, 2**63 - 1, -2**63, 2**64, 0.0, 0.05, 0.5, 1.0, -1.0, 1e300, 1e-300,
            float("nan"), float("inf"), -float("inf"), 1j, "", "fpr", "\x00", "\ud800", b"\xff", [], [1, 2], (), (1.0,), {}, {"a": 1},
            object(), int, len, Ellipsis, slice(3), np.float64(0.1), np.int8(1), np.array([]), sparse.eye(3).tocsr())


def anything(rng, n):
    pool = [*arrays(rng, n), *scalars()]
    return [pool[k] for k in rng.integers(0, len(pool), rng.integers(0, 14))]


def call(function, arguments):
    try:
        return function(*arguments)
    except (Exception, KeyboardInterrupt) as error:
        assert not isinstance(error, (SystemError, KeyboardInterrupt)), (function, error)


def valid(rng, n):
    """Arguments that each function of scores takes."""
    scores, labels = rng.normal(size=n), rng.choice([-1, 1], n).astype(np.int8)
    keys = rng.integers(0, 5, n).astype(np.uint64)

    def room(k, kind=float):
        return np.empty(k, kind)

    return {
        "interval": [3, 10, 0.9], "delta_of_confidence": [0.95], "delta_of_each": [0.05], "rows_needed": [0.1, 0.05],
        "tightest_rate": [100, 0.05], "plan_at": [100, 0.05, 0.05, 0.9],
        "certify": [0, scores, labels, keys, 0.3, 0.4],
        "roc": [scores, labels, room(n + 1), room(n + 1, np.int64), room(n + 1, np.int64), 0.95, 0.2],
        "qvalues": [scores, labels, keys, keys, room(n), room(n), room(n, bool), False, False, False, False, False],
        "risk_coverage": [scores, labels, 0.0, room(n), room(n, np.int64), room(n, np.int64)],
    }


@pytest.mark.parametrize("name", FUNCTIONS + TYPES)
def test_random_arguments(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a random string may be the name of a file
    rng = np.random.default_rng(SEED)
    for _ in range(400 * REPEATS):
        made = call(getattr(_core, name), anything(rng, int(rng.integers(0, 9))))
        if name in TYPES and made is not None:
            for method in dir(made):
                if not method.startswith("__"):
                    call(getattr(made, method), anything(rng, 4)) if callable(getattr(made, method)) else None


@pytest.mark.parametrize("name", sorted(valid(np.random.default_rng(0), 5)))
def test_one_wrong_argument(name):
    rng = np.random.default_rng(SEED)
    function = getattr(_core, name)
    for n in (0, 1, 2, 50):
        right = valid(rng, n)[name]
        assert n < 50 or function(*right) is not None
        for k in range(len(right)):
            for wrong in (*arrays(rng, n), *scalars()):
                call(function, [*right[:k], wrong, *right[k + 1:]])


def test_results_fit_their_arrays():
    """Arrays for results that are too short are refused, not overrun."""
    scores, labels = np.arange(9.0), np.tile([-1, 1, 1], 3).astype(np.int8)
    for short in range(9):
        with pytest.raises(ValueError, match="expected 10 elements"):
            _core.roc(scores, labels, np.empty(short), np.empty(10, np.int64), np.empty(10, np.int64), 0.9, 0.1)
        with pytest.raises(ValueError, match="expected 9 elements"):
            _core.risk_coverage(scores, labels, 0.0, np.empty(short), np.empty(9, np.int64), np.empty(9, np.int64))
    with pytest.raises((BufferError, ValueError), match="read-only"):
        frozen = np.empty(10)
        frozen.flags.writeable = False
        _core.roc(scores, labels, frozen, np.empty(10, np.int64), np.empty(10, np.int64), 0.9, 0.1)


@pytest.mark.parametrize("function", [
    lambda y, s: neyman.certify(y, s, 0.1), lambda y, s: neyman.certify(y, s, 0.1, groups=y), neyman.roc, neyman.qvalues, neyman.pep,
    lambda y, s: neyman.conformal(y, s, s), lambda y, s: neyman.Monitor(max_fpr=0.1, threshold=0.0).update(y, s)],
    ids=["certify", "certify groups", "roc", "qvalues", "pep", "conformal", "monitor"])
def test_public_functions(function):
    rng = np.random.default_rng(SEED)
    for _ in range(150 * REPEATS):
        y, s = (anything(rng, 6) + [None])[0], (anything(rng, 6) + [None])[0]
        call(function, (y, s))


def test_a_monitor_serves_one_thread_at_a_time():
    """Others see it busy, and their own work goes on."""
    import threading

    watch = _core.Monitor(0.5, float("nan"), 0.0, 0.0, 0.05, 0, 0)
    scores, labels = -np.ones(200000), -np.ones(200000, np.int8)
    refused, rounds = threading.Event(), []

    def work():
        while not refused.is_set():
            rounds.append(watch.add(scores, labels, 0))

    worker = threading.Thread(target=work)
    worker.start()
    while not refused.is_set():
        try:
            watch.look()
        except RuntimeError as error:
            assert "another thread" in str(error)
            refused.set()
    worker.join()
    assert watch.look()["n_neg"] == 200000 * len(rounds)
