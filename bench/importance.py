"""Permutation importance of neyman against scikit-learn's permutation_importance, on linear models of two data
sets: the same model, rows and measures (FPR, FNR at the threshold, AUC), other permutations.

    sh bench/run.sh importance
"""
import csv
import gzip
import json
import sys

from common import NEYMAN, ROOT, WORK, run, table

try:
    import numpy as np
    from scipy.stats import spearmanr
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.inspection import permutation_importance
    from sklearn.metrics import roc_auc_score
except ImportError:
    sys.exit("importance: scikit-learn is not installed")

SHARED = ROOT.parent / "shared" / "data"


class Exported(BaseEstimator, ClassifierMixin):
    """A linear model of `neyman export --format json`, as an estimator."""

    def __init__(self, model=None):
        self.model = model

    def fit(self, x, y):
        return self

    def decision_function(self, x):
        m = self.model
        f = m.get("features", [])
        shift = np.array([c.get("shift", 0) for c in f])
        v = ((x - shift) - np.array([c["offset"] for c in f])) * np.array([c["factor"] for c in f])
        return m["intercept"] + v @ np.array(m["weights"])

    def predict(self, x):
        return np.where(self.decision_function(x) >= self.model["threshold"], 1, 0)


def read_csv(path, label, positive):
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))
    head, rows = rows[0], rows[1:]
    at = head.index(label)
    x = np.array([[float(c) for k, c in enumerate(r) if k != at] for r in rows])
    return x, np.array([r[at] == positive for r in rows], int)


def read_svm(path, cols):
    x, y = [], []
    with gzip.open(path, "rt") as file:
        for line in file:
            words = line.split()
            row = np.zeros(cols)
            for word in words[1:]:
                k, v = word.split(":")
                row[int(k) - 1] = float(v)
            x.append(row)
            y.append(float(words[0]) > 0)
    return np.array(x), np.array(y, int)


def rate(positive):
    def score(estimator, x, y):
        return -np.mean(estimator.predict(x)[y == positive] != positive)
    return score


def compare(name, train, test, options, reader):
    model = WORK / f"importance.{name}"
    run([str(NEYMAN), "train", "-q", "--max-fpr", "0.05", "--scale", "standard", *options, str(train), "-o", str(model)])
    inside = json.loads(run([str(NEYMAN), "export", str(model), "--format", "json"])[1])
    ours = json.loads(run([str(NEYMAN), "info", str(model), "--importance", str(test), "--json"])[1])["importance"]
    x, y = reader(inside)
    x, y = x[:4000], y[:4000]
    estimator = Exported(inside)
    rows = []
    for measure, key, score in (("FPR", "fpr_increase", rate(0)), ("FNR", "fnr_increase", rate(1)),
                                ("AUC", "auc_loss", lambda e, a, b: roc_auc_score(b, e.decision_function(a)))):
        theirs = permutation_importance(estimator, x, y, scoring=score, n_repeats=20, random_state=1)
        names = [c.get("name", str(k + 1)) for k, c in enumerate(inside["features"])]
        by_name = {str(c["name"]): c[key] for c in ours["columns"]}
        a = np.array([by_name.get(n, by_name.get(str(k + 1), 0.0)) for k, n in enumerate(names)])
        b = theirs.importances_mean
        top = set(np.argsort(-a)[:5]) & set(np.argsort(-b)[:5])
        rows.append([name, measure, len(names), f"{np.abs(a - b).max():.4f}", f"{np.abs(b).max():.4f}",
                     f"{spearmanr(a, b)[0]:.3f}", f"{len(top)} of 5"])
    return rows


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    spam = ROOT / "data" / "spambase-test.csv.gz"
    rows = compare("spambase", ROOT / "data" / "spambase-train.csv.gz", spam, ["--label", "type"],
                   lambda m: read_csv(spam, "type", "spam"))
    magic = SHARED / "magic.test.svm.gz"
    if magic.exists():
        rows += compare("magic", SHARED / "magic.train.svm.gz", magic, [], lambda m: read_svm(magic, len(m["features"])))
    table("Permutation importance against scikit-learn (20 permutations)",
          ["set", "measure", "columns", "largest difference", "largest importance", "rank correlation", "five largest in common"], rows)


if __name__ == "__main__":
    main()
