"""Growth of time and memory with the number of rows: n doubled three times, the exponents of the
line that fits best on doubly logarithmic paper. Peak memory is the system's figure for the child,
which is never below that of the Python that started it (some 20 MB)."""
import json
import math
import statistics

import common
from common import RUNS, generated, measure, table
from svm import Problem, data_file, ours

SHRINK = 10 if common.MOST_ROWS else 1  # for trying it out


def adult(rows):
    return data_file("adult", rows)


def sparse(rows):
    return generated(f"sparse-{rows}.svm", rows, 47236, 75)


SERIES = [
    ("rbf, Adult", Problem("", "adult", 1, 0.05), adult, [4000, 8000, 16000, 32000]),
    ("linear, generated", Problem("", "", 1), sparse, [50000, 100000, 200000, 400000]),
]


def exponent(sizes, values):
    return statistics.linear_regression([math.log(n) for n in sizes],
                                        [math.log(value) for value in values]).slope


def main():
    for name, problem, source, sizes in SERIES:
        sizes = [n // SHRINK for n in sizes]
        paths = [source(n) for n in sizes]
        if None in paths:
            print(f"left out: {name}")
            continue
        seconds, busy, peak = ([[] for _ in sizes] for _ in range(3))
        for _ in range(RUNS):
            for k, path in enumerate(paths):
                spent, cpu, memory, out = measure(ours(path, problem))
                seconds[k].append(spent)
                busy[k].append(cpu)
                peak[k].append(memory)
                assert json.loads(out)["converged"]
        rows = [[n, *(statistics.median(values[k]) for values in (seconds, busy, peak))]
                for k, n in enumerate(sizes)]
        slopes = [exponent(sizes, [row[column] for row in rows]) for column in (1, 2, 3)]
        table(f"growth: {name} (medians of {RUNS})",
              ["rows", "seconds", "processor seconds", "peak MB"],
              [[n, f"{s:.3f}", f"{c:.3f}", f"{m / 1e6:.0f}"] for n, s, c, m in rows] +
              [["exponent", *(f"{slope:.2f}" for slope in slopes)]])


main()
