"""Neyman-Pearson training: the tables of Gasso et al. 2011, and what our own promises cost.

Work is counted in steps of the quadratic solver, which do not depend on the machine. Both methods end where no
example is clipped or unclipped and the ramp rate is active, and solve what they end with to the same tolerance,
1e-3. Uzawa solves every convex problem to it, from one start; the annealed method descends from four starts,
solved to a hundred times that.

    np.py [tables] [fits] [linear] [starts] [promise]    default: all
"""
import json
import math
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys

from common import NEYMAN, ROOT, WORK, run_json, table

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))

RATES = (0.1, 0.05, 0.01, 0.005)


def train(data, *options):
    command = [NEYMAN, "train", "-q", "--json", *map(str, options), str(data), "-o", str(WORK / "np.model")]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 5):  # 5: not converged, and says so
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr.decode()}")
    return json.loads(done.stdout)


def rates(data):
    e = run_json([NEYMAN, "evaluate", "-q", "--json", str(WORK / "np.model"), str(data)])
    return e["fpr"], e["fnr"]


def gaussians(path, n, seed):
    """Two Gaussians in the plane: a wide one (positive) and a tilted one that overlaps it."""
    r = random.Random(seed)
    with open(path, "w") as out:
        for i in range(n):
            a, b = r.gauss(0, 1), r.gauss(0, 1)
            if i % 2:
                out.write(f"1 1:{1.2 + 1.3 * a:.9g} 2:{0.8 + b:.9g}\n")
            else:
                out.write(f"-1 1:{-0.8 + a:.9g} 2:{-0.5 + 0.6 * a + 0.8 * b:.9g}\n")
    return path


def both(title, data, test, costs, gammas):
    rows = []
    for rate in RATES:
        found = {"annealed": [], "uzawa": []}
        for c in costs:
            for gamma in gammas:
                for method, list_ in found.items():
                    o = train(data, "--kernel", "rbf", "--gamma", gamma, "-C", c, "--confidence", "none", "--max-fpr", rate,
                              "--method", method)
                    list_.append((o["iterations"], *rates(test), o["converged"]))
        a, u = found["annealed"], found["uzawa"]
        rows.append([f"{rate:g}", f"{sum(x[0] for x in a)}", f"{sum(x[0] for x in u)}",
                     f"{sum(x[0] for x in u) / sum(x[0] for x in a):.2f}",
                     f"{statistics.geometric_mean(y[0] / x[0] for x, y in zip(a, u)):.2f}",
                     f"{statistics.mean(x[1] for x in a):.4f}", f"{statistics.mean(x[1] for x in u):.4f}",
                     f"{statistics.mean(x[2] for x in a):.4f}", f"{statistics.mean(x[2] for x in u):.4f}",
                     f"{sum(not x[3] for x in a)} {sum(not x[3] for x in u)}"])
    table(title, ["FPR bound", "annealed", "Uzawa", "speedup", "mean of ratios", "FPR ann", "FPR Uz", "FNR ann",
                  "FNR Uz", "unfinished"], rows)


def tables():
    both("Table II: SYNTHETIC, 2500 points, rbf, all of C 0.1 1 10 and gamma 0.1 1 10; steps of the solver, "
         "rates on 20000 fresh points",
         gaussians(WORK / "np-train.svm", 2500, 1), gaussians(WORK / "np-test.svm", 20000, 2),
         (0.1, 1, 10), (0.1, 1, 10))
    if (SHARED / "spambase.train.svm.gz").exists():
        both("Table III: Spambase, training part, rbf, C 0.1 1 10, gamma 0.002 1/57 0.1; rates on the test part",
             SHARED / "spambase.train.svm.gz", SHARED / "spambase.test.svm.gz", (0.1, 1, 10),
             (0.002, 1 / 57, 0.1))


