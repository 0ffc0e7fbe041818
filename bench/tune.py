"""Tuned models against scikit-learn's, each with its own grid, on the same training, validation and test rows.

Every peer is chosen on the validation rows alone, by its nondetection at the alpha point of the validation ROC
curve, and its threshold is set there; ours too ("valid"), or by folds over training and validation rows together
("folds"). The test rows are used once. Reported: FNR at the alpha point of the test ROC curve ("matched", for
peers also after fitting the chosen candidate to training and validation rows together), and what the method's own
threshold does on the test rows (FPR, FNR).

    tune.py quality [--only TEXT] [set ...]   TEXT: a part of the names of our variants
    tune.py time                              a tune with 4 folds on Spambase, against the AC-SVM grid of the paper
    tune.py rows                              a search on many rows, on parts of them (with rbf --search-rows 1000) and on all (NEY_BENCH_PROGRAM:
                                              another program, whose search is on all)

Peers with kernels have a limited number of training rows in the larger sets (LARGE in tune_peers.py); so have ours.
Results are kept in build/bench-data: those of the peers by grid and version, ours by program and options.
"""
import gzip
import hashlib
import json
import os
import sys
import time

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

from common import NEYMAN, WORK, measure, run, table
from tune_peers import COARSE, DRAWS, LARGE, SHARED, SMALL, SPARSE, alphas, files, fnr_at, gamma_scale, parts, peers, rates

SETS = ("spambase", "page_blocks", "magic", "adult", "covtype_np", "rcv1", *SMALL)

# name: (by folds; options). By folds: over training and validation rows together, else chosen on validation rows.
OURS = {
    "neyman linear, valid": (False, "--kernel", "linear"),
    "neyman linear, folds": (True, "--kernel", "linear"),
    "neyman linear, certified": (True, "--kernel", "linear", "--confidence", "0.95"),
    "neyman rbf, valid": (False, "--kernel", "rbf"),
    "neyman rbf, folds": (True, "--kernel", "rbf"),
    "neyman rbf, certified": (True, "--kernel", "rbf", "--confidence", "0.95"),
}
PROGRAM = hashlib.sha256(NEYMAN.read_bytes()).hexdigest()[:12]


# ---------------------------------------------------------------- ours

def ours(name, draw, alpha, variant):
    """(test scores, threshold, seconds of processors); None where the set has no such model. Folds take too long for
    the larger sets."""
    folds, *options = OURS[variant]
    has_kernel = "rbf" in options
    is_large = name in LARGE or name in SPARSE
    if (has_kernel and name in SPARSE) or (is_large and variant.endswith("folds")):
        return None
    train, valid, test, both = files(name, draw, LARGE.get(name, 0) if has_kernel else 0)
    data = [both] if folds and not is_large else ["--valid", valid, train]
    if has_kernel and name in COARSE:
        options += ["--grid", grid_of(parts(name, draw, LARGE[name])[0][0])]
    command = [NEYMAN, "tune", "-q", "--json", "--fresh", "--max-fpr", alpha, *options, *data]
    command += [] if "--confidence" in options else ["--confidence", "none"]
    text = " ".join(str(word) for word in command)
    cache = WORK / "tune" / f"{name}-{draw}-{hashlib.sha256((PROGRAM + text).encode()).hexdigest()[:16]}.npy"
    if not cache.exists():
        model = WORK / "tune" / f"{os.getpid()}.model"
        _, seconds, _, text = measure([*(str(word) for word in command), "-o", str(model)])
        np.save(cache, np.concatenate([[json.loads(text)["threshold"], seconds], test_scores(model, test)]))
    threshold, seconds, *score = np.load(cache)
    return np.array(score), threshold, seconds


def grid_of(x):
    """The range that the peers try where theirs is coarse."""
    g = gamma_scale(x)
    return f"C=1:100:3 gamma={g / 4!r}:{g * 4!r}:3"


def test_scores(model, test):
    lines = run([NEYMAN, "predict", "-q", "--scores", str(model), str(test)])[1].split("\n")[1:]
    return np.array([line.split("\t")[1] for line in lines if line], float)


# ---------------------------------------------------------------- tables

def noise(a, b, y, alpha, times=200):
    """The standard error of the difference of two scores' matched FNR, by drawing test rows again."""
    r = np.random.RandomState(1)
    negative, positive = np.flatnonzero(y < 0), np.flatnonzero(y > 0)
    found = []
    for _ in range(times):
        rows = np.concatenate([r.choice(negative, len(negative)), r.choice(positive, len(positive))])
        found.append(fnr_at(a[rows], y[rows], alpha)[0] - fnr_at(b[rows], y[rows], alpha)[0])
    return float(np.std(found))


