"""Quality under a bounded FPR: neyman against tuned models of scikit-learn, at the same FPR on test rows.

    quality.py [--sets NAME,...] [--draws N] [--rows N] [--peers [linear,rbf,trees]] [--variants NAME,...] [--label TEXT]
    quality.py --seconds N ...
    quality.py --report [--variants NAME,...] [--rows N] [--label TEXT] [--against TEXT] [--out FILE]

A *case* is a set, a draw of its rows and a bound alpha. All methods see the same training rows: peers and `tune` choose
by 4 folds of them and then fit all of them. `matched` is the FNR at the threshold where the FPR on the test rows is
alpha (straight lines between points of the ROC curve); `own` are FPR and FNR at each method's own threshold: for peers
the mean of the thresholds of the folds. Nothing is chosen on test rows, except "best peer in hindsight", which says so.

Small sets are split 75/25 at random, `--draws` times (default 3). Larger ones keep their test part (at most 20,000
rows of it); training and validation parts together are thinned to `--rows` rows (default 1000), once for each of a third
as many draws. NAME:M is the set with only M training rows of the bounded class.

Of all sets the first draw is measured before the second of any. --seconds: begin no set after N seconds of wall-clock time.
`--variants candidates` are the points of a small grid, each alone: the report gives the regret of every choice against the
best of them on the test rows.

Results are kept in build/bench-data/quality.jsonl, one line per case and method, and are not computed again: peers by
their name, neyman by --label (default: a hash of the program).
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from common import NEYMAN, ROOT, WORK

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
SMALL = ("breast", "pima", "liver", "ionosphere", "wdbc")
LARGE = ("spambase", "page_blocks", "mitbih_214", "mitbih_221", "twonorm", "ringnorm", "magic", "adult", "w8a",
         "covtype_np", "covtype_reject", "rcv1", "psm", "mitbih")
FEW = tuple(f"{name}:{m}" for name in ("page_blocks", "covtype_np", "w8a") for m in (50, 100, 200))
SPARSE = ("rcv1",)  # no kernels, no trees
ALPHAS = (0.1, 0.05, 0.01)
MOST_TEST = 20000
DEV = "dev/"  # before the name of a set: test rows take no part
KEEP = WORK / "quality.jsonl"

# ------------------------------------------------------------------ rows


def load(name, part):
    x, y = load_svmlight_file(str(SHARED / f"{name}.{part}.svm.gz"))
    return x, np.where(y > 0, 1, -1)


def stacked(parts):
    from scipy import sparse
    cols = max(x.shape[1] for x, _ in parts)
    for x, _ in parts:
        x.resize((x.shape[0], cols))
    return sparse.vstack([x for x, _ in parts]).tocsr(), np.concatenate([y for _, y in parts])


def thin(rng, y, most):
    """At most so many rows, the classes in proportion."""
    return np.sort(rng.permutation(len(y))[:most])


def keep_few(rng, y, few):
    negative = rng.permutation(np.flatnonzero(y < 0))[:few]
    return np.sort(np.concatenate([negative, np.flatnonzero(y > 0)]))


def random_split(rng, x, y, share):
    """One row in `share` of each class is for testing."""
    test = np.zeros(len(y), bool)
    for sign in (-1, 1):
        rows = rng.permutation(np.flatnonzero(y == sign))
        test[rows[: len(rows) // share]] = True
    return (x[~test], y[~test]), (x[test], y[test])


def given_split(name):
    parts = [part for part in ("train", "valid") if (SHARED / f"{name}.{part}.svm.gz").exists()]
    return stacked([load(name, part) for part in parts]), load(name, "test")


def split(case_set, draw, most):
    """((x, y) to learn from, (x, y) to test on). dev/NAME: both are of the training part."""
    name, _, few = case_set.removeprefix(DEV).partition(":")
    rng = np.random.RandomState(1000 * draw + 7)
    if case_set.startswith(DEV):
        learn, test = random_split(rng, *load(name, "train"), 2 if name not in SMALL else 3)
    elif name in SMALL:
        return random_split(rng, *stacked([load(name, "train"), load(name, "test")]), 4)
    else:
        learn, test = given_split(name)
    x, y = stacked([learn, test])
    n_learn = len(learn[1])
    learn, test = (x[:n_learn], y[:n_learn]), (x[n_learn:], y[n_learn:])
    rows = thin(np.random.RandomState(1), test[1], MOST_TEST)
    test = (test[0][rows], test[1][rows])
    rows = keep_few(rng, learn[1], int(few)) if few else np.arange(n_learn)
    if few:  # all of the few, and as many others as fit
        others = rows[learn[1][rows] > 0]
        others = others[thin(rng, others, most - int(few))]
        rows = np.sort(np.concatenate([rows[learn[1][rows] < 0], others]))
    else:
        rows = rows[thin(rng, rows, most)]
    return (learn[0][rows], learn[1][rows]), test


def dense(case_set, x):
    return x if case_set in SPARSE else x.toarray()


# ------------------------------------------------------------------ rates


def roc_at(score, y, alpha):
    """FNR where the FPR is alpha, straight between the points of the ROC curve, and the threshold there."""
    negative = np.sort(score[y < 0])[::-1]
    positive = np.sort(score[y > 0])
    values = np.unique(score)[::-1]
    fpr = np.concatenate([[0], np.searchsorted(-negative, -values, side="right") / len(negative)])
    fnr = np.concatenate([[1], np.searchsorted(positive, values, side="left") / len(positive)])
    last = np.searchsorted(fpr, alpha, side="right") - 1
    threshold = values[last - 1] if last > 0 else np.nextafter(values[0], np.inf)
    if last + 1 == len(fpr):
        return float(fnr[last]), float(threshold)
    part = (alpha - fpr[last]) / (fpr[last + 1] - fpr[last])
    return float(fnr[last] + part * (fnr[last + 1] - fnr[last])), float(threshold)


def rates(score, y, threshold):
    return float(np.mean(score[y < 0] >= threshold)), float(np.mean(score[y > 0] < threshold))


# ------------------------------------------------------------------ peers


def scores_of(model, x):
    return model.decision_function(x) if hasattr(model, "decision_function") else model.predict_proba(x)[:, 1]


def candidates(method, x):
    costs = 10.0 ** np.arange(-4, 4)
    weights = (0.1, 1, 10)
    var = x.var() if isinstance(x, np.ndarray) else x.multiply(x).mean() - x.mean() ** 2
    scale = 1 / (x.shape[1] * var)
    kernels = [(c, scale * h) for c in (0.1, 1, 10, 100) for h in (0.25, 1, 4)]

    def linear(c, w):
        return LinearSVC(C=c, class_weight={-1: w, 1: 1}, dual=x.shape[1] > x.shape[0], max_iter=3000, random_state=1)

    return {
        "LogisticRegression": lambda: [LogisticRegression(C=c, max_iter=1000) for c in costs],
        "LogisticRegression weighted": lambda: [LogisticRegression(C=c, class_weight={-1: w, 1: 1}, max_iter=1000)
                                                for c in costs for w in (0.1, 10, 100)],
        "LinearSVC": lambda: [linear(c, 1) for c in costs],
        "LinearSVC weighted": lambda: [linear(c, w) for c in costs for w in (0.1, 10, 100)],
        "SVC rbf": lambda: [SVC(C=c, gamma=g) for c, g in kernels],
        "SVC rbf weighted": lambda: [SVC(C=c, gamma=g, class_weight={-1: w, 1: 1}) for c, g in kernels for w in weights
                                     if w != 1],
        "HistGradientBoosting": lambda: [HistGradientBoostingClassifier(learning_rate=r, max_iter=n, max_leaf_nodes=15,
                                                                        random_state=1)
                                         for r in (0.03, 0.1) for n in (50, 150)],
        "RandomForest": lambda: [RandomForestClassifier(150, min_samples_leaf=m, n_jobs=1, random_state=1)
                                 for m in (1, 4)],
    }[method]()


LINEAR_PEERS = ("LogisticRegression", "LogisticRegression weighted", "LinearSVC", "LinearSVC weighted")
RBF_PEERS = ("SVC rbf", "SVC rbf weighted")
TREE_PEERS = ("HistGradientBoosting", "RandomForest")
PEERS = {"linear": LINEAR_PEERS, "rbf": RBF_PEERS, "trees": TREE_PEERS}


def run_peer(method, learn, test):
    """{alpha: result}: the candidate with the least mean FNR over the folds at FPR = alpha there."""
    x, y = learn
    begin = time.process_time()
    folds = list(StratifiedKFold(4, shuffle=True, random_state=1).split(x, y))
    tried = candidates(method, x)
    loss = np.zeros((len(tried), len(ALPHAS), len(folds)))
    at = np.zeros_like(loss)
    for k, model in enumerate(tried):
        for f, (a, b) in enumerate(folds):
            score = scores_of(model.fit(x[a], y[a]), x[b])
            for j, alpha in enumerate(ALPHAS):
                loss[k, j, f], at[k, j, f] = roc_at(score, y[b], alpha)
    found, fitted = {}, {}
    for j, alpha in enumerate(ALPHAS):
        k = int(np.argmin(loss[:, j].mean(axis=1)))
        if k not in fitted:
            fitted[k] = scores_of(tried[k].fit(x, y), test[0])
        fpr, fnr = rates(fitted[k], test[1], at[k, j].mean())
        found[str(alpha)] = {"matched": roc_at(fitted[k], test[1], alpha)[0], "fpr": fpr, "fnr": fnr,
                             "loss": float(loss[k, j].mean())}
    seconds = time.process_time() - begin
    return {a: {**r, "seconds": seconds / len(ALPHAS)} for a, r in found.items()}


# ------------------------------------------------------------------ neyman

VARIANTS = {
    "tune linear": ("tune", "--confidence", "none"),
    "tune rbf": ("tune", "--confidence", "none", "--kernel", "rbf"),
    "train linear": ("train", "--confidence", "none"),
    "train rbf": ("train", "--confidence", "none", "--kernel", "rbf"),
    "train -C auto linear": ("train", "--confidence", "none", "-C", "auto"),
    "train -C auto rbf": ("train", "--confidence", "none", "-C", "auto", "--kernel", "rbf"),
    "tune auto": ("tune", "--confidence", "none", "--kernel", "auto"),
    "train auto": ("train", "--confidence", "none", "--kernel", "auto"),
    "train -C auto rbf scaled": ("train", "--confidence", "none", "-C", "auto", "--kernel", "rbf", "--scale", "auto"),
    "train -C auto rbf standard": ("train", "--confidence", "none", "-C", "auto", "--kernel", "rbf", "--scale", "standard"),
    "tune rbf scaled": ("tune", "--confidence", "none", "--kernel", "rbf", "--scale", "auto"),
    "certified tune linear": ("tune",),
    "certified tune rbf": ("tune", "--kernel", "rbf"),
    "certified train linear": ("train",),
    "certified train rbf": ("train", "--kernel", "rbf"),
    "certified train rbf scaled": ("train", "--kernel", "rbf", "--scale", "auto"),
    "certified train auto": ("train", "--kernel", "auto"),
    "certified train -C 1 linear": ("train", "-C", "1"),
    "certified train -C 1 rbf": ("train", "-C", "1", "--kernel", "rbf"),
    "tune convex linear": ("tune", "--confidence", "none", "--method", "convex"),
    "tune annealed linear": ("tune", "--confidence", "none", "--method", "annealed"),
    "tune convex rbf": ("tune", "--confidence", "none", "--method", "convex", "--kernel", "rbf"),
    "tune annealed rbf": ("tune", "--confidence", "none", "--method", "annealed", "--kernel", "rbf"),
}
# Those of bench/results/quality.md.
PAGE = ("tune linear", "tune rbf", "train -C auto linear", "train -C auto rbf", "train linear", "train rbf", "certified train linear",
        "certified train rbf", "certified train -C 1 linear", "certified train -C 1 rbf")
# The points among which a choice is made, for its regret: each alone, scaled as `tune` scales them.
CANDIDATES = {f"candidate {method} C={c:g}" + (f" cost-fp={w:g}" if w else ""):
              ("train", "--confidence", "none", "--scale", "auto", "--method", method, "-C", str(c), *(("--cost-fp", str(w)) if w else ()))
              for method, weights in (("annealed", (None,)), ("convex", (0.3, 3, 30))) for c in (0.001, 0.01, 0.1, 1, 10) for w in weights}
VARIANTS.update(CANDIDATES)


def run_neyman(program, words, files, alpha, test_y):
    """None where the bound cannot be certified."""
    learn, test = files
    model = learn.with_suffix(".model")
    table = pathlib.Path(f"{model}.tune.tsv")
    table.unlink(missing_ok=True)
    command = [program, words[0], "-q", "--json", "--max-fpr", str(alpha), *words[1:], "--threads", "1", "--seed", "1",
               str(learn), "-o", str(model)]
    begin = os.times()
    done = subprocess.run(command, capture_output=True, check=False)
    end = os.times()
    if done.returncode == 4:
        return None
    if done.returncode not in (0, 5):
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr.decode()}")
    result = json.loads(done.stdout)
    out = subprocess.run([program, "predict", "-q", "--scores", str(model), str(test)], capture_output=True, check=True)
    score = np.array([float(line.split("\t")[1]) for line in out.stdout.decode().splitlines()[1:]])
    fpr, fnr = rates(score, test_y, result["threshold"])
    return {"matched": roc_at(score, test_y, alpha)[0], "fpr": fpr, "fnr": fnr, "loss": result.get("loss"),
            "seconds": end.children_user + end.children_system - begin.children_user - begin.children_system,
            "method": result["method"], "C": result.get("C")}


# ------------------------------------------------------------------ cases


def draws_of(case_set, draws):
    return range(draws if case_set.removeprefix(DEV).partition(":")[0] in SMALL else -(-draws // 3))


class Kept:
    """Results by (set, draw, rows, method, alpha)."""

    def __init__(self, path):
        self.path, self.of = path, {}
        for line in path.read_text().splitlines() if path.exists() else ():
            key, value = json.loads(line)
            self.of[tuple(key)] = value

    def add(self, key, value):
        self.of[key] = value
        with open(self.path, "a") as file:
            file.write(json.dumps([key, value]) + "\n")


def has_kernels(case_set):
    return case_set not in SPARSE


def measure_set(kept, o, case_set, draw):
    key = lambda method, alpha: (case_set, draw, o.rows, method, alpha)
    peers = [m for kind in o.peers for m in PEERS[kind] if has_kernels(case_set) or kind == "linear"]
    names = [v for v in o.variants if has_kernels(case_set) or "rbf" not in v]
    due_peers = [m for m in peers if key(m, ALPHAS[0]) not in kept.of]
    due = [(v, a) for v in names for a in ALPHAS if key(f"{o.label}: {v}", a) not in kept.of]
    if not due_peers and not due:
        return
    learn, test = split(case_set, draw, o.rows)
    files = [WORK / f"quality-{case_set.translate(str.maketrans(':/', '--'))}-{draw}-{os.getpid()}.{part}.svm" for part in ("learn", "test")]
    begin = time.monotonic()
    if due:
        for (x, y), path in zip((learn, test), files):
            dump_svmlight_file(x, y, str(path), zero_based=False)
    for variant, alpha in due:
        kept.add(key(f"{o.label}: {variant}", alpha), run_neyman(o.program, VARIANTS[variant], files, alpha, test[1]))
    learn, test = ((dense(case_set, x), y) for x, y in (learn, test))
    for method in due_peers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run_peer(method, learn, test)
        for alpha in ALPHAS:
            kept.add(key(method, alpha), found[str(alpha)])
    for path in files:
        for made in path.parent.glob(path.with_suffix("").name + "*"):
            made.unlink()
    print(f"{case_set} {draw}: {time.monotonic() - begin:.0f} s", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sets", default=",".join((*SMALL, *LARGE, *FEW)))
    p.add_argument("--draws", type=int, default=3)
    p.add_argument("--rows", type=int, default=1000)
    p.add_argument("--seconds", type=float, default=float("inf"))
    p.add_argument("--peers", nargs="?", default="", const="linear,rbf,trees")
    p.add_argument("--variants", default=",".join(PAGE))
    p.add_argument("--program", default=str(NEYMAN))
    p.add_argument("--label")
    p.add_argument("--against")
    p.add_argument("--report", action="store_true")
    p.add_argument("--out")
    o = p.parse_args()
    o.variants = [v for words in o.variants.split(",") if words for v in (CANDIDATES if words == "candidates" else (words,))]
    o.peers = [kind for kind in o.peers.split(",") if kind]
    o.label = o.label or hashlib.sha256(pathlib.Path(o.program).read_bytes()).hexdigest()[:8]
    WORK.mkdir(parents=True, exist_ok=True)
    kept = Kept(KEEP)
    if o.report:
        import quality_report
        text = quality_report.report(kept, o, PEERS)
        print(text)
        if o.out:
            pathlib.Path(o.out).write_text(text)
        return
    sets, end = o.sets.split(","), time.monotonic() + o.seconds
    for draw in range(o.draws):  # all sets once before any of them twice
        for case_set in sets:
            if draw in draws_of(case_set, o.draws) and time.monotonic() < end:
                measure_set(kept, o, case_set, draw)


if __name__ == "__main__":
    main()
