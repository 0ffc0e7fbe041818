"""Quality of the nonconvex search under a bounded rate: annealed against Uzawa and against an SVM with a
moved threshold, over sets x alpha x C x kernel.

    np_quality.py [--before PROGRAM] [--rows N] [--quick] [--keep FILE] [--out FILE]

Every method is measured by the same number, the training objective

    J = 1/2 |w|^2 + C W Q     where P = alpha

P and Q are the ramp losses (eta 1) of the bounded and the free class and W is the weight of the free class.
The score of every model is shifted until P = alpha, so that no method gains or loses by where in the
tolerance of the constraint it stops. J is recomputed here from the scores that `predict` writes. The SVM
(`--method convex`, same C) is shifted in the same way. Seconds are processor seconds of the whole program with
one thread, reading included, so that a busy machine does not count.

--before PROGRAM   an older build; its annealed method is listed beside (default: none)
--rows N           larger sets are thinned to about N rows (default 3000)
--quick            three sets, one alpha, two values of C
--keep FILE        append every run to FILE (one JSON line each) and do not repeat runs that it holds
--out FILE         write the tables as Markdown (default: standard output only)
"""
import argparse
import gzip
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys

from common import NEYMAN, ROOT, WORK

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
SETS = ("pima", "breast", "liver", "ionosphere", "wdbc", "mitbih_214", "spambase", "page_blocks", "twonorm",
        "ringnorm", "magic", "w8a", "adult")
RATES = (0.01, 0.05, 0.1)
COSTS = (0.1, 1, 10, 100)
KERNELS = ("linear", "rbf")
LIMIT = 600  # wall-clock seconds of one run; what takes longer is listed as such


def thinned(name, most):
    """The training part of a set, every k-th row of it where it is larger than `most`."""
    with gzip.open(SHARED / f"{name}.train.svm.gz", "rt") as file:
        lines = file.readlines()
    step = -(-len(lines) // most)
    path = WORK / f"np-quality-{name}.svm"
    path.write_text("".join(lines[::step]))
    return path


def ramp(z):
    return min(1.0, max(0.0, (1 - z) / 2))


def shift_to_rate(scores, rate):
    """The shift s of the bounded class's scores at which the mean of ramp(-(score + s)) is the rate."""
    low, high = -max(scores) - 2, -min(scores) + 2
    for _ in range(50):
        middle = (low + high) / 2
        if sum(ramp(-(score + middle)) for score in scores) > rate * len(scores):
            high = middle
        else:
            low = middle
    return low


def labelled_scores(program, model, data):
    out = subprocess.run([program, "predict", "-q", "--scores", model, data], capture_output=True, check=True).stdout
    positive, negative = [], []
    for line in out.decode().splitlines()[1:]:
        _, score, label = line.split("\t")
        (positive if float(label) > 0 else negative).append(float(score))
    return positive, negative


def objective(positive, negative, half_square, cost, rate):
    shift = shift_to_rate(negative, rate)
    return half_square + cost * sum(ramp(score + shift) for score in positive)


def half_square(result, positive, negative, cost, rate):
    """1/2 |w|^2, from the objective that the run reports."""
    if "lambda" in result and result["method"] != "convex":
        loss = result["ramp_fnr"] + result["lambda"] * (result["ramp_fpr"] - rate)
        return result["objective"] - cost * len(positive) * loss
    hinges = sum(max(0.0, 1 - s) for s in positive) + sum(max(0.0, 1 + s) for s in negative)
    return result["objective"] - cost * hinges


def confidence_option(program):
    """Programs before the certificate became the default know no `none`."""
    pages = [subprocess.run([program, *words], capture_output=True, check=False).stdout.decode()
             for words in (["help", "train", "--all"], ["train", "--help"])]
    text = pages[0] or pages[1]  # older programs have one page
    return ["--confidence", "none"] if "none" in text.split("--confidence P ", 1)[-1][:400] else []


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(program, data, method, kernel, rate, cost):
    """J, seconds, and whether the run says that it converged; None where it takes too long."""
    model = str(WORK / "np-quality.model")
    command = [str(program), "train", "-q", "--json", "--method", method, "--kernel", kernel, "-C", str(cost),
               "--max-fpr", str(rate), *confidence_option(program), "--threads", "1", "--max-time", str(LIMIT), str(data),
               "-o", model]
    begin = processor_seconds()
    done = subprocess.run(command, capture_output=True, check=False)
    seconds = processor_seconds() - begin
    if done.returncode not in (0, 5):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr.decode()}")
    result = json.loads(done.stdout)
    if result["stop"] == "time":
        return None
    positive, negative = labelled_scores(str(program), model, str(data))
    return {"J": objective(positive, negative, half_square(result, positive, negative, cost, rate), cost, rate),
            "seconds": seconds, "converged": result["converged"], "stop": result["stop"],
            "starts": result.get("starts", 1),
            "constraint": result.get("constraint", ""), "iterations": result["iterations"], "lambda": result.get("lambda", 0)}


