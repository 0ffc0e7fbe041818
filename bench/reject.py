"""Learning to reject: time against the cost SVM, both solvers, and what decisions cost on test rows.

    reject.py time               seconds and gaps of the cost SVM, the double hinge, and both by active sets
    reject.py cost [set ...]     mean cost of a test row: a cost SVM without rejection, the same with the
                                 rejection band that costs least on the validation rows, and the double hinge;
                                 each tuned over the same grid on the validation rows
    reject.py conformal          prediction sets: coverage of either class and rows left undecided, and the band
                                 around the double hinge's threshold that leaves as many undecided

In `cost` the difference between the double hinge and the better of the other two is given in its standard
errors: the better of the two is picked on the test rows, so slightly more than 0 is expected.
"""
import csv
import json
import math
import os
import pathlib
import statistics
import sys

from common import NEYMAN, ROOT, RUNS, WORK, measure, run, run_json, table

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
TIMED = (("spambase", "linear"), ("magic", "linear"), ("adult", "linear"), ("covtype_reject", "linear"),
         ("spambase", "rbf"), ("ringnorm", "rbf"), ("magic", "rbf"), ("covtype_reject", "rbf"))
COLS = {"spambase": 57, "page_blocks": 10, "magic": 10, "ringnorm": 20, "twonorm": 20, "covtype_reject": 54,
        "mitbih_221": 84, "adult": 123}
LINEAR = tuple(COLS)
RBF = ("spambase", "page_blocks", "ringnorm", "twonorm", "mitbih_221", "covtype_reject")
COSTS = ((1, 1, 0.1, 0.1), (1, 1, 0.3, 0.3), (5, 1, 0.3, 0.3), (1, 5, 0.1, 0.5), (10, 1, 1, 0.1))
POSITIVE = {"spambase": "-1", "mitbih_221": "-1"}


def part(name, which):
    return str(SHARED / f"{name}.{which}.svm.gz")


def positive(name):
    return ["--positive", POSITIVE[name]] if name in POSITIVE else []


# ---------------------------------------------------------------- time

def train(name, kernel, options):
    command = [NEYMAN, "train", part(name, "train"), "--kernel", kernel, "-o", WORK / "reject.model", "--json",
               "--threads", "1", *options]
    _, processor, _, out = measure([str(word) for word in command], codes=(0, 5))
    return processor, json.loads(out)


def time_all():
    WORK.mkdir(parents=True, exist_ok=True)
    jobs = {"cost": [], "reject": ["--reject-cost", "0.2"],
            "exact": ["--reject-cost", "0.2", "--method", "activeset"],
            "tight": ["--reject-cost", "0.2", "--tol", "1e-9"]}
    rows = []
    for name, kernel in TIMED:
        seconds, found = {job: [] for job in jobs}, {}
        small = name in ("spambase", "ringnorm")
        for _ in range(RUNS):
            for job, options in jobs.items():
                if job in ("cost", "reject") or small:
                    spent, found[job] = train(name, kernel, options)
                    seconds[job].append(spent)
        middle = {job: statistics.median(all_of) for job, all_of in seconds.items() if all_of}
        cells = [name, kernel, found["cost"]["n"], f"{middle['cost']:.2f}", f"{middle['reject']:.2f}",
                 f"{middle['reject'] / middle['cost']:.2f}"]
        for job in ("tight", "exact"):
            cells += [f"{middle[job]:.2f}", f"{found[job]['gap']:.1e}"] if small else ["", ""]
        rows.append(cells)
    table("processor seconds, reading the file included; default tolerance, C = 1, rejection at 0.2",
          ("set", "kernel", "rows", "cost SVM", "double hinge", "ratio", "at tol 1e-9", "gap", "active set", "gap"),
          rows)


# ---------------------------------------------------------------- cost

def scores(model, path):
    out = WORK / "reject.tsv"
    run([str(NEYMAN), "predict", "--scores", "-q", str(model), path, "-o", str(out)])
    info = run_json([str(NEYMAN), "evaluate", str(model), path, "--json"])
    with open(out, encoding="utf-8") as file:
        return [(float(row["score"]), row["label"] == info["positive"]) for row in csv.DictReader(file, delimiter="\t")]


def row_costs(rows, band, costs):
    fn, fp, reject_fn, reject_fp = costs
    low, high = band
    return [(0 if y else fp) if s >= high else (fn if y else 0) if s < low else (reject_fn if y else reject_fp)
            for s, y in rows]


def best_band(rows, costs):
    """By walking over the rows in order; independent of the library's own."""
    fn, fp, reject_fn, reject_fp = costs
    order = sorted(rows)
    below, above = [0.0], [sum(-reject_fn if y else fp - reject_fp for _, y in order)]
    for _, y in order:
        below.append(below[-1] + (fn - reject_fn if y else -reject_fp))
        above.append(above[-1] - (-reject_fn if y else fp - reject_fp))
    cut = [k for k in range(len(order) + 1)
           if k in (0, len(order)) or order[k - 1][0] < order[k][0]]
    best, least, at = None, math.inf, 0
    for k in cut:
        if below[k] <= below[at]:
            at = k
        if below[at] + above[k] < least:
            least, best = below[at] + above[k], (at, k)
    place = [order[0][0] if k == 0 else order[-1][0] + 1e-9 if k == len(order) else
             (order[k - 1][0] + order[k][0]) / 2 for k in best]
    return place[0], place[1]


