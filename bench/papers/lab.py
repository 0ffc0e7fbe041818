"""What the experiments of the papers share: data, running neyman, a store of results, statistics, pages."""
import gzip
import json
import math
import multiprocessing
import os
import pathlib
import resource
import sys
import tempfile
import time

import numpy as np
from scipy import stats

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import ROOT, measure  # noqa: E402

NEYMAN = os.environ.get("NEYMAN", str(ROOT / "build" / "neyman"))
STORE = pathlib.Path(os.environ.get("NEY_PAPERS_DIR", ROOT / "build" / "papers"))
SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))

# ---------------------------------------------------------------- data


def data_folder():
    """Where the data sets are: those beside the repository, or those that scripts/fetch_data.sh fetched."""
    return SHARED if SHARED.is_dir() else STORE / "data"


def lines_of(name, parts=("train", "valid", "test")):
    """The svmlight lines of a data set, its parts one after the other."""
    lines = []
    for part in parts:
        path = data_folder() / f"{name}.{part}.svm.gz"
        if path.exists():
            with gzip.open(path, "rt") as file:
                lines += file.read().splitlines()
    if not lines:
        raise FileNotFoundError(f"no data set {name} in {data_folder()}: run scripts/fetch_data.sh")
    return lines


def has_data(name):
    return any(data_folder().glob(f"{name}.*.svm.gz"))


def arrays(lines, cols=None):
    """Features and labels of svmlight lines as dense arrays."""
    cells = [line.split() for line in lines]
    cols = cols or max(int(cell.partition(":")[0]) for row in cells for cell in row[1:])
    x, y = np.zeros((len(cells), cols)), np.empty(len(cells))
    for i, row in enumerate(cells):
        y[i] = float(row[0])
        for cell in row[1:]:
            k, _, v = cell.partition(":")
            x[i, int(k) - 1] = float(v)
    return x, y


def to_lines(x, y):
    return [" ".join([f"{int(label):+d}"] + [f"{j + 1}:{v:.8g}" for j, v in enumerate(row) if v != 0]) for row, label in zip(x, y)]


def split(lines, shares, seed):
    """Parts of the rows in the given shares, each class by itself."""
    rng, parts = np.random.default_rng(seed), [[] for _ in shares]
    ends = np.cumsum(shares) / sum(shares)
    for negative in (False, True):
        rows = [line for line in lines if line.startswith("-") == negative]
        order = rng.permutation(len(rows))
        cuts = [0, *(round(end * len(rows)) for end in ends)]
        for part, a, b in zip(parts, cuts, cuts[1:]):
            part.extend(rows[i] for i in order[a:b])
    return [[part[i] for i in rng.permutation(len(part))] for part in parts]


# ---------------------------------------------------------------- neyman


