"""Threads, interruption, progress and files of the estimators."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import make_classification

import neyman

PROGRAM = os.environ.get("NEY_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="runs under ctest, which says where the program is")


def hard(n=3000, seed=0):
    """Rows whose fit with a kernel takes longer than any test waits."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 20)), rng.integers(0, 2, n)


def slow_classifier(**keywords):
    return neyman.CostSensitiveClassifier(kernel="rbf", C=1e6, gamma=0.05, tol=1e-10, cache_size=1, threads=1, **keywords)


class Enough(Exception):
    pass


def test_two_fits_in_two_threads_both_progress():
    X, y = hard()
    counts, met = [0, 0], threading.Event()

    def fit(k):
        def callback(*progress):
            counts[k] += 1
            if min(counts) >= 3:
                met.set()
            if met.is_set():
                raise Enough
        with pytest.raises(Enough):
            slow_classifier().fit(X, y, callback=callback)

    threads = [threading.Thread(target=fit, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    assert met.wait(60)
    for thread in threads:
        thread.join()
    assert min(counts) >= 3


def test_python_runs_while_a_fit_runs():
    X, y = hard()
    ticks, done = [0], threading.Event()

    def tick():
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    def callback(*progress):
        if ticks[0] > 50:
            raise Enough

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        with pytest.raises(Enough):
            slow_classifier().fit(X, y, callback=callback)
    finally:
        done.set()
        thread.join()
    assert ticks[0] > 50


@pytest.mark.parametrize("keywords", [{"kernel": "rbf", "tol": 1e-11}, {"method": "online", "epochs": 10**6}, {"tol": 1e-11}], ids=str)
def test_interrupt_stops_a_fit(keywords):
    """The exception arrives when the library is polled, at most 50 ms apart; the estimator stays as it was."""
    X, y = hard()
    model = neyman.NeymanPearsonClassifier(max_fpr=0.2, C=1e5, threads=1, confidence=None, **keywords)
    sent = []

    def callback(*progress):
        if not sent:
            sent.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, callback=callback)
    assert sent and not hasattr(model, "result_")


LEAK = """
import os, signal, sys, threading, numpy as np, neyman
rng = np.random.default_rng(0)
X, y = rng.normal(size=(3000, 400)).astype(np.float32), rng.integers(0, 2, 3000)
def rss():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
stopped = [0]
def interrupted_fit():
    model = neyman.CostSensitiveClassifier(kernel="rbf", C=1e6, gamma=0.002, tol=1e-10, cache_size=1, threads=1)
    running = threading.Event()
    def interrupt():
        running.wait()
        os.kill(os.getpid(), signal.SIGINT)
    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        model.fit(X, y, callback=lambda *progress: running.set())
    except KeyboardInterrupt:
        stopped[0] += 1
    sender.join()
for k in range(3):
    interrupted_fit()
before = rss()
for k in range(10):
    interrupted_fit()
print(stopped[0], (rss() - before) / X.nbytes)
"""


def test_interrupts_leak_nothing():
    out = subprocess.run([sys.executable, "-c", LEAK], check=True, capture_output=True, text=True, timeout=300).stdout.split()
    assert int(out[0]) == 13
    assert float(out[1]) < 3  # each fit stores at least 1 such array: ten leaks would be 10


def test_exceptions_of_callbacks_pass_through():
    X, y = hard()

    def callback(stage, done, total, value):
        assert isinstance(stage, str) and done >= 0
        raise Enough("at " + stage)

    with pytest.raises(Enough, match="at "):
        slow_classifier().fit(X, y, callback=callback)


def test_verbose_shows_progress(capsys, monkeypatch):
    X, y = hard(1500)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    neyman.CostSensitiveClassifier(kernel="rbf", C=100, max_time=0.3, threads=1).set_params(verbose=0)
    with pytest.warns(UserWarning, match="max_time"):
        slow_classifier(verbose=1, max_time=0.3).fit(X, y)
    assert "neyman: " in capsys.readouterr().err


def test_verbose_uses_tqdm(monkeypatch):
    X, y = hard(1500)
    bars = []

    class Bar:
        def __init__(self, **keywords):
            self.total, self.n, self.open = keywords["total"], 0, True
            bars.append(self)

        def refresh(self):
            pass

        def close(self):
            self.open = False

    module = type(sys)("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    with pytest.warns(UserWarning, match="max_time"):
        slow_classifier(verbose=1, max_time=0.3).fit(X, y)
    assert bars and not any(bar.open for bar in bars)


# ---------------------------------------------------------------------- files


@needs_program
@pytest.mark.parametrize("make", [
    lambda: neyman.NeymanPearsonClassifier(max_fpr=0.1), lambda: neyman.NeymanPearsonClassifier(max_fpr=0.1, kernel="rbf"),
    lambda: neyman.NeymanPearsonClassifier(max_fpr=0.1, max_fnr=0.1), lambda: neyman.RejectClassifier(),
    lambda: neyman.CostSensitiveClassifier(cost_fn=5), lambda: neyman.FalseDiscoveryClassifier(max_fdr=0.1),
    lambda: neyman.NeymanPearsonClassifier(max_fpr=0.1, network=3, epochs=2)], ids=range(7))
@pytest.mark.parametrize("names", [(0, 1), ("ham", "spam"), (False, True)], ids=str)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_files_go_both_ways(tmp_path, make, names):
    X, y = make_classification(1000, n_features=5, class_sep=1.5, flip_y=0.05, random_state=0)
    X = X.astype(np.float32)
    model = make().fit(X, np.array(names)[y])
    path, rows = tmp_path / "a.model", tmp_path / "rows.csv"
    model.save(path)
    np.savetxt(rows, np.column_stack([X.astype(float)]), delimiter=",", fmt="%.17g", header="a,b,c,d,e", comments="")
    reject = [] if model.threshold_ == model.threshold_low_ else ["--reject-label", "rejected"]  # 0 is a class
    lines = subprocess.run([PROGRAM, "predict", "--scores", *reject, path, rows], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    column = lines[0].split("\t").index("score")
    np.testing.assert_array_equal([float(line.split("\t")[column]) for line in lines[1:]], model.raw_scores(X))
    again = neyman.load(path)
    assert type(again) is type(model) and again.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.certificate_ == model.certificate_ and type(model).load(path).threshold_ == model.threshold_
    again.save(tmp_path / "b.model")
    assert (tmp_path / "b.model").read_bytes() == path.read_bytes()


def test_load_refuses_what_is_no_model_of_the_class(tmp_path):
    X, y = make_classification(300, random_state=0)
    path = tmp_path / "a.model"
    neyman.CostSensitiveClassifier(pos_label=0).fit(X, y).save(path)
    assert neyman.load(path).pos_label_ == 0
    with pytest.raises(ValueError, match="CostSensitiveClassifier, not RejectClassifier"):
        neyman.RejectClassifier.load(path)
    with pytest.raises(OSError):
        neyman.load(tmp_path / "none.model")
    (tmp_path / "text").write_text("no model")
    with pytest.raises(ValueError):
        neyman.load(tmp_path / "text")
    with pytest.raises(Exception, match="not fitted"):
        neyman.CostSensitiveClassifier().save(path)
