"""Training and scoring: neyman against LIBSVM and LIBLINEAR, whole commands, file to model.

Same C, kernel, costs and tolerance; dual objectives are compared before times are. Data: the folder that
NEY_SHARED names, or ../shared/data beside the tree; sets that are not there are left out.
"""
import gzip
import json
import os
import pathlib
import re

import common
from common import NEYMAN, ROOT, WORK, have, interleaved, run, table

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))

# name, set, rows (None: all), C, cost of false positives, gamma (None: linear)
PROBLEMS = [
    ("rbf Spambase", "spambase", None, 10, 1, 1 / 57),
    ("rbf Magic", "magic", None, 10, 1, 0.1),
    ("rbf Adult, 20000 rows", "adult", 20000, 1, 1, 0.05),
    ("rbf covtype_np, 20000 rows", "covtype_np", 20000, 10, 1, 1 / 54),
    ("rbf Magic, 10000 rows, costs 30:1", "magic", 10000, 10, 30, 0.1),
    ("rbf Spambase, C 1000", "spambase", None, 1000, 1, 1 / 57),
    ("linear rcv1", "rcv1", None, 1, 1, None),
    ("linear covtype_np", "covtype_np", None, 0.1, 1, None),
]


def data_file(name, rows):
    """The parts of a set one after the other, unpacked; the first rows of it."""
    parts = [SHARED / f"{name}.{part}.svm.gz" for part in ("train", "valid", "test")]
    if not all(part.exists() for part in parts):
        return None
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"{name}-{rows or 'all'}.svm"
    if not path.exists():
        lines = [line for part in parts for line in gzip.open(part)]
        path.write_bytes(b"".join(lines[:rows]))
    return path


def ours(path, problem, threads):
    _, _, _, c, cost_fp, gamma = problem
    command = [str(NEYMAN), "train", "-q", "--json", "--scale", "none", "-C", str(c), "--cost-fp",
               str(cost_fp), "--threads", str(threads), str(path), "-o", str(WORK / "our.model")]
    if gamma:
        command += ["--kernel", "rbf", "--gamma", repr(gamma)]
    return command


def theirs(path, problem):
    _, _, _, c, cost_fp, gamma = problem
    if gamma:
        return ["svm-train", "-m", "400", "-c", str(c), "-g", repr(gamma), "-w-1", str(cost_fp),
                str(path), str(WORK / "their.model")]
    return ["liblinear-train", "-s", "3", "-B", "1", "-e", "0.001", "-c", str(c), "-w-1",
            str(cost_fp), str(path), str(WORK / "their.model")]


def objectives(path, problem):
    own = json.loads(run(ours(path, problem, 0))[1])["dual_objective"]
    found = re.findall(r"(?:obj|Objective value) = (-?[0-9.e+]+)", run(theirs(path, problem))[1])
    return own, -float(found[-1])


rows = []
for problem in PROBLEMS:
    path = data_file(problem[1], problem[2])
    if path is None or not have(theirs(path, problem)[0]):
        print(f"left out: {problem[0]}")
        continue
    own, other = objectives(path, problem)
    medians = interleaved({
        "own": lambda: run(ours(path, problem, 0))[0],
        "one": lambda: run(ours(path, problem, 1))[0],
        "peer": lambda: run(theirs(path, problem))[0],
    })
    rows.append([problem[0], f"{medians['own']:.3f}", f"{medians['one']:.3f}",
                 f"{medians['peer']:.3f}", f"{medians['peer'] / medians['own']:.1f}",
                 f"{medians['peer'] / medians['one']:.1f}", f"{own:.6g}", f"{other:.6g}"])
table(f"training, file to model (medians of {common.RUNS}; seconds)",
      ["problem", "neyman", "1 thread", "peer", "times faster", "with 1 thread", "dual", "peer's"],
      rows)
