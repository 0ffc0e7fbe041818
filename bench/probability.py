"""Calibrated probabilities on the shared sets: 20 % of the training rows calibrate, the test rows measure.

Brier score and log loss of the three methods; means of the Venn-Abers values against the frequency of
positives, in all and in ten bins of the score.
"""
import csv
import io
import math

from common import NEYMAN, ROOT, WORK, run, table
from svm import SHARED

SETS = ["adult", "magic", "page_blocks", "mitbih_214", "pima", "breast", "spambase"]


def files_of(name):
    if name == "spambase":

        return ROOT / "data/spambase-train.csv.gz", ROOT / "data/spambase-test.csv.gz", ["--label", "type"]
    return SHARED / f"{name}.train.svm.gz", SHARED / f"{name}.test.svm.gz", ["--scale", "standard"]


def predictions(model, test, method):
    out = run([str(NEYMAN), "predict", "-q", str(model), str(test), "--probability", "--calibration", method])[1]
    return list(csv.DictReader(io.StringIO(out), delimiter="\t"))


def brier_and_log(rows, positive):
    pairs = [(float(r["probability"]), r["label"] == positive) for r in rows]
    brier = sum((p - y) ** 2 for p, y in pairs) / len(pairs)
    losses = [-math.log(p if y else 1 - p) if 0 < (p if y else 1 - p) else math.inf for p, y in pairs]
    return brier, sum(losses) / len(losses)


def bins_outside(rows, positive):
    """Bins of the score, of ten, whose frequency is outside the means of p_low and p_high by more than two
    standard errors."""
    ordered = sorted(rows, key=lambda r: float(r["score"]))
    outside = 0
    for k in range(10):
        part = ordered[k * len(ordered) // 10:(k + 1) * len(ordered) // 10]
        if part:
            y = sum(r["label"] == positive for r in part) / len(part)
            low = sum(float(r["p_low"]) for r in part) / len(part)
            high = sum(float(r["p_high"]) for r in part) / len(part)
            slack = 2 * math.sqrt(max(y * (1 - y), 0.25 / len(part)) / len(part))
            outside += not low - slack <= y <= high + slack
    return outside


def main():
    rows = []
    WORK.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        train, test, options = files_of(name)
        if not (train.exists() and test.exists()):
            print(f"left out: {name}")
            continue
        model = WORK / "probability.model"
        run([str(NEYMAN), "train", "-q", "--calibrate", "0.2", str(train), *options, "-o", str(model)], (0, 5))
        figures, va = [], None
        positive = "spam" if name == "spambase" else "1"
        for method in ("venn-abers", "isotonic", "platt"):
            got = predictions(model, test, method)
            va = va or got
            figures += ["%.4f" % v for v in brier_and_log(got, positive)]
        y = sum(r["label"] == positive for r in va) / len(va)
        low, high = (sum(float(r[c]) for r in va) / len(va) for c in ("p_low", "p_high"))
        rows.append([name, len(va), *figures, f"{low:.4f}", f"{y:.4f}", f"{high:.4f}", bins_outside(va, positive)])
    table("Probabilities on test rows", ["set", "rows", "VA Brier", "VA log", "iso Brier", "iso log", "Platt Brier", "Platt log",
                                         "mean p_low", "frequency", "mean p_high", "bins outside"], rows)


if __name__ == "__main__":
    main()