class Folder:
    """A temporary folder with data files, where neyman runs with one thread."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def write(self, **files):
        for name, lines in files.items():
            (self.path / name).write_text("\n".join(lines) + "\n")

    def run(self, *words, codes=(0, 5)):
        """Processor seconds and text of one command. Files of this folder are written as @NAME."""
        command = [NEYMAN, *(str(self.path / word[1:]) if str(word).startswith("@") else str(word) for word in words)]
        _, seconds, _, out = measure(command, codes)
        return seconds, out

    def json(self, *words, codes=(0, 5)):
        seconds, out = self.run(*words, "--json", "-q", codes=codes)
        return {**json.loads(out), "cpu": seconds}

    def scores(self, model, rows, *options):
        """Scores and labels (+1, -1) of the rows under a model."""
        _, out = self.run("predict", "-q", "--scores", *options, model, rows)
        header, *body = out.splitlines()
        names = header.split("\t")
        at, label = names.index("score"), names.index("label")
        cells = [line.split("\t") for line in body]
        return np.array([float(c[at]) for c in cells]), np.array([float(c[label]) for c in cells])


# ---------------------------------------------------------------- rates


def rates(score, label, threshold=0.0, positive=1):
    """FPR and FNR of 'positive where score >= threshold'."""
    said, truth = score >= threshold, label == positive
    return float(np.mean(said[~truth])), float(np.mean(~said[truth]))


def threshold_for(score, label, bound, positive=1):
    """The least threshold at which the FPR is at most the bound."""
    other = np.sort(score[label != positive])[::-1]
    allowed = math.floor(bound * len(other) + 1e-9)
    return np.nextafter(other[allowed], np.inf) if allowed < len(other) else -np.inf


# ---------------------------------------------------------------- statistics


def mean_interval(values, level=0.95):
    """The mean and its t interval over independent splits of one data set."""
    values = np.asarray(values, float)
    mean = float(values.mean())
    if len(values) < 2:
        return mean, math.nan, math.nan
    half = stats.t.ppf((1 + level) / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return mean, mean - float(half), mean + float(half)


def half_width(values):
    """Half the length of mean_interval(); 0 for a single split."""
    mean, _, high = mean_interval(values)
    return 0.0 if math.isnan(high) else high - mean


def wilcoxon(a, b):
    """p-value of the paired signed-rank test that the papers use; 1 where all pairs are equal."""
    difference = np.asarray(a, float) - np.asarray(b, float)
    if not np.any(difference):
        return 1.0
    return float(stats.wilcoxon(difference).pvalue)


def envelope(points):
    """The upper convex envelope of ROC points (fpr, tpr), from (0, 0) to (1, 1)."""
    hull = []
    for p in sorted({(0.0, 0.0), (1.0, 1.0), *((float(u), float(v)) for u, v in points)}):
        while len(hull) > 1 and (hull[-1][0] - hull[-2][0]) * (p[1] - hull[-2][1]) >= \
                (hull[-1][1] - hull[-2][1]) * (p[0] - hull[-2][0]):
            hull.pop()
        if hull and hull[-1][0] == p[0]:
            hull[-1] = p if p[1] > hull[-1][1] else hull[-1]
        else:
            hull.append(p)
    return hull


def height(curve, u):
    """The TPR of a curve of points in ascending FPR at the FPRs u; the highest where it is vertical."""
    xs, ys = np.array([p[0] for p in curve]), np.maximum.accumulate(np.array([p[1] for p in curve]))
    last = np.append(xs[1:] > xs[:-1], True)
    return np.interp(u, xs[last], ys[last])


# ---------------------------------------------------------------- the store


def cached(unit):
    """The result of a unit (folder, name, function, parameters), computed once and kept as JSON."""
    folder, name, function, parameters = unit
    path = pathlib.Path(folder) / f"{name}.json"
    if path.exists():
        kept = json.loads(path.read_text())
        if kept["parameters"] == json.loads(json.dumps(parameters)):
            return name, kept
    begin, used = time.monotonic(), cpu_seconds()
    kept = {"parameters": parameters, "result": function(**parameters)}
    kept["seconds"], kept["cpu"] = round(time.monotonic() - begin, 2), round(cpu_seconds() - used, 2)
    path.parent.mkdir(parents=True, exist_ok=True)
    part, text = path.with_suffix(".part"), json.dumps(kept, indent=1, default=np.generic.item) + "\n"
    part.write_text(text)
    part.rename(path)
    return name, json.loads(text)


def cpu_seconds():
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def run_units(units, folder, jobs):
    """{name: what cached() gives} of all units (name, function, parameters), several at once."""
    units = [(str(folder), *unit) for unit in units]
    done = {}
    if jobs == 1:
        results = map(cached, units)
    else:
        pool = multiprocessing.Pool(jobs)
        results = pool.imap_unordered(cached, units)
    for name, kept in results:
        done[name] = kept
        print(f"papers: {len(done)} of {len(units)}, {name}, {kept['cpu']} s", file=sys.stderr, flush=True)
    return done


class Results:
    """The results of the units of a paper, by name."""

    def __init__(self, kept):
        self.kept = kept

    def __getitem__(self, name):
        return self.kept[name]["result"]

    def parameters(self, name):
        return self.kept[name]["parameters"]

    def names(self, start):
        return sorted(name for name in self.kept if name.startswith(start))

    def all(self, start):
        return [self[name] for name in self.names(start)]

    def cpu(self, start):
        return sum(self.kept[name]["cpu"] for name in self.names(start))


# ---------------------------------------------------------------- pages


def number(value, digits=3):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def interval(values, digits=3, within=(-math.inf, math.inf)):
    """'mean [low, high]' over splits, cut to the values that can occur, or the single value."""
    mean, low, high = mean_interval(values)
    if math.isnan(low):
        return number(mean, digits)
    return f"{number(mean, digits)} [{number(max(low, within[0]), digits)}, {number(min(high, within[1]), digits)}]"


def rate_interval(values, digits=2):
    return interval(values, digits, (0.0, 1.0))


def table(header, rows):
    lines = ["| " + " | ".join(map(str, header)) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


REPRODUCED, PARTLY, NOT = "reproduced", "partly", "not reproduced"


def verdict(checks):
    """checks: [(what must hold, whether it does)]. All: reproduced; some: partly; none: not reproduced."""
    held = [bool(ok) for _, ok in checks]
    word = REPRODUCED if all(held) else PARTLY if any(held) else NOT
    return word, "; ".join(f"{what}: {'yes' if ok else 'no'}" for what, ok in checks)


class Page:
    """A page with one section per table or figure of a paper, and a list of verdicts at the top."""

    def __init__(self, title, intro, folder):
        self.title, self.intro, self.folder, self.sections, self.list = title, intro, folder, [], []

    def item(self, name, claim, protocol, checks, body=(), figure=None, cpu=None):
        """checks as for verdict(). figure: (file, text)."""
        word, reason = verdict(checks)
        self.list.append((name, word, "" if cpu is None else f"{cpu:.0f}"))
        lines = [f"## {name}", f"**Claim.** {claim}", f"**Protocol.** {protocol}", *body]
        if figure:
            lines.append(f"![{figure[1]}]({figure[0]})")
        lines.append(f"**Verdict: {word}.** {reason[0].upper()}{reason[1:]}.")
        self.sections.append("\n\n".join(lines))

    def note(self, title, *body):
        self.sections.append("\n\n".join([f"## {title}", *body]))

    def text(self):
        rule = ("A verdict follows from the conditions that are listed with it: all hold, reproduced; some hold, partly; none holds, "
                "not reproduced. Intervals are 95 % t intervals of the mean over splits of the data set named, cut to values that can occur; "
                "they say nothing about other samples. Times are processor seconds of one run; they depend on the machine and on what else it does.")
        summary = table(("table or figure", "verdict", "processor seconds"),
                        [(f"[{name}](#{anchor(name)})", word, cpu) for name, word, cpu in self.list])
        return "\n\n".join([f"# {self.title}", *self.intro, rule, summary, *self.sections]) + "\n"

    def write(self, name):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(self.text())


def anchor(heading):
    """The anchor that Markdown gives a heading."""
    kept = "".join(c for c in heading.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


# ---------------------------------------------------------------- charts

COLOURS = ["#1f5fa8", "#c8501e", "#2e8b57", "#7a4ea3", "#8a8a8a", "#b8860b", "#202020"]


def chart(path, panels, columns=2, size=(3.2, 2.4)):
    """panels: [(title, x label, y label, [(name, xs, ys, style)], options)]. style: a matplotlib format; options: xscale, yscale, xlim, ylim, linear_below, legend."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt, ticker
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "neyman", "font.size": 8, "axes.spines.top": False,
                         "axes.spines.right": False, "lines.linewidth": 1.2, "path.simplify_threshold": 0.5})
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False)
    for axis in axes.flat[len(panels):]:
        axis.axis("off")
    for axis, (title, xlabel, ylabel, series, options) in zip(axes.flat, panels):
        for k, (name, xs, ys, style) in enumerate(series):
            axis.plot(xs, ys, style, label=name, color=COLOURS[k % len(COLOURS)], markersize=5 if style in ("+", "x") else 3)
        axis.set(title=title, xlabel=xlabel, ylabel=ylabel)
        for key in ("xscale", "yscale", "xlim", "ylim"):
            if key in options:
                axis.set(**{key: options[key]})
        if "linear_below" in options:  # symlog axes
            axis.set_xscale("symlog", linthresh=options["linear_below"])
            axis.set_yscale("symlog", linthresh=options["linear_below"])
        for key, part in (("xscale", axis.xaxis), ("yscale", axis.yaxis)):
            if options.get(key) == "log":  # 0.05 instead of 5 x 10^-2
                part.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if key == "yscale" else (1,)))
                part.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
                part.set_minor_formatter(ticker.NullFormatter())
        if any(name for name, *_ in series) and options.get("legend", True):
            axis.legend(frameon=False, fontsize=7)
    figure.tight_layout()
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
