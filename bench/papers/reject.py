"""The experiments of Amirou et al. (2014), "Optimizing the classification cost using SVMs with a double hinge loss",
figures 4 to 10: reject rates of both rules, error against rejects, cost, sensitivity and predictivity.

    reject.py [regions rates tradeoff heartbeats ...]     all of them by default

What differs from the paper: the synthetic data are drawn here (two normal classes of equal variance); heartbeats are
known by 40 samples a lead and 4 RR features, with which the two records are all but separable, or by 7 of these (the
paper: 7 features of its own, not published with it); "all records" are
the 44 records without paced beats (the paper: 21 of them), cut at random as the paper does and, besides, by patient.
The numbers of every figure are written as TSV to the folder of generated files; the tables stand beside the paper's.
"""
import csv
import gzip
import math
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import NEYMAN, ROOT, WORK, run, run_json, table  # noqa: E402

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
HERE = WORK / "reject-paper"
GRID = (0.5, 0.46, 0.43, 0.4, 0.36, 0.32, 0.28, 0.24, 0.2, 0.16, 0.12, 0.08, 0.04, 0.02)


# ---------------------------------------------------------------- rows

def write_rows(name, lines):
    HERE.mkdir(parents=True, exist_ok=True)
    path = HERE / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def shared(name, part):
    with gzip.open(SHARED / f"{name}.{part}.svm.gz", "rt") as file:
        return file.read().splitlines()


def synthetic():
    """Two normal classes in the plane, of equal variance and so near that a sixth is misclassified at best."""
    r = random.Random(2014)

    def draw(n):
        rows = []
        for i in range(n):
            y = 1 if i % 2 else -1
            rows.append(f"{y} 1:{r.gauss(y * 0.7, 1):.6f} 2:{r.gauss(y * 0.7, 1):.6f}")
        return rows

    return write_rows("synthetic.train", draw(1000)), write_rows("synthetic.test", draw(10000)), "1"


def seven(lines):
    """Of 40 samples a lead and 4 RR features: three samples of the first lead, and the RR features."""
    kept = {10: 1, 20: 2, 30: 3, 81: 4, 82: 5, 83: 6, 84: 7}
    out = []
    for line in lines:
        label, *cells = line.split()
        pairs = [cell.split(":") for cell in cells]
        out.append(" ".join([label] + [f"{kept[int(k)]}:{v}" for k, v in pairs if int(k) in kept]))
    return out


def two_records(features=84):
    """Records 214 and 221 in one, V being positive."""
    cut = seven if features == 7 else list
    return (write_rows(f"ecg{features}.train", cut(shared("mitbih_214", "train") + shared("mitbih_221", "train"))),
            write_rows(f"ecg{features}.test", cut(shared("mitbih_214", "test") + shared("mitbih_214", "valid") +
                                                  shared("mitbih_221", "test") + shared("mitbih_221", "valid"))), "-1")


def forest():
    return (write_rows("forest.train", shared("covtype_reject", "train")),
            write_rows("forest.test", shared("covtype_reject", "test") + shared("covtype_reject", "valid")), "1")


def heartbeats(by_patient):
    """All records: cut by patient, or at random so that every patient is in both parts."""
    train, test = shared("mitbih", "train"), shared("mitbih", "test")
    r = random.Random(2014)
    if not by_patient:
        train = train + test
        r.shuffle(train)
        train, test = train[:48000], train[48000:]
    r.shuffle(train)
    name = "patients" if by_patient else "beats"
    return write_rows(f"{name}.train", train[:8000]), write_rows(f"{name}.test", test), "-1"


# ---------------------------------------------------------------- models