def measure_once(keep, name, *case):
    """The same, or what the file `keep` holds of this run."""
    key = [name, *(str(x) for x in case[1:])]
    for line in keep.read_text().splitlines() if keep and keep.exists() else ():
        held = json.loads(line)
        if held["key"] == key:
            return held["run"]
    found = measure(*case)
    if keep:
        with keep.open("a") as file:
            file.write(json.dumps({"key": key, "run": found}) + "\n")
    return found


def names(quick):
    return ("pima", "wdbc", "page_blocks") if quick else SETS


def cases(quick):
    for name in names(quick):
        for kernel in KERNELS:
            for rate in (0.05,) if quick else RATES:
                for cost in (1, 10) if quick else COSTS:
                    yield name, kernel, rate, cost


def summary(rows):
    """How the objectives compare, over the cases that every method finished."""
    lines = ["| method | cases | within 1 % of Uzawa | more than 10 % above | largest ratio | geometric mean of ratios | "
             "above the moved SVM | not converged | seconds in all |", "|---|---|---|---|---|---|---|---|---|"]
    for method in ("before", "annealed", "uzawa", "convex"):
        have = [r for r in rows if all(r.get(m) for m in (method, "uzawa", "convex"))]
        if not have:
            continue
        ratios = [r[method]["J"] / r["uzawa"]["J"] for r in have]
        above = sum(r[method]["J"] > 1.0001 * r["convex"]["J"] for r in have)
        lines.append(f"| {TITLE[method]} | {len(have)} | {sum(x <= 1.01 for x in ratios)} | {sum(x > 1.1 for x in ratios)} | "
                     f"{max(ratios):.3f} | {statistics.geometric_mean(ratios):.4f} | {above} | "
                     f"{sum(not r[method]['converged'] for r in have)} | "
                     f"{sum(r[method]['seconds'] for r in have):.1f} |")
    return lines


def above_uzawa(rows):
    ratio = {f"{r['set']} {r['kernel']} alpha {r['rate']:g} C {r['cost']:g}": r["annealed"]["J"] / r["uzawa"]["J"]
             for r in rows if r["annealed"] and r["uzawa"]}
    worse = sorted(((x, case) for case, x in ratio.items() if x > 1.01), reverse=True)
    return ["Annealed above 1.01 times Uzawa: " + ("; ".join(f"{case}: {x:.3f}" for x, case in worse) or "none") + "."]


TITLE = {"before": "annealed before", "annealed": "annealed", "uzawa": "Uzawa", "convex": "SVM, threshold moved"}


def full(rows):
    lines = ["| set | kernel | alpha | C | " + " | ".join(f"{t}: J, s, iterations" for t in TITLE.values()) + " | starts |",
             "|---" * (5 + len(TITLE)) + "|"]
    for r in rows:
        cells = [f"{r[m]['J']:.6g}, {r[m]['seconds']:.2f}, {r[m]['iterations']}" if r.get(m) else "-" for m in TITLE]
        lines.append(f"| {r['set']} | {r['kernel']} | {r['rate']:g} | {r['cost']:g} | " + " | ".join(cells) +
                     f" | {r['annealed']['starts'] if r['annealed'] else '-'} |")
    return lines


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--before")
    p.add_argument("--rows", type=int, default=3000)
    p.add_argument("--quick", action="store_true")
    p.add_argument("--keep")
    p.add_argument("--out")
    o = p.parse_args()
    keep = pathlib.Path(o.keep) if o.keep else None
    WORK.mkdir(parents=True, exist_ok=True)
    data = {name: thinned(name, o.rows) for name in names(o.quick)}
    rows = []
    for name, kernel, rate, cost in cases(o.quick):
        row = {"set": name, "kernel": kernel, "rate": rate, "cost": cost}
        for method in ("annealed", "uzawa", "convex"):
            row[method] = measure_once(keep, "now", NEYMAN, data[name], method, kernel, rate, cost)
        row["before"] = (measure_once(keep, "before", o.before, data[name], "annealed", kernel, rate, cost) if o.before
                         else None)
        rows.append(row)
        print(*(f"{k} {v}" for k, v in row.items() if k in ("set", "kernel", "rate", "cost")), flush=True)
    text = "\n".join([*summary(rows), "", *above_uzawa(rows), "", *full(rows)]) + "\n"
    print(text)
    if o.out:
        pathlib.Path(o.out).write_text(text)


if __name__ == "__main__":
    main()
