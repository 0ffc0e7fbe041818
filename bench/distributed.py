"""neyman-mpi against neyman: quality of online training by 1, 2, 4 and 8 processes, and the work of the linear batch method at
costs (work) and under a bounded rate (bounded).

    distributed.py [quality [SET METHOD ...] | work [SET ...] | bounded [SET ...]]     default: all

The FNR is that on the test part at the threshold where its FPR equals the bound: it compares score functions, whatever
their threshold. Processor seconds are user and system time of the busiest process; times of the wall depend on what else
the machine does, and processes that wait for each other spin."""
import json
import os
import pathlib
import statistics
import subprocess
import sys

from common import BUILD, NEYMAN, WORK, run, table
from online import SHARED, misses_of, plain

PROGRAM = BUILD / "bin" / "neyman-mpi"
BOUND = 0.05
SEEDS = range(1, 6)
METHODS = {"linear": [], "features": ["--features", "200"], "network": ["--network", "16"]}
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_btl="self,vader", OMPI_MCA_hwloc_base_binding_policy="none")
# One process: what it is started with, then what it used, as one line of a file.
WRAPPER = """import json, os, resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
u = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "a") as to:
    to.write(json.dumps([u.ru_utime + u.ru_stime, u.ru_maxrss * 1024]) + "\\n")
sys.exit(code)"""


def cache(name):
    """The training part of a shared set, or the given file, as a cache."""
    path = WORK / f"{name}.ney"
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        source = plain(name, "train") if (SHARED / f"{name}.train.svm.gz").exists() else WORK / f"{name}.svm"
        run([NEYMAN, "convert", "-q", source, path])
    return path


def train(processes, data, model, *options):
    """The result, and seconds and bytes of memory of each process; 0 processes: neyman."""
    used = WORK / "used.jsonl"
    used.unlink(missing_ok=True)
    command = [sys.executable, "-c", WRAPPER, str(used), str(PROGRAM if processes else NEYMAN), "train", "-q", "--json", "--threads", "1",
               *map(str, options), str(data), "-o", str(model)]
    if processes:
        command = ["mpirun", "--oversubscribe", "-n", str(processes), *command]
    done = subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT)
    if done.returncode not in (0, 5):
        sys.exit(done.stderr.decode())
    return json.loads(done.stdout), [json.loads(line) for line in used.read_text().splitlines()]


def quality(name, method):
    model, rows = WORK / "distributed.model", []
    for processes in (1, 2, 4, 8):
        missed, epochs = [], []
        for seed in SEEDS:
            found, _ = train(processes, cache(name), model, "--method", "online", "--max-fpr", BOUND, "--confidence", "none", "--seed", seed,
                                *METHODS[method])
            missed.append(misses_of(model, plain(name, "test"), BOUND))
            epochs.append(found["epochs"] if "epochs" in found else len(found["steps"]))
        rows.append([processes, f"{statistics.fmean(missed):.4f}", f"{statistics.stdev(missed):.4f}", f"{statistics.fmean(epochs):.0f}"])
    table(f"{name}, {method}: FNR at FPR = {BOUND:g}, mean of {len(SEEDS)} seeds", ["processes", "FNR", "deviation", "epochs"], rows)


def work(name, *options):
    rows = []
    for processes in (0, 1, 2, 4):
        found, used = train(processes, cache(name), WORK / "distributed.model", *options)
        steps = max(1, found.get("iterations", 1))
        rows.append([processes or "neyman", f"{found['objective']:.8g}", steps, f"{max(u[0] for u in used):.2f}", f"{max(u[1] for u in used) / 1e6:.0f}",
                     f"{found.get('bytes_received', 0) / 1e6:.2f}",
                     found.get("communication_calls", 0)])
    table(f"{name}: {' '.join(options)}", ["processes", "objective", "iterations", "seconds", "MB", "MB received by all", "calls"], rows)


if __name__ == "__main__":
    words = sys.argv[1:]
    if not words or words[0] == "quality":
        for name, method in zip(words[1::2], words[2::2]) if words[1:] else [(s, m) for s in ("magic", "adult", "covtype_np") for m in METHODS]:
            quality(name, method)
    if not words or words[0] == "work":
        for name in words[1:] or ("covtype_np", "rcv1"):
            work(name, "-C", "1" if name == "rcv1" else "0.01", "--tol", "1e-3")
    if not words or words[0] == "bounded":
        for name in words[1:] or ("covtype_np", "adult", "magic"):
            work(name, "--max-fpr", str(BOUND), "--confidence", "none", "-C", "1", "--tol", "1e-3")