def cell(name, alpha, known, only):
    """{method: list of (scores, threshold, refitted scores or None, seconds or None) of each draw}"""
    found = {m: [(k[m][alpha][1], k[m][alpha][0], k[m][alpha][2], None) for k in known] for m in known[0]}
    for variant in OURS:
        if only in variant:
            mine = [ours(name, d, alpha, variant) for d in range(len(known))]
            if None not in mine:
                found[variant] = [(score, threshold, None, seconds) for score, threshold, seconds in mine]
    return found


def row_of(tries, labels, alpha):
    matched = [fnr_at(t[0], y, alpha)[0] for t, y in zip(tries, labels)]
    again = [fnr_at(t[2], y, alpha)[0] for t, y in zip(tries, labels) if t[2] is not None and not np.isnan(t[2][0])]
    own = np.mean([rates(t[0], y, t[1]) for t, y in zip(tries, labels)], axis=0)
    seconds = [t[3] for t in tries if t[3] is not None]
    return matched, again, own, np.mean(seconds) if seconds else None


def against_best(rows, found, labels, alpha, variant):
    """Our matched FNR less that of the best peer, picked on test, and the noise of it."""
    best = min((m for m in found if not m.startswith("neyman")), key=lambda m: np.mean(rows[m][0]))
    difference = np.array(rows[variant][0]) - np.array(rows[best][0])
    if len(labels) > 1:
        error = float(np.std(difference, ddof=1)) / len(labels) ** 0.5
    else:
        error = noise(found[variant][0][0], found[best][0][0], labels[0], alpha)
    return f"{np.mean(difference):+.4f} +- {error:.4f}"


def show(name, alpha, found, labels, sums):
    rows = {m: row_of(tries, labels, alpha) for m, tries in found.items()}
    lines = []
    for m, (matched, again, own, seconds) in rows.items():
        mine = m.startswith("neyman")
        lines.append([m, f"{np.mean(matched):.4f}", f"{np.mean(again):.4f}" if again else "-", f"{own[0]:.4f}",
                      f"{own[1]:.4f}", against_best(rows, found, labels, alpha, m) if mine else "-",
                      f"{seconds:.1f}" if seconds else "-"])
        sums.setdefault(m, {})[name, alpha] = (np.mean(matched), np.mean(again) if again else np.nan, own[0])
    negatives = np.mean([np.sum(y < 0) for y in labels])
    table(f"{name}, alpha {alpha:g}, {negatives:.0f} test negatives (standard error of FPR "
          f"{(alpha * (1 - alpha) / negatives) ** 0.5:.4f})",
          ["method", "matched", "refitted", "own FPR", "own FNR", "to best peer", "seconds"], lines)
    sys.stdout.flush()


def quality(names, only):
    sums = {}
    kinds = [k for k, word in enumerate(("linear", "rbf")) if word in only or not only]
    for name in names:
        draws = range(DRAWS if name in SMALL else 1)
        known = [peers(name, d, kinds) for d in draws]
        labels = [parts(name, d, 0)[2][1] for d in draws]
        for alpha in alphas(name):
            show(name, alpha, cell(name, alpha, known, only), labels, sums)
    cells = list(dict.fromkeys(k for v in sums.values() for k in v))
    for title, at in (("Matched FNR", 0), ("Own FPR", 2)):
        table(title, ["set", "FPR bound", *sums],
              [[*key, *(f"{v[key][at]:.3f}" if key in v else "-" for v in sums.values())] for key in cells])
    # A method that is missing somewhere is compared where all are there.
    common = [c for c in cells if all(c in v for v in sums.values())]
    lines = [[m, *(f"{np.mean([v[c][at] for c in where]):.4f}" for where in ([c for c in cells if c in v], common) if where
                   for at in (0, 1)), len(v)] for m, v in sums.items()]
    table(f"Mean over sets and alphas, and over the {len(common)} that all methods have",
          ["method", "matched", "refitted", "common, matched", "common, refitted", "of"], lines)