def tuned(name, kernel, costs, rejects):
    fn, fp, reject_fn, reject_fp = costs
    gamma = 1 / COLS[name]
    grid = "C=1e-3:10:5" if kernel == "linear" else f"C=0.1:100:4 gamma={gamma / 4},{gamma},{4 * gamma}"
    model = WORK / "reject.model"
    command = [NEYMAN, "tune", part(name, "train"), "--valid", part(name, "valid"), "--kernel", kernel, "--grid", grid,
               "--no-extend", "--refine", 0, "--fresh", "--cost-fn", fn, "--cost-fp", fp, "-o", model, "--json",
               *positive(name)]
    if rejects:
        command += ["--reject-cost-fn", reject_fn, "--reject-cost-fp", reject_fp]
    found = json.loads(run([str(word) for word in command], codes=(0, 5))[1])
    return model, found


def compare(name, kernel, costs):
    model, _ = tuned(name, kernel, costs, False)
    valid, test = scores(model, part(name, "valid")), scores(model, part(name, "test"))
    plain = row_costs(test, (0, 0), costs)
    banded = row_costs(test, best_band(valid, costs), costs)
    model, found = tuned(name, kernel, costs, True)
    own = row_costs(scores(model, part(name, "test")), (found.get("threshold_low", found["threshold"]),
                                                        found["threshold"]), costs)
    best = min(plain, banded, key=sum)
    apart = [a - b for a, b in zip(own, best)]
    spread = statistics.pstdev(apart)
    z = statistics.fmean(apart) / (spread / math.sqrt(len(apart))) if spread > 0 else 0.0
    return statistics.fmean(plain), statistics.fmean(banded), statistics.fmean(own), z


def cost_all(names):
    WORK.mkdir(parents=True, exist_ok=True)
    rows, worst, wins = [], -math.inf, 0
    for kernel, sets in (("linear", LINEAR), ("rbf", RBF)):
        for name in sets:
            if names and name not in names:
                continue
            for costs in COSTS:
                plain, banded, own, z = compare(name, kernel, costs)
                worst, wins = max(worst, z), wins + (own <= min(plain, banded))
                rows.append((name, kernel, " ".join(map(str, costs)), f"{plain:.4f}", f"{banded:.4f}", f"{own:.4f}",
                             f"{z:+.1f}"))
                print("  ".join(map(str, rows[-1])), flush=True)
    table("mean cost of a test row; costs are fn fp reject-fn reject-fp",
          ("set", "kernel", "costs", "no rejection", "best band", "double hinge", "apart"), rows)
    print(f"{wins} of {len(rows)} not above the better of the other two; at most {worst:+.1f} standard errors above it")


# ---------------------------------------------------------------- conformal

def conformal_all():
    WORK.mkdir(parents=True, exist_ok=True)
    model, rows = str(WORK / "reject.model"), []
    for name in ("spambase", "magic", "adult", "covtype_reject"):
        for how in (["--conformal"], ["--conformal-folds", "5"]):
            run([str(NEYMAN), "train", part(name, "train"), "--reject-cost", "0.2", "-q", "-o", model, *positive(name),
                 *how])
            for confidence in ("0.9", "0.95", "0.99"):
                found = run_json([str(NEYMAN), "evaluate", model, part(name, "test"), "--conformal", "--confidence",
                                  confidence, "--json"])
                run([str(NEYMAN), "predict", "-q", model, part(name, "test"), "--conformal", "--confidence", confidence,
                     "-o", str(WORK / "sets.tsv")])
                with open(WORK / "sets.tsv", encoding="utf-8") as file:
                    lines = list(csv.DictReader(file, delimiter="\t"))
                single = [line for line in lines if line["set"] in ("{1}", "{-1}")]
                wrong = sum(line["set"] != "{" + line["label"] + "}" for line in single)
                near = sorted((abs(float(line["score"])), (float(line["score"]) >= 0) != (line["label"] == found["positive"]))
                              for line in lines)
                banded = sum(bad for _, bad in near[len(lines) - len(single):])
                rows.append((name, how[0][2:], confidence, f"{found['coverage_pos']:.4f}", f"{found['coverage_neg']:.4f}",
                             f"{found['sets_of_both']:.4f}", f"{found['sets_of_none']:.4f}",
                             f"{wrong / len(lines):.4f}", f"{banded / len(lines):.4f}"))
    table("prediction sets on the test rows, linear, C = 1; errors over all rows, at as many rows undecided",
          ("set", "calibration", "confidence", "coverage +", "coverage -", "both", "none", "errors", "double hinge"), rows)


if __name__ == "__main__":
    what = sys.argv[1:2] or ["time", "cost", "conformal"]
    if "time" in what:
        time_all()
    if "cost" in what:
        cost_all(sys.argv[2:])
    if "conformal" in what:
        conformal_all()
