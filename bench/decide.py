"""Decisions from ten million scores: neyman against scikit-learn's roc_curve on one text file.

scikit-learn computes a curve and nothing else; each command of neyman reads the same file and does
its whole job, start-up included; the peer's imports are not counted. It reads with NumPy or pandas,
whichever is installed and faster. Processor seconds tell what a busy machine does to the clock.
"""
import os
import statistics
import subprocess
import sys

from common import NEYMAN, RUNS, WORK, made, measure, table, tool

ROWS = int(os.environ.get("NEY_BENCH_SCORES", "10000000"))

PEER = """
import sys, time
how, path = sys.argv[1:]
from sklearn.metrics import roc_curve
if how == "pandas":
    import pandas
else:
    import numpy
begin, spent = time.monotonic(), time.process_time()
if how == "pandas":
    data = pandas.read_csv(path, sep="\\t")
    label, score = data["label"].to_numpy(), data["score"].to_numpy()
else:
    label, score = numpy.loadtxt(path, skiprows=1, unpack=True)
roc_curve(label, score)
print(time.monotonic() - begin, time.process_time() - spent)
"""


def scores():
    return made(f"scores-{ROWS}.tsv", [tool("bench_scores"), ROWS, 1])


def peers(path):
    """Only what is installed; the seconds are those that the peer counts, without its imports."""
    found = {}
    for how in "numpy", "pandas":
        probe = [sys.executable, "-c", f"import sklearn.metrics, {how}"]
        if subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            found[f"scikit-learn roc_curve, {how}"] = [sys.executable, "-c", PEER, how, str(path)]
    return found


def main():
    path = scores()
    ours = {
        "certify --max-fpr": ["certify", str(path), "--max-fpr", "0.01", "--json"],
        "certify, both rates": ["certify", str(path), "--max-fpr", "0.01", "--max-fnr", "0.01", "--json"],
        "evaluate": ["evaluate", "--from-scores", str(path), "--json"],
        "evaluate, 1 thread": ["evaluate", "--from-scores", str(path), "--json", "--threads", "1"],
        "qvalues": ["qvalues", "--from-scores", str(path), "-o", str(WORK / "q.tsv")],
        "qvalues --all": ["qvalues", "--from-scores", str(path), "--all", "-o", str(WORK / "q.tsv")],
        "qvalues --all --with-decoys": ["qvalues", "--from-scores", str(path), "--all", "--with-decoys", "-o", str(WORK / "q.tsv")],
    }
    others = peers(path)
    seconds, busy, peak = {}, {}, {}
    for _ in range(RUNS):  # in turns, so that a noisy minute hits all alike
        for name, command in ours.items():
            spent, cpu, memory, _ = measure([str(NEYMAN), *command])
            seconds.setdefault(name, []).append(spent)
            busy.setdefault(name, []).append(cpu)
            peak[name] = max(peak.get(name, 0), memory)
        for name, command in others.items():
            _, _, memory, out = measure(command)
            seconds.setdefault(name, []).append(float(out.split()[0]))
            busy.setdefault(name, []).append(float(out.split()[1]))
            peak[name] = max(peak.get(name, 0), memory)
    median = {name: statistics.median(values) for name, values in seconds.items()}
    best = min((median[name] for name in others), default=None)
    megabytes = path.stat().st_size / 1e6
    table(f"{ROWS} scores, {megabytes:.0f} MB of TSV (medians of {RUNS})",
          ["job", "seconds", "processor seconds", "peak MB", "times faster than the faster peer"],
          [[name, f"{median[name]:.2f}", f"{statistics.median(busy[name]):.2f}",
            f"{peak[name] / 1e6:.0f}",
            f"{best / median[name]:.1f}" if best and name in ours else "-"] for name in median])
    (WORK / "q.tsv").unlink(missing_ok=True)


main()