class Model:
    """The double hinge at one reject cost, its scores on the test rows, and both rules' thresholds."""

    def __init__(self, data, r, theta=1.0, options=()):
        train, test, positive = data
        model, out = HERE / "paper.model", HERE / "scores.tsv"
        pays = r / theta + r < 1
        run([str(w) for w in (NEYMAN, "train", train, "--positive", positive, "--kernel", "rbf", "--cost-fn", theta,
                              "--cost-fp", 1, "--reject-cost", r, "-q", "-o", model, *options)], codes=(0, 5))
        run([str(w) for w in (NEYMAN, "predict", "-q", "--scores", model, test, "-o", out, "--reject-label", "?")])
        with open(out, encoding="utf-8") as file:
            self.rows = [(float(row["score"]), float(row["label"]) == float(positive))
                         for row in csv.DictReader(file, delimiter="\t")]
        self.r, self.theta, self.pays = r, theta, pays

    def grandvalet(self):
        if not self.pays:
            return 0.0, 0.0
        return math.log(self.r / (self.theta - self.r)), math.log((1 - self.r) / self.r)

    def bartlett(self, delta0):
        entropy = -self.r * math.log(self.r) - (1 - self.r) * math.log(1 - self.r)
        return (-delta0 * entropy / self.r, delta0 * entropy / self.r) if self.pays else (0.0, 0.0)

    def outcome(self, band):
        low, high = band
        n = len(self.rows)
        count = {(said, y): 0 for said in (1, 0, -1) for y in (True, False)}
        for s, y in self.rows:
            count[(1 if s >= high else -1 if s < low else 0, y)] += 1
        rejected = count[0, True] + count[0, False]
        tp, fp, fn = count[1, True], count[1, False], count[-1, True]
        return {"reject": rejected / n, "error": (fp + fn) / n, "rejected_pos": count[0, True],
                "rejected_neg": count[0, False], "fn": fn, "fp": fp,
                "sensitivity": tp / (tp + fn) if tp + fn else math.nan,
                "predictivity": tp / (tp + fp) if tp + fp else math.nan,
                "cost": (self.theta * fn + fp + self.r * rejected) / n}


