#!/usr/bin/env python3
"""trees.py [SET...]: boosted trees at bounded rates against scikit-learn's HistGradientBoosting and
RandomForest, tuned on the same validation rows.

All take the rows of train and valid. scikit-learn's models are fitted on train, the best of a grid on
valid is fitted again on both. neyman takes both at once and is not tuned. Two figures: the FNR at the
threshold where the FPR of the test rows is the bound (matched: the order of the rows alone), and for
neyman the FNR and FPR of the certified model. Seconds are processor seconds on one thread, of training with one bound, tuning and refitting of
scikit-learn's models divided by the number of bounds.

Writes a table in Markdown to standard output."""
import json
import os
import pathlib
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before scikit-learn loads OpenMP
import numpy as np
from sklearn.datasets import load_svmlight_files
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from common import NEYMAN, ROOT, measure, run

DATA = ROOT.parent / "shared" / "data"
ALPHAS = (0.1, 0.05, 0.01)
SETS = "mitbih_214 mitbih_221 page_blocks spambase twonorm ringnorm covtype_reject magic psm adult w8a".split()  # by size


def missed_at(score, label, alpha):
    """The FNR where the FPR is at most alpha."""
    negatives = np.sort(score[label < 0])[::-1]
    threshold = negatives[int(alpha * len(negatives))]
    return float(np.mean(score[label > 0] <= threshold))


def peers(train, valid):
    """Fitted models by name, with the seconds of tuning and fitting; one per alpha."""
    grids = {
        "HistGradientBoosting": [HistGradientBoostingClassifier(learning_rate=r, max_iter=200, random_state=1, early_stopping=False)
                                 for r in (0.05, 0.1)],
        "RandomForest": [RandomForestClassifier(n_estimators=200, min_samples_leaf=n, random_state=1, n_jobs=1) for n in (1, 3)],
    }
    both = np.vstack([train[0], valid[0]]), np.concatenate([train[1], valid[1]])
    for name, grid in grids.items():
        begin = time.process_time()
        found = []
        for model in grid:
            model.fit(*train)
            score = model.predict_proba(valid[0])[:, 1]
            found.append([missed_at(score, valid[1], a) for a in ALPHAS])
        best = [int(np.argmin([row[k] for row in found])) for k in range(len(ALPHAS))]
        tuned = time.process_time() - begin
        fitted = {}
        for k in set(best):
            fitted[k] = grid[k].fit(*both)
        yield name, [fitted[k] for k in best], tuned, time.process_time() - begin


def load(name):
    files = [DATA / f"{name}.{part}.svm.gz" for part in ("train", "valid", "test")]
    x = load_svmlight_files([str(f) for f in files])
    return [(x[2 * k].toarray().astype(np.float32), np.where(x[2 * k + 1] > 0, 1, -1)) for k in range(3)]


def neyman(name, alpha, folder, more):
    """Scores of the test rows by the model, its rates, and seconds."""
    train = f"{folder}/{name}.svm.gz"
    with open(train, "wb") as out:
        for part in ("train", "valid"):
            out.write((DATA / f"{name}.{part}.svm.gz").read_bytes())
    test = str(DATA / f"{name}.test.svm.gz")
    model, scores = f"{folder}/m", f"{folder}/s"
    _, seconds, _, _ = measure([str(NEYMAN), "train", "-q", "--threads", "1", "--max-fpr", str(alpha), *more, train, "-o", model])
    run([str(NEYMAN), "predict", "-q", "--scores", model, test, "-o", scores])
    rates = json.loads(run([str(NEYMAN), "evaluate", "-q", "--json", model, test])[1])
    with open(scores) as file:
        column = file.readline().split().index("score")
        score = np.array([float(line.split("\t")[column]) for line in file])
    return score, rates, seconds


def main():
    ways = {"boosting": ["--trees", "auto"], "lagrangian": ["--trees", "auto", "--method", "lagrangian"]}
    if os.environ.get("NEY_BENCH_WAYS"):  # name=options;name=options
        ways = {w.split("=")[0]: w.split("=")[1].split() for w in os.environ["NEY_BENCH_WAYS"].split(";")}
    with_peers = not os.environ.get("NEY_BENCH_NO_PEERS")
    print("| set | bound | " + " | ".join([f"{w} FNR (matched)" for w in ways] + ["certified FNR", "certified test FPR"] +
          (["HistGradientBoosting", "RandomForest"] if with_peers else []) + ["seconds"]) + " |")
    print("|" + "---|" * (len(ways) + 5 + 2 * with_peers))
    sums = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or SETS:
            train, valid, test = load(name)
            fitted = {}
            others = list(peers(train, valid)) if with_peers else []
            for k, alpha in enumerate(ALPHAS):
                cells, times, certified = [], [], None
                for way, options in ways.items():
                    # an empirical bound leaves all rows to learn from, as the others have them; without the Lagrangian the
                    # score function does not depend on the bound
                    if way not in fitted or "lagrangian" in options:
                        score, _, seconds = neyman(name, alpha, folder, ["--confidence", "none", *options])
                        fitted[way] = score, seconds
                    score, seconds = fitted[way]
                    cells.append(missed_at(score, test[1], alpha))
                    times.append(seconds)
                    sums.setdefault(way, []).append(cells[-1])
                try:
                    _, rates, _ = neyman(name, alpha, folder, next(iter(ways.values())))
                    certified = [f"{rates['fnr']:.3f}", f"{rates['fpr']:.4f}"]
                except SystemExit:
                    certified = ["too few rows", "-"]
                for other, models, _, seconds in others:
                    cells.append(missed_at(models[k].predict_proba(test[0])[:, 1], test[1], alpha))
                    times.append(seconds / len(ALPHAS))
                    sums.setdefault(other, []).append(cells[-1])
                mine = [f"{c:.3f}" for c in cells]
                print(f"| {name} | {alpha} | " + " | ".join(mine[:len(ways)] + certified + mine[len(ways):] +
                                                          [" / ".join(f"{s:.1f}" for s in times)]) + " |", flush=True)
    print("\nmean FNR: " + ", ".join(f"{name} {np.mean(values):.4f}" for name, values in sums.items()))


if __name__ == "__main__":
    main()
