"""What the benchmarks of training share: data sets, commands of ours and of the peers, objectives.

Data: the folder that NEY_SHARED names, or ../shared/data beside the tree. A whole set is its parts
one after the other, a sample its first rows.
"""
import gzip
import json
import os
import pathlib
import re
import sys
from dataclasses import dataclass

from common import MOST_ROWS, NEYMAN, ROOT, WORK, made, run, tool

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
OUR_MODEL, THEIR_MODEL = WORK / "our.model", WORK / "their.model"


@dataclass
class Problem:
    name: str
    data: str
    C: float
    gamma: float = 0  # 0: linear
    cost_fp: float = 1
    rows: int = None  # None: all
    cache: int = 0  # megabytes; 0: ours by default, theirs 400


def data_file(name, rows=None):
    """The path of a set's text; None where the set is not there."""
    if MOST_ROWS:
        rows = min(rows or MOST_ROWS, MOST_ROWS)
    if name == "few":  # few support vectors
        return made(f"few-{rows or 30000}.svm", [tool("bench_clusters"), rows or 30000, 29, 1])
    if name == "news":
        return made(f"news-{rows or 20000}.svm", [tool("bench_generate"), rows or 20000, 10000, 100, 1])
    if name == "large":  # 0.9 GB
        return made(f"large-{rows or 781265}.svm",
                    [tool("bench_generate"), rows or 781265, 47236, 75, 1])
    parts = [SHARED / f"{name}.{part}.svm.gz" for part in ("train", "valid", "test")]
    if not all(part.exists() for part in parts):
        return None
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"{name}-{rows or 'all'}.svm"
    if not path.exists():
        lines = [line for part in parts for line in gzip.open(part)]
        path.write_bytes(b"".join(lines[:rows]))
    return path


def ours(path, problem, threads=0, *more):
    command = [str(NEYMAN), "train", "-q", "--json", "--scale", "none", "-C", str(problem.C),
               "--cost-fp", str(problem.cost_fp), "--threads", str(threads), str(path), "-o",
               str(OUR_MODEL), *more]
    if problem.gamma:
        command += ["--kernel", "rbf", "--gamma", repr(problem.gamma)]
    if problem.cache:
        command += ["--cache", str(problem.cache)]
    return command


def theirs(path, problem, tolerance="0.001"):
    costs = ["-c", str(problem.C), "-w-1", str(problem.cost_fp), "-e", tolerance]
    if problem.gamma:
        return ["svm-train", "-m", str(problem.cache or 400), "-g", repr(problem.gamma), *costs,
                str(path), str(THEIR_MODEL)]
    return ["liblinear-train", "-s", "3", "-B", "1", *costs, str(path), str(THEIR_MODEL)]


def dual_objectives(path, problem):
    """Ours and LIBSVM's, and what our run tells beside it."""
    told = json.loads(run(ours(path, problem))[1])
    found = re.findall(r"obj = (-?[0-9.e+-]+)", run(theirs(path, problem))[1])
    return told["dual_objective"], -float(found[-1]), told


def primal_objective(model, path, problem):
    """Of a linear model, with the intercept that suits its weights best."""
    out = run([tool("bench_objective"), str(model), str(path), str(problem.C),
               str(problem.cost_fp)])[1]
    return json.loads(out)["best_intercept"]


class Claims:
    """What must hold whatever the times are; the program fails at its end where it did not."""

    def __init__(self):
        self.broken = []

    def check(self, holds, what):
        if not holds:
            self.broken.append(what)
        return "" if holds else "WRONG"

    def settle(self):
        if self.broken:
            sys.exit("\n".join(["objectives or labels are not what they must be:", *self.broken]))
