"""Scoring: neyman predict against svm-predict, one model of LIBSVM's and one file for both.

Labels must be the same but for rows that rounding to single precision may turn.
"""
from common import RUNS, WORK, have, interleaved, run, table
from svm import THEIR_MODEL, Claims, Problem, NEYMAN, data_file, theirs

MOST_TURNED = 1e-4
PROBLEMS = [
    Problem("Magic", "magic", 10, 0.1),
    Problem("Adult, model of 20000 rows", "adult", 1, 0.05, rows=20000),
]


def labels_of(path):
    return [float(line) for line in path.read_text().splitlines()]


def main():
    claims, rows = Claims(), []
    for problem in PROBLEMS:
        train, every = data_file(problem.data, problem.rows), data_file(problem.data)
        if train is None or not have("svm-predict"):
            print(f"left out: {problem.name}")
            continue
        run(theirs(train, problem))
        mine, peer = WORK / "our.labels", WORK / "their.labels"
        own = [str(NEYMAN), "predict", "-q", str(THEIR_MODEL), str(every), "-o", str(mine)]
        other = ["svm-predict", str(every), str(THEIR_MODEL), str(peer)]
        seconds = interleaved({
            "own": lambda: run(own)[0],
            "one": lambda: run([*own, "--threads", "1"])[0],
            "peer": lambda: run(other)[0],
        })
        left, right = labels_of(mine), labels_of(peer)
        turned = sum(a != b for a, b in zip(left, right))
        wrong = claims.check(len(left) == len(right) and turned <= MOST_TURNED * len(right),
                             f"{problem.name}: {turned} of {len(right)} labels differ")
        rows.append([problem.name, len(right), f"{seconds['own']:.3f}", f"{seconds['one']:.3f}",
                     f"{seconds['peer']:.3f}", f"{seconds['peer'] / seconds['own']:.1f}",
                     f"{seconds['peer'] / seconds['one']:.1f}", f"{turned}{wrong}"])
    table(f"scoring, file to labels (seconds, medians of {RUNS})",
          ["model", "rows", "neyman", "1 thread", "svm-predict", "times faster", "with 1 thread",
           "labels that differ"], rows)
    claims.settle()


main()
