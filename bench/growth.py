"""Growth of time and memory with the number of rows: n doubled four times, the exponents of the
line that fits best on doubly logarithmic paper. Times are processor seconds of the whole command with one thread,
which other work on the machine changes little. Peak memory is the system's figure for the child,
which is never below that of the Python that started it (some 20 MB).

    growth.py [--svg FILE] [NAME ...]     NAME: the first words of a series; default: all
"""
import math
import statistics
import sys

import common
from common import NEYMAN, RUNS, WORK, generated, measure, table
from svm import data_file

SHRINK = 10 if common.MOST_ROWS else 1  # for trying it out
MODEL, RBF_MODEL = WORK / "growth.model", WORK / "growth-rbf.model"
RATE = ["--max-fpr", "0.05", "--confidence", "none"]


def shared(name):
    return lambda rows: data_file(name, rows)


def sparse(rows):
    return generated(f"sparse-{rows}.svm", rows, 47236, 75)


def train(*options):
    return lambda path: ["train", *options, path, "-o", MODEL]


def tune(path):
    return ["tune", "--fresh", *RATE, "--kernel", "linear", "--method", "annealed", "--grid", "C=0.1:10:3", "--refine", "0",
            path, "-o", MODEL]


def trace(path):
    return ["path", "--to", "1", "1", path]


def predict(path):
    """With a model that is the same for all sizes."""
    if not RBF_MODEL.exists():
        measure([str(NEYMAN), "train", "-q", "--scale", "none", "--kernel", "rbf", "-C", "10", str(data_file("magic", 2000)),
                 "-o", str(RBF_MODEL)])
    return ["predict", RBF_MODEL, path, "-o", WORK / "growth.scores"]


def doubled(largest):
    return [largest // SHRINK >> k for k in (4, 3, 2, 1, 0)]


RBF = ["--kernel", "rbf", "--scale", "none"]
SERIES = {
    "rbf, Adult": (train(*RBF, "--gamma", "0.05"), shared("adult"), doubled(32000)),
    "rbf, Magic": (train(*RBF, "-C", "10", "--gamma", "0.1"), shared("magic"), doubled(16000)),
    "linear, Covertype, 54 columns": (train("-C", "0.1"), shared("covtype_np"), doubled(128000)),
    "linear, generated, 47236 columns": (train("--scale", "none"), sparse, doubled(200000)),
    "bounded rate, Covertype": (train(*RATE), shared("covtype_np"), doubled(64000)),
    "tune, linear, Magic": (tune, shared("magic"), doubled(16000)),
    "path, linear, Magic": (trace, shared("magic"), doubled(8000)),
    "online, generated": (train(*RATE, "--method", "online", "--epochs", "2"), sparse, doubled(200000)),
    "predict, rbf, Magic": (predict, shared("magic"), doubled(16000)),
}


def exponent(sizes, values):
    return statistics.linear_regression([math.log(n) for n in sizes],
                                        [math.log(value) for value in values]).slope


# ---------------------------------------------------------------- plot

WIDTH, HEIGHT, LEFT, BOTTOM, LEGEND = 640, 420, 60, 50, 250
COLOURS = ["#1b6ca8", "#c1440e", "#2e7d32", "#7b1fa2", "#b8860b", "#00838f", "#ad1457", "#455a64", "#6d4c41"]


def text(x, y, what, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{what}</text>'


def decades(values):
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def plot(file, found):
    """found: {name: (sizes, seconds, exponent)}, as lines on doubly logarithmic axes."""
    across = decades([n for sizes, _, _ in found.values() for n in sizes])
    up = decades([s for _, seconds, _ in found.values() for s in seconds])

    def x(n):
        return LEFT + (math.log10(n) - across[0]) / (across[-1] - across[0]) * (WIDTH - LEFT - 20)

    def y(seconds):
        return HEIGHT - BOTTOM - (math.log10(seconds) - up[0]) / (up[-1] - up[0]) * (HEIGHT - BOTTOM - 20)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + LEGEND} {HEIGHT}" font-family="sans-serif" font-size="12">',
           "<title>Processor seconds against rows</title>",
           f'<rect width="{WIDTH + LEGEND}" height="{HEIGHT}" fill="white"/>']
    for k in across:
        out += [f'<path d="M{x(10**k):.1f} 20V{HEIGHT - BOTTOM}" stroke="#ddd"/>', text(x(10**k), HEIGHT - BOTTOM + 18, f"{10**k:,}")]
    for k in up:
        out += [f'<path d="M{LEFT} {y(10.0**k):.1f}H{WIDTH - 20}" stroke="#ddd"/>', text(LEFT - 6, y(10.0**k) + 4, f"{10.0**k:g}", "end")]
    out += [text(WIDTH / 2, HEIGHT - 12, "rows"), text(LEFT, 14, "processor seconds", "start")]
    for k, (name, (sizes, seconds, slope)) in enumerate(found.items()):
        colour = COLOURS[k % len(COLOURS)]
        points = " ".join(f"{x(n):.1f},{y(s):.1f}" for n, s in zip(sizes, seconds))
        out += [f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
                f'<path d="M{WIDTH} {36 + 22 * k}h20" stroke="{colour}" stroke-width="3"/>',
                text(WIDTH + 26, 40 + 22 * k, f"{name}: {slope:.2f}", "start")]
    with open(file, "w") as svg:
        svg.write("\n".join([*out, "</svg>", ""]))


# ---------------------------------------------------------------- all of it

def run_series(name):
    """(sizes, seconds, exponent), or None where the data set is not there."""
    command, source, sizes = SERIES[name]
    paths = [source(n) for n in sizes]
    if None in paths:
        print(f"left out: {name}")
        return None
    found = [[] for _ in sizes]
    for _ in range(RUNS):
        for k, path in enumerate(paths):
            kind, *options = command(path)
            _, spent, memory, _ = measure([str(word) for word in (NEYMAN, kind, "-q", "--threads", "1", *options)])
            found[k].append((spent, memory))
    rows = [[n, *(statistics.median(values) for values in zip(*of))] for n, of in zip(sizes, found)]
    slopes = [exponent(sizes, [row[column] for row in rows]) for column in (1, 2)]
    table(f"growth: {name} (medians of {RUNS})", ["rows", "processor seconds", "peak MB"],
          [[n, f"{s:.3f}", f"{m / 1e6:.0f}"] for n, s, m in rows] + [["exponent", *(f"{slope:.2f}" for slope in slopes)]])
    sys.stdout.flush()
    return sizes, [row[1] for row in rows], slopes[0]


def main():
    words = sys.argv[1:]
    svg = words[words.index("--svg") + 1] if "--svg" in words else None
    wanted = [w for w in words if w not in ("--svg", svg)]
    names = [n for n in SERIES if not wanted or any(n.startswith(w) for w in wanted)]
    found = {name: run_series(name) for name in names}
    if svg:
        plot(svg, {name: result for name, result in found.items() if result})


main()
