"""sklearn_scores.py: what `neyman` says of random score files, against scikit-learn.

Works in the current folder with the `neyman` on the path. Exits with 77 where there is no
scikit-learn."""

import json
import subprocess
import sys

try:
    import numpy
    from sklearn import metrics
except ImportError:
    sys.exit(77)

NAMES = ["continuous", "rare", "tied", "two_values", "constant", "perfect", "upside_down", "pair"]
PARTIAL = [0.01, 0.1, 0.37, 1.0]


def make(name):
    random = numpy.random.RandomState(NAMES.index(name) + 7)
    n = 2 if name == "pair" else 2000
    label = random.rand(n) < (0.02 if name == "rare" else 0.4)
    label[:2] = [True, False]
    score = random.randn(n) + 1.3 * label
    if name == "tied":
        score = numpy.floor(score * 2) / 4
    elif name == "two_values":
        score = numpy.where(score > 0.5, 1.5, -0.25)
    elif name == "constant":
        score[:] = 3
    elif name == "perfect":
        score = numpy.where(label, 10, -10) + random.rand(n)
    elif name == "upside_down":
        score = -score
    return label.astype(int), score


def near(what, ours, theirs, within=1e-14):
    ours, theirs = numpy.asarray(ours, float), numpy.asarray(theirs, float)
    assert ours.shape == theirs.shape, f"{what}: {ours.shape} against {theirs.shape}"
    worst = numpy.abs(ours - theirs).max() if ours.size else 0
    assert worst <= within, f"{what}: differs by {worst}"


def neyman(*words):
    done = subprocess.run(["neyman", *words, "-q"], check=True, capture_output=True, text=True)
    return done.stdout


def table(name, kind):
    head, *lines = neyman("evaluate", "--from-scores", name, "--curve", kind).splitlines()
    rows = [[float(cell) for cell in line.split("\t")] for line in lines]
    return {key: numpy.array(column) for key, column in zip(head.split("\t"), zip(*rows))}


def check_roc(name, label, score):
    ours = table(name, "roc")
    fpr, tpr, threshold = metrics.roc_curve(label, score, drop_intermediate=False)
    near("fpr", ours["fpr"], fpr)
    near("tpr", ours["tpr"], tpr)
    near("threshold", ours["threshold"][1:], threshold[1:], 0)  # theirs begins with no fixed number
    near("tp", ours["tp"], numpy.round(tpr * label.sum()))
    near("fp", ours["fp"], numpy.round(fpr * (1 - label).sum()))


def check_pr(name, label, score):
    ours = table(name, "pr")
    precision, recall, threshold = metrics.precision_recall_curve(label, score)
    # theirs rises; some versions leave out what lies beyond the first full recall
    n = len(threshold) + 1
    near("precision", ours["precision"][:n], precision[::-1])
    near("recall", ours["recall"][:n], recall[::-1])
    near("threshold", ours["threshold"][1:n], threshold[::-1], 0)
    assert n == len(ours["recall"]) or ours["recall"][n - 1] == 1, "points are missing"


def check_det(name, label, score):
    ours = table(name, "det")
    fpr, fnr, threshold = metrics.det_curve(label, score)
    place = {t: i for i, t in enumerate(ours["threshold"])}
    finite = threshold <= score.max()  # some versions begin with a threshold above all
    at = [place[t] for t in threshold[finite]]  # a part of ours: level ends are left out
    near("fpr", ours["fpr"][at], fpr[finite])
    near("fnr", ours["fnr"][at], fnr[finite])


def check_auc(name, label, score):
    for max_fpr in PARTIAL:
        ours = json.loads(neyman("evaluate", "--from-scores", name, "--json", "--partial",
                                 str(max_fpr)))
        near("auc", ours["auc"], metrics.roc_auc_score(label, score))
        near("partial_max_fpr", ours["partial_max_fpr"], max_fpr, 0)
        # theirs is standardised (McClish 1989): 1/2 for chance, 1 for a perfect curve
        least, most = max_fpr * max_fpr / 2, max_fpr
        standard = (1 + (ours["partial_auc"] - least) / (most - least)) / 2
        near(f"area up to {max_fpr}", standard,
             metrics.roc_auc_score(label, score, max_fpr=max_fpr), 1e-12)


def check_certified(name, label, score):
    """The rates printed for a certified threshold are those of their confusion matrix."""
    if len(label) < 100:
        return
    ours = json.loads(neyman("certify", name, "--max-fpr", "0.05", "--json"))
    tn, fp, fn, tp = metrics.confusion_matrix(label, score >= ours["threshold"]).ravel()
    near("fpr", ours["fpr"], fp / (fp + tn))
    near("fnr", ours["fnr"], fn / (fn + tp))
    near("misclassified", ours["misclassified"], fp, 0)
    assert ours["fpr"] <= ours["bound"] <= 0.05, "the bound"


def main():
    for name in NAMES:
        label, score = make(name)
        with open(name, "w") as f:
            f.write("label\tscore\n")
            f.writelines(f"{y}\t{s!r}\n" for y, s in zip(label.tolist(), score.tolist()))
        for check in (check_roc, check_pr, check_det, check_auc, check_certified):
            try:
                check(name, label, score)
            except AssertionError as problem:
                sys.exit(f"{check.__name__} of {name}: {problem}")


if __name__ == "__main__":
    main()