def tuned(data):
    """C and gamma: the least cost on a third of the training rows, at the reject cost where both rules agree and at the
    thresholds of the rule ('neyman tune' would choose the band too)."""
    path, _, positive = data
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    random.Random(1).shuffle(lines)
    learn = write_rows("tune.train", lines[len(lines) // 3:])
    held = write_rows("tune.valid", lines[:len(lines) // 3])
    best = None
    for c in (0.1, 1, 10, 100):
        for gamma in (0.005, 0.02, 0.08):
            model = HERE / "tuned.model"
            run([str(w) for w in (NEYMAN, "train", learn, "--positive", positive, "--kernel", "rbf", "--reject-cost", 0.24,
                                  "-C", c, "--gamma", gamma, "-q", "-o", model)], codes=(0, 5))
            cost = run_json([str(w) for w in (NEYMAN, "evaluate", model, held, "--json")])["cost"]
            best = min(best or (cost, c, gamma), (cost, c, gamma))
    return ("-C", best[1], "--gamma", best[2])


def keep(name, header, rows):
    path = HERE / f"{name}.tsv"
    path.write_text("\n".join("\t".join(map(str, row)) for row in [header, *rows]) + "\n", encoding="utf-8")
    print(f"  all numbers: {path}")


# ---------------------------------------------------------------- figures

def regions():
    """Figures 4 and 5: the reject region for equal costs, and for misses that cost 1.4 times a false alarm."""
    data = synthetic()
    rows = []
    for r, theta in ((0.42, 1.0), (0.42, 1.4)):
        m = Model(data, r, theta)
        o = m.outcome(m.grandvalet())
        low, high = m.grandvalet()
        rows.append((theta, f"{low:.4f}", f"{high:.4f}", o["rejected_pos"], o["rejected_neg"], o["fn"], o["fp"]))
    table("figures 4 and 5: thresholds and rejects, synthetic data (paper, figure 5: -0.8473 and 0.32277)",
          ("theta", "low", "high", "rejected +", "rejected -", "FN", "FP"), rows)


def rates():
    """Figures 6 and 7: reject rate against r."""
    for figure, name, data in ((6, "synthetic", synthetic()), (7, "records 214 and 221", two_records()),
                               (7, "records 214 and 221, 7 features", two_records(7))):
        options = tuned(data)
        rows = []
        for r in GRID[1:]:
            m = Model(data, r, 1.0, options)
            rows.append((r, *(f"{m.outcome(band)['reject']:.4f}" for band in
                              (m.grandvalet(), m.bartlett(0.5), m.bartlett(r), m.bartlett(1 - r)))))
        table(f"figure {figure}: reject rate against r, {name} ({' '.join(map(str, options))})",
              ("r", "Grandvalet", "delta0 = 1/2", "delta0 = r", "delta0 = 1 - r"), rows)
        keep(f"figure{figure}-{name.replace(' ', '-').replace(',', '')}", ("r", "grandvalet", "half", "r_rule", "one_minus_r"), rows)


def ratio(points):
    """Of the errors to the rejects, from no rejection to r = 0.4."""
    first, last = points[0], points[-1]
    moved = last["reject"] - first["reject"]
    return (last["error"] - first["error"]) / moved if moved else math.nan


def tradeoff():
    """Figure 8: errors against rejects for 0.12 <= r <= 0.5, and their ratio for r >= 0.4."""
    paper = {"synthetic": (-0.58, -0.15), "records 214 and 221": (-0.84, -0.23),
             "all records, at random": (-0.84, -0.23), "forest": (-0.42, -0.22)}
    rows, numbers = [], []
    for name, data in (("synthetic", synthetic()), ("records 214 and 221", two_records()),
                       ("all records, at random", heartbeats(False)), ("forest", forest())):
        options = tuned(data)
        ours, theirs = [], []
        for r in [r for r in GRID if r >= 0.12]:
            m = Model(data, r, 1.0, options)
            ours.append(m.outcome(m.grandvalet()))
            theirs.append(m.outcome(m.bartlett(0.5)))
            numbers.append((name, r, *(f"{o[key]:.5f}" for o in (ours[-1], theirs[-1]) for key in ("reject", "error"))))
        high = len([r for r in GRID if r >= 0.4])
        rows.append((name, f"{ratio(ours[:high]):.2f}", paper[name][0], f"{ratio(theirs[:high]):.2f}", paper[name][1],
                     f"{ours[0]['error']:.4f}", f"{ours[-1]['error']:.4f}", f"{ours[-1]['reject']:.4f}"))
    table("figure 8: error-reject ratio for r from 0.5 to 0.4, and the ends of the curve (r = 0.12)",
          ("data", "Grandvalet", "paper", "delta0 = 1/2", "paper", "error, none rejected", "error at 0.12",
           "rejected"), rows)
    keep("figure8", ("data", "r", "reject", "error", "reject_half", "error_half"), numbers)


def heartbeats_all():
    """Figures 9 and 10: all records, theta = 1.2."""
    for name, by_patient in (("beats at random", False), ("by patient", True)):
        data = heartbeats(by_patient)
        options = tuned(data)
        points = []
        for r in (0.55, *GRID):  # at 0.55 rejecting does not pay: the cost SVM
            m = Model(data, r, 1.2, options)
            points.append((r, m.outcome(m.grandvalet())))
        rows, before = [], None
        for r, o in points:
            slope = (o["error"] - before["error"]) / (o["reject"] - before["reject"]) \
                if before and o["reject"] != before["reject"] else math.nan
            rows.append((r, f"{o['reject']:.4f}", f"{o['error']:.4f}", f"{slope:.2f}", f"{o['cost']:.5f}",
                         f"{o['sensitivity']:.4f}", f"{o['predictivity']:.4f}"))
            before = o
        table(f"figures 9 and 10: all records, {name}, theta = 1.2 ({' '.join(map(str, options))})",
              ("r", "reject", "error", "dE/dR", "cost", "sensitivity", "predictivity"), rows)
        keep(f"figure9-10-{'patient' if by_patient else 'beats'}",
             ("r", "reject", "error", "slope", "cost", "sensitivity", "predictivity"), rows)
        _, near = min(points, key=lambda p: abs(p[1]["reject"] - 0.018))
        print(f"  sensitivity without rejection {points[0][1]['sensitivity']:.4f} (paper 0.982), with "
              f"{100 * near['reject']:.1f} % rejected {near['sensitivity']:.4f} (paper > 0.99 with 1.8 %), predictivity "
              f"{near['predictivity']:.4f} (paper 0.998)")


FIGURES = {"regions": regions, "rates": rates, "tradeoff": tradeoff, "heartbeats": heartbeats_all}

if __name__ == "__main__":
    for figure in sys.argv[1:] or FIGURES:
        FIGURES[figure]()
