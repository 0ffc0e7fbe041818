"""The Python package: what fit() adds to the C call in time and memory, and its time against scikit-learn's SVC.

Uses the package of build/venv (`./run python`) and the program of build/release.
"""
import gc
import os
import statistics
import subprocess
import sys
import time

from common import MOST_ROWS, NEYMAN, ROOT, RUNS, table
from svm import data_file

try:
    import neyman
except ImportError:
    os.execv(ROOT / "build/venv/bin/python", ["python", *sys.argv])

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from neyman import _core


def spambase():
    frame = pd.read_csv(ROOT / "data" / "spambase-train.csv.gz")
    return frame.drop(columns="type").to_numpy(np.float32), (frame["type"] == "spam").to_numpy()


def svmlight(name, rows=None):
    path = data_file(name, rows)
    if path is None:
        return None
    X, y = load_svmlight_file(str(path))
    most = min(filter(None, (MOST_ROWS, X.shape[0])))
    return np.ascontiguousarray(X[:most].toarray(), dtype=np.float32), y[:most] > 0


def one_fit(estimator, X, y):
    """Seconds of fit() and of the C call inside it."""
    inner, call = [], _core.fit

    def timed(*words):
        begin = time.perf_counter()
        try:
            return call(*words)
        finally:
            inner.append(time.perf_counter() - begin)

    _core.fit = timed
    try:
        begin = time.perf_counter()
        estimator.fit(X, y)
        return time.perf_counter() - begin, sum(inner)
    finally:
        _core.fit = call


def status(key):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))


def memory_of_fit(estimator, X, y):
    """Bytes by which the process grows at most during fit()."""
    gc.collect()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status("VmRSS")
    estimator.fit(X, y)
    return status("VmHWM") - before


def memory_of_program(X, y, options):
    """Peak bytes of `neyman train` on the same rows as a cache, which needs no text to be read."""
    csv, cache = ROOT / "build" / "bench-data" / "python.csv", ROOT / "build" / "bench-data" / "python.ney"
    csv.parent.mkdir(parents=True, exist_ok=True)
    columns = [f"c{k}" for k in range(X.shape[1])]
    pd.DataFrame(X, columns=columns).assign(label=y.astype(int)).to_csv(csv, index=False)
    subprocess.run([NEYMAN, "convert", "-q", csv, cache], check=True, stdout=subprocess.DEVNULL)
    # A child begins with the peak of the process that it was forked from: fork from a small one.
    launcher = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
    command = [sys.executable, "-I", "-S", "-c", launcher, NEYMAN, "train", "-q", *options, cache, "-o", os.devnull]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


ONLINE = ({"method": "online", "epochs": 3}, ["--method", "online", "--epochs", "3"])
ANNEALED = ({}, [])
CASES = [("Spambase", spambase, "annealed", *ANNEALED), ("Spambase", spambase, "online", *ONLINE),
         ("Covertype", lambda: svmlight("covtype_np"), "online", *ONLINE)]


def overhead():
    rows = []
    for name, load, kind, keywords, words in CASES:
        data = load()
        if data is None:
            print(f"left out: {name}")
            continue
        X, y = data

        def make():
            return neyman.NeymanPearsonClassifier(max_fpr=0.05, **keywords)

        make().fit(X[::7], y[::7])  # the first call of all loads code
        grown = memory_of_fit(make(), X, y)
        peak = memory_of_program(X, y, ["--max-fpr", "0.05", *words])
        times = [one_fit(make(), X, y) for _ in range(RUNS)]
        total, inside = (statistics.median(column) for column in zip(*times))
        added = statistics.median(t - i for t, i in times)
        rows.append([name, kind, f"{X.shape[0]} x {X.shape[1]}", f"{total:.3f}", f"{1000 * added:.2f}",
                     f"{100 * added / inside:.2f} %", f"{grown / 1e6:.0f}", f"{peak / 1e6:.0f}", f"{grown / peak:.2f}"])
    table(f"fit() over the C call (medians of {RUNS})",
          ["data", "method", "rows", "seconds", "added ms", "added", "grows by MB", "program MB", "ratio"], rows)


def against_svc():
    rows = []
    for name, load in (("Spambase", spambase), ("Magic", lambda: svmlight("magic")),
                       ("Adult-20k", lambda: svmlight("adult", 20000))):
        data = load()
        if data is None:
            print(f"left out: {name}")
            continue
        X, y = data
        scaled = StandardScaler().fit_transform(X)  # as the estimator does by itself
        jobs = {"np": lambda: neyman.NeymanPearsonClassifier(max_fpr=0.05, kernel="rbf").fit(X, y),
                "cost": lambda: neyman.CostSensitiveClassifier(kernel="rbf").fit(X, y),
                "one": lambda: neyman.CostSensitiveClassifier(kernel="rbf", threads=1).fit(X, y),
                "svc": lambda: SVC(kernel="rbf", C=1.0, gamma="scale", cache_size=2000).fit(scaled, y)}
        seconds = {key: [] for key in jobs}
        for _ in range(RUNS):
            for key, job in jobs.items():
                begin = time.perf_counter()
                job()
                seconds[key].append(time.perf_counter() - begin)
        found = {key: statistics.median(values) for key, values in seconds.items()}
        rows.append([name, f"{X.shape[0]} x {X.shape[1]}", *(f"{found[key]:.2f}" for key in ("svc", "np", "cost", "one")),
                     *(f"{found['svc'] / found[key]:.2f}" for key in ("np", "cost", "one"))])
    table(f"kernel rbf, C = 1, gamma = scale (seconds, medians of {RUNS})",
          ["data", "rows", "SVC", "NeymanPearson", "CostSensitive", "1 thread", "SVC / NP", "SVC / cost", "SVC / 1 thread"],
          rows)


for part in sys.argv[1:] or ("overhead", "against_svc"):
    {"overhead": overhead, "against_svc": against_svc}[part]()
    sys.stdout.flush()