def timing():
    """The paper's AC-SVM grid has 1000 triplets (C+, C-, gamma); a sample of them is timed, refitting not included."""
    data = SHARED / "spambase.train.svm.gz"
    x, y = load_svmlight_file(str(data))
    x = x.toarray()
    begin = time.process_time()
    r = np.random.RandomState(1)
    sample = 20
    for _ in range(sample):
        c, w, g = 10 ** r.uniform(-1, 3), 10 ** r.uniform(-1, 2), gamma_scale(x) * 4 ** r.uniform(-2, 2)
        for fold in range(4):
            held = np.arange(len(y)) % 4 == fold
            SVC(C=c, gamma=g, class_weight={-1: w, 1: 1}, cache_size=1000).fit(x[~held], y[~held]).decision_function(x[held])
    theirs = (time.process_time() - begin) / sample * 1000
    rows = []
    for title, options in (("annealed, 100 points", ["--method", "annealed", "--no-extend", "--refine", "0"]),
                           ("as it comes", [])):
        seconds, used, _, text = measure([str(NEYMAN), "tune", "-q", "--json", "--fresh", "--confidence", "none", "--max-fpr", "0.05", "--kernel", "rbf",
                                          *options, str(data), "-o", str(WORK / "tune" / "timed.model")])
        rows.append([f"neyman tune, {title}", json.loads(text)["points"], f"{used:.1f}", f"{seconds:.1f}", f"{theirs / used:.0f}"])
    rows.append([f"AC-SVM grid with SVC, {sample} of 1000 points timed", 1000, f"{theirs:.0f}", "-", "1"])
    table("Tuning on Spambase, 4 folds, rbf (the machine may be shared: compare seconds of processors)",
          ["", "points", "processor s", "wall s", "times faster"], rows)


def generated_rows(seed):
    """40,000 rows, 18 columns: two classes of different covariance, one of them a mixture."""
    path = WORK / "tune" / f"rows18-{seed}.svm"
    if not path.exists():
        r, shape = np.random.RandomState(seed), np.random.RandomState(7)
        mean, other, spread = shape.randn(18) * .25, shape.randn(18) * .35, np.exp(.3 * shape.randn(18))
        y = np.where(r.rand(40000) < .3, 1, -1)
        x = r.randn(40000, 18)
        x[y > 0] = x[y > 0] * spread + mean
        x[(y > 0) & (r.rand(40000) < .3)] += other
        path.write_text("".join(f"{label} " + " ".join(f"{j + 1}:{v:.6g}" for j, v in enumerate(row)) + "\n" for label, row in zip(y, x)))
    return path


def first_rows(name, n):
    path = WORK / "tune" / f"{name}-{n}.svm"
    with gzip.open(SHARED / f"{name}.train.svm.gz", "rt") as file:
        path.write_text("".join(line for line, _ in zip(file, range(n))))
    return path


def many_rows():
    def shared(name, part):
        return SHARED / f"{name}.{part}.svm.gz"
    jobs = {
        "linear, Covertype, validation file": (["--kernel", "linear", "--valid", shared("covtype_np", "valid"), shared("covtype_np", "train")],
                                               shared("covtype_np", "test")),
        "linear, 40,000 x 18, 4 folds": (["--kernel", "linear", generated_rows(1)], generated_rows(2)),
        "rbf, Magic 6000 rows, validation file": (["--kernel", "rbf", "--valid", shared("magic", "valid"), first_rows("magic", 6000)],
                                                  shared("magic", "test")),
    }
    program = os.environ.get("NEY_BENCH_PROGRAM")
    searches = {"parts": [str(NEYMAN)], "all rows": [program] if program else [str(NEYMAN), "--search-rows", "all"]}
    rows = []
    for title, (options, test) in jobs.items():
        for search, (command, *more) in searches.items():
            model = WORK / "tune" / "many.model"
            if search == "parts" and "rbf" in options:
                more = ["--search-rows", "1000"]
            _, used, _, text = measure([command, "tune", "-q", "--json", "--fresh", "--confidence", "none", "--max-fpr", "0.05", *more,
                                        *map(str, options), "-o", str(model)])
            found = json.loads(text)
            y = load_svmlight_file(str(test))[1]
            rows.append([title, search, found["points"], found["fits"], f"{used:.1f}", f"{found['loss']:.4f}",
                         f"{fnr_at(test_scores(model, test), y, 0.05)[0]:.4f}"])
    table("A search on many rows, bound 0.05", ["", "searched on", "points", "fits", "processor s", "loss", "test FNR at FPR 0.05"], rows)


def main():
    (WORK / "tune").mkdir(parents=True, exist_ok=True)
    words = sys.argv[1:]
    if words[:1] == ["time"]:
        timing()
        return
    if words[:1] == ["rows"]:
        many_rows()
        return
    only = words[words.index("--only") + 1] if "--only" in words else ""
    names = [w for w in words if w in SETS] or SETS
    quality([n for n in names if list(SHARED.glob(f"{n}.test.svm.gz"))], only)


if __name__ == "__main__":
    main()
