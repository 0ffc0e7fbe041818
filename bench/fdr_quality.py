"""Quality of the SVM under a bounded FDR: the training objective of one fit on all rows, before and after, over
sets x q x C x kernel.

    fdr_quality.py [--before PROGRAM] [--keep FILE] [--out FILE]

J = 1/2 |w|^2 + C W Q at the largest intercept where s P <= q (1 - Q), recomputed by bench_fdr_fit from the scores
of the model; the SVM at the same C is shifted in the same way. Seconds are processor seconds of one fit.

--before PROGRAM   bench_fdr_fit of an older build (tests/reference/fdr_fit.c compiles there too)
--keep FILE        append every run to FILE (one JSON line each) and do not repeat runs that it holds
--out FILE         write the table as Markdown
"""
import argparse
import gzip
import json
import os
import pathlib
import statistics
import subprocess

from common import ROOT, WORK, tool

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
SETS = ("psm", "psm_tide")
EVERY = {"linear": "2", "rbf": "8"}  # rows used


def measure(keep, title, program, data, *case):
    key = [title, data.name, *case]
    for line in keep.read_text().splitlines() if keep and keep.exists() else ():
        held = json.loads(line)
        if held["key"] == key:
            return held["run"]
    q, cost, kernel = case
    done = subprocess.run([program, str(data), q, cost, kernel, EVERY[kernel]], capture_output=True, check=True)
    found = json.loads(done.stdout)
    if keep:
        with keep.open("a") as file:
            file.write(json.dumps({"key": key, "run": found}) + "\n")
    return found


def line(name, case, before, now):
    q, cost, kernel = case
    cells = [f"{r['J']:.6g}, {r['seconds']:.2f}, {r['steps']}" if r else "-" for r in (before, now)]
    return f"| {name} | {kernel} | {now['rows']} | {q} | {cost} | {' | '.join(cells)} | {now['svm']:.6g} | {now['nothing']:.6g} |"


def summary(rows):
    now = [r for _, _, _, r in rows]
    text = [f"{len(now)} fits, {sum(r['converged'] for r in now)} converged; above the moved SVM or above accepting nothing: "
            f"{sum(r['J'] > 1.0001 * min(r['svm'], r['nothing']) for r in now)}; seconds in all {sum(r['seconds'] for r in now):.0f}."]
    if rows[0][2]:
        ratio = [r["J"] / b["J"] for _, _, b, r in rows]
        before = [b for _, _, b, _ in rows]
        text.append(f"Before: {sum(b['J'] > 1.0001 * min(b['svm'], b['nothing']) for b in before)} above; seconds in all "
                    f"{sum(b['seconds'] for b in before):.0f}. J over that of before: {min(ratio):.4f} to {max(ratio):.4f}, geometric mean "
                    f"{statistics.geometric_mean(ratio):.4f}.")
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--before")
    p.add_argument("--keep")
    p.add_argument("--out")
    o = p.parse_args()
    keep = pathlib.Path(o.keep) if o.keep else None
    WORK.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in SETS:
        data = WORK / f"{name}.pin"
        data.write_bytes(gzip.decompress((SHARED / f"{name}.pin.gz").read_bytes()))
        for case in ((q, c, k) for k in EVERY for q in ("0.01", "0.05") for c in ("0.01", "0.1", "1", "10")):
            before = measure(keep, "before", o.before, data, *case) if o.before else None
            rows.append((name, case, before, measure(keep, "now", tool("bench_fdr_fit"), data, *case)))
            print(line(*rows[-1]), flush=True)
    table = ["| set | kernel | rows | q | C | before: J, s, convex problems | now: J, s, convex problems | SVM, threshold moved | "
             "nothing accepted |", "|---" * 9 + "|", *(line(*r) for r in rows)]
    text = "\n".join([*summary(rows), "", *table]) + "\n"
    if o.out:
        pathlib.Path(o.out).write_text(text)
    print(text)


if __name__ == "__main__":
    main()