def fits():
    rows = []
    for name in ("spambase", "page_blocks", "pima", "magic", "twonorm"):
        data = SHARED / f"{name}.train.svm.gz"
        if not data.exists():
            continue
        for rate in (0.05, 0.01):
            o = train(data, "--kernel", "rbf", "--confidence", "none", "--max-fpr", rate)
            c = train(data, "--kernel", "rbf", "--cost-fp", o["lambda"] * o["n_pos"] / o["n_neg"])
            rows.append([name, f"{rate:g}", str(len(o["steps"])), str(o["iterations"]), str(c["iterations"]),
                         f"{o['iterations'] / c['iterations']:.2f}",
                         f"{o['seconds']:.2f} s", f"{c['seconds']:.2f} s"])
    table("One annealed run against one cost fit at its final (C+, C-), rbf, C 1, default gamma; steps",
          ["set", "FPR bound", "problems", "steps", "one fit", "ratio", "time", "one fit"], rows)


def processor_seconds(data, *options):
    """Of the whole command, reading included, and its result."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    o = train(data, "-C", 1, "--confidence", "none", *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, o


def linear():
    rows = []
    for name in ("magic", "spambase", "adult", "rcv1", "covtype_np"):
        data = SHARED / f"{name}.train.svm.gz"
        if not data.exists():
            continue
        fit = statistics.median(processor_seconds(data)[0] for _ in range(3))
        for rate in (0.1, 0.05, 0.01):
            runs = [processor_seconds(data, "--max-fpr", rate) for _ in range(3)]
            seconds, o = statistics.median(seconds for seconds, _ in runs), runs[0][1]
            rows.append([name, f"{rate:g}", f"{seconds:.2f} s", f"{fit:.2f} s", f"{seconds / fit:.1f}",
                         str(len(o["steps"])), str(o["iterations"]), f"{o['objective']:.2f}"])
    table("One annealed run against one cost fit, linear, C 1: processor seconds of the whole command",
          ["set", "FPR bound", "time", "one fit", "ratio", "problems", "steps", "objective"], rows)


def starts():
    data = SHARED / "spambase.train.svm.gz"
    if not data.exists():
        return
    rows = []
    for c in (0.001, 0.01, 0.1, 1):
        runs = [train(data, "--confidence", "none", "--max-fpr", 0.05, "-C", c, "--start", s, "--tol", 0.01) for s in range(25)]
        last = [o["steps"][-1] for o in runs]

        def spread(key):
            v = [s[key] for s in last[1:]]
            return f"{last[0][key]:.4g}", f"{min(v):.4g} .. {max(v):.4g}", f"{statistics.pstdev(v):.2g}"
        rows.append([f"{c:g}", *spread("fpr"), *spread("fnr"), *spread("objective")])
    table("Spread over starts: linear, Spambase, alpha 0.05, the plain start against 24 random ones; rates on the "
          "training rows at score 0, Lagrangian",
          ["C", "Pfa", "random", "deviation", "Pnd", "random", "deviation", "L", "random", "deviation"], rows)


def promise(runs=500):
    rows = []
    r = random.Random(7)
    data = WORK / "np-draw.svm"
    for kernel in ("linear", "rbf"):
        violated, found = 0, []
        for k in range(runs):
            # negatives N(0, I), positives N((2, 0), I)
            with open(data, "w") as out:
                for i in range(250):
                    p = i >= 150
                    out.write(f"{1 if p else -1} 1:{r.gauss(2 if p else 0, 1):.9g} 2:{r.gauss(0, 1):.9g}\n")
            train(data, "--kernel", kernel, "--max-fpr", 0.05, "--confidence", 0.9, "--seed", k)
            fpr, fnr = rates(WORK / "np-truth.svm")
            violated += fpr > 0.05
            found.append(1 - fnr)
        error = math.sqrt(0.1 * 0.9 / runs)
        rows.append([kernel, f"{violated / runs:.3f}", f"0.1 (standard error {error:.3f})",
                     f"{statistics.mean(found):.3f}"])
    table(f"Certified runs on a known truth: alpha 0.05, confidence 0.9, 150 negatives, 100 positives, {runs} runs",
          ["kernel", "violations", "allowed", "detection"], rows)


def truth():
    r = random.Random(8)
    with open(WORK / "np-truth.svm", "w") as out:
        for i in range(40000):
            p = i % 2
            out.write(f"{1 if p else -1} 1:{r.gauss(2 if p else 0, 1):.9g} 2:{r.gauss(0, 1):.9g}\n")


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:] or ["tables", "fits", "linear", "starts", "promise"]
    for name in wanted:
        if name == "promise":
            truth()
        globals()[name]()


if __name__ == "__main__":
    main()
