"""Rows, criteria and scikit-learn's side of bench/tune.py.

Results of the peers are kept in build/bench-data, named by the grid and the version, as they take long.
"""
import hashlib
import os
import pathlib
import time
import warnings

import numpy as np
import sklearn
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

from common import ROOT, WORK

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
# The most training rows for kernels, and a coarser grid for the last two: libsvm is slow there.
LARGE = {"magic": 3000, "adult": 2000, "covtype_np": 2000}
COARSE = ("adult", "covtype_np")
NOT_REFITTED = ("covtype_np",)  # libsvm would be at its validation rows for hours
SMALL = ("breast", "pima")  # few rows: the mean of 10 draws of the split
SPARSE = ("rcv1",)  # no kernels there
DRAWS = 10


def alphas(name):
    """Where one or two test negatives would be all that may be wrong, 0.01 is left out."""
    return (0.05, 0.1) if name in (*SMALL, "page_blocks") else (0.01, 0.05, 0.1)


def fnr_at(score, y, alpha):
    """FNR at the alpha point of the ROC curve, and the threshold there: the lowest that flags at most alpha of
    the negatives."""
    negative = np.sort(score[y < 0])[::-1]
    allowed = int(np.floor(alpha * len(negative) + 1e-9))
    limit = negative[allowed] if allowed < len(negative) else -np.inf
    return float(np.mean(score[y > 0] <= limit)), float(np.nextafter(limit, np.inf))


def rates(score, y, threshold):
    return float(np.mean(score[y < 0] >= threshold)), float(np.mean(score[y > 0] < threshold))


def parts(name, draw, most):
    """(train, valid, test) as (X, y), at most so many training rows; 0: all."""
    if name in SMALL:
        whole = [load_svmlight_file(str(SHARED / f"{name}.{part}.svm.gz")) for part in ("train", "test")]
        cols = max(x.shape[1] for x, _ in whole)
        x = np.vstack([np.pad(a.toarray(), ((0, 0), (0, cols - a.shape[1]))) for a, _ in whole])
        y = np.concatenate([b for _, b in whole])
        r = np.random.RandomState(draw)
        part = np.empty(len(y), int)
        for sign in (-1, 1):
            rows = r.permutation(np.flatnonzero(y == sign))
            part[rows] = np.searchsorted([len(rows) * 0.5, len(rows) * 0.75], np.arange(len(rows)), side="right")
        return [(x[part == k], y[part == k]) for k in range(3)]
    found = [load_svmlight_file(str(SHARED / f"{name}.{part}.svm.gz")) for part in ("train", "valid", "test")]
    cols = max(x.shape[1] for x, _ in found)
    out = []
    for k, (x, y) in enumerate(found):
        x.resize((x.shape[0], cols))
        if x.nnz > 0.1 * x.shape[0] * cols:
            x = x.toarray()
        if k == 0 and most and x.shape[0] > most:
            keep = np.sort(np.random.RandomState(2011).permutation(x.shape[0])[:most])
            x, y = x[keep], y[keep]
        out.append((x, y))
    return out


def files(name, draw, most):
    """The same as svmlight files: training, validation, test, and the first two together."""
    made = [WORK / f"tune-{name}-{draw}-{most}.{part}.svm" for part in ("train", "valid", "test", "both")]
    if not made[-1].exists():
        for (x, y), path in zip(parts(name, draw, most), made):
            dump_svmlight_file(x, y, str(path), zero_based=False)
        made[-1].with_suffix(".part").write_bytes(made[0].read_bytes() + made[1].read_bytes())
        made[-1].with_suffix(".part").rename(made[-1])
    return made


def gamma_scale(x):
    dense = x.toarray() if hasattr(x, "toarray") else x
    return 1 / (dense.shape[1] * dense.var())


def grids(name, x):
    """What each peer tries: (method, whether it has a kernel, candidates)."""
    weights = (0.1, 1, 10, 100)
    dual = name in SPARSE

    def linear(c, w=1):
        return LinearSVC(C=c, class_weight={-1: w, 1: 1}, dual=dual, max_iter=5000, random_state=1)

    yield "LogisticRegression", False, [LogisticRegression(C=c, max_iter=1000) for c in 10.0 ** np.arange(-4, 4)]
    yield "LinearSVC", False, [linear(c) for c in 10.0 ** np.arange(-4, 3)]
    yield "LinearSVC weighted", False, [linear(c, w) for c in 10.0 ** np.arange(-4, 3) for w in weights]
    if name not in SPARSE:
        g = gamma_scale(x)
        grid = [(c, g * h) for c in 10.0 ** np.arange(-1, 4) for h in 4.0 ** np.arange(-2, 3)]
        if name in COARSE:
            grid = [(c, g * h) for c in (1.0, 10.0, 100.0) for h in (0.25, 1.0, 4.0)]
            weights = (0.1, 10)
        yield "SVC rbf", True, [SVC(C=c, gamma=h, cache_size=1000) for c, h in grid]
        yield "SVC rbf weighted", True, [SVC(C=c, gamma=h, class_weight={-1: w, 1: 1}, cache_size=1000)
                                         for c, h in grid for w in weights]


def stack(a, b):
    return sparse.vstack([a, b]).tocsr() if sparse.issparse(a) else np.vstack([a, b])


def search(models, split, at, refit):
    """For each alpha the test scores of the candidate that is best on validation, its threshold there, and the test
    scores of the same candidate fitted to training and validation rows together (which leaves none for a
    threshold; NaN without `refit`)."""
    (x, y), (xv, yv), (xt, _) = split
    best = {a: (2,) for a in at}
    for model in models:
        model.fit(x, y)
        score, test = model.decision_function(xv), None
        for a in at:
            loss, threshold = fnr_at(score, yv, a)
            if loss < best[a][0]:
                test = model.decision_function(xt) if test is None else test
                best[a] = (loss, threshold, test, model)
    found, refitted = {}, {}
    for a, (_, threshold, test, model) in best.items():
        if not refit:
            refitted[id(model)] = np.full(len(test), np.nan)
        elif id(model) not in refitted:
            refitted[id(model)] = model.fit(stack(x, xv), np.concatenate([y, yv])).decision_function(xt)
        found[f"{a}"] = np.concatenate([[threshold], test, refitted[id(model)]])
    return found


def peers(name, draw, kinds):
    """{method: {alpha: (threshold, test scores, test scores after refitting)}}, kept from run to run.
    kinds: without (False) and with (True) kernels."""
    whole = parts(name, draw, 0)
    few = parts(name, draw, LARGE.get(name, 0)) if name not in SPARSE else None
    out = {}
    for method, has_kernel, models in grids(name, (few or whole)[0][0]):
        if has_kernel not in kinds:
            continue
        split = few if has_kernel else whole
        text = f"{sklearn.__version__} {alphas(name)} {len(split[0][1])} {[str(m.get_params()) for m in models]}"
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        cache = WORK / f"tune-peer-{name}-{draw}-{method.replace(' ', '_')}-{key}.npz"
        if not cache.exists():
            begin = time.monotonic()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                found = search(models, split, alphas(name), not has_kernel or name not in NOT_REFITTED)
            part = cache.with_suffix(".part")
            with open(part, "wb") as file:
                np.savez(file, **found)
            part.rename(cache)
            print(f"  {name} {draw} {method}: {time.monotonic() - begin:.0f} s", flush=True)
        with np.load(cache) as kept:
            out[method] = {}
            for a in alphas(name):
                threshold, *both = kept[f"{a}"]
                half = len(both) // 2
                out[method][a] = (threshold, np.array(both[:half]), np.array(both[half:]))
    return out
