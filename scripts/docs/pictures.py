#!/usr/bin/env python3
"""pictures.py OUT [NEYMAN DATA]: draw the pictures of the pages (doc/images), with Matplotlib; with the program and the folder of the bundled
data also that of the report, with Chromium."""

import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt # noqa: E402
import numpy as np # noqa: E402
from scipy import stats # noqa: E402

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"
MEANS, THRESHOLD, PER_THOUSAND = (0.0, 2.2), 1.64, (980, 20)


def density(x, mean):
    return np.exp(-0.5 * (x - mean) ** 2) / np.sqrt(2 * np.pi)


def rates(out):
    """The shares of each class beyond a threshold, and what they are of 1000 rows."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), gridspec_kw={"width_ratios": [1.7, 1]})
    x = np.linspace(-3.5, 5.7, 600)
    for mean, colour, name, where in ((MEANS[0], BLUE, "negatives", x >= THRESHOLD), (MEANS[1], ORANGE, "positives", x < THRESHOLD)):
        left.plot(x, density(x, mean), color=colour)
        left.fill_between(x, density(x, mean), where=where, color=colour, alpha=0.35, linewidth=0)
        left.text(mean, 0.42, name, color=colour, ha="center")
    left.axvline(THRESHOLD, color=GREY, linestyle="--")
    left.text(THRESHOLD, 0.5, "threshold", color=GREY, ha="center")
    left.annotate("FPR 5 %:\nnegatives above", (2.0, 0.025), (3.9, 0.27), color=BLUE, ha="center", arrowprops={"arrowstyle": "-", "color": BLUE})
    left.annotate("FNR 29 %:\npositives below", (1.25, 0.12), (-2.2, 0.27), color=ORANGE, ha="center",
                  arrowprops={"arrowstyle": "-", "color": ORANGE})
    left.set(xlabel="score", yticks=[], ylim=(0, 0.55), title="shares of each class")
    right.barh([0, 0], [14, 49], left=[0, 14], color=[ORANGE, BLUE], alpha=0.6)
    right.text(7, 0, "14 true", ha="center", va="center")
    right.text(38, 0, "49 false", ha="center", va="center")
    right.text(31.5, -0.75, "FDR 78 %, precision 22 %", ha="center")
    right.set(yticks=[], xlabel="rows flagged of 1000 (20 positives)", ylim=(-1.1, 0.9), xlim=(0, 63), title="shares of what is flagged")
    for axes in (left, right):
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(out / "rates.svg", metadata={"Date": None})


def certificate(out):
    """What varies under a certificate: the true rate from draw to draw of the held-out rows, and rates of batches."""
    held_out, errors, bound, batch, rate = 1045, 13, 0.02, 500, 0.014
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
    x = np.linspace(0.003, 0.03, 500)
    density_of_rate = stats.beta(errors + 1, held_out - errors).pdf(x)
    left.plot(100 * x, density_of_rate, color=BLUE)
    left.fill_between(100 * x, density_of_rate, where=x <= bound, color=BLUE, alpha=0.3, linewidth=0)
    left.fill_between(100 * x, density_of_rate, where=x >= bound, color=ORANGE, alpha=0.6, linewidth=0)
    left.text(0.3, 100, "at least 95 %\nof all draws", color=BLUE)
    left.text(2.1, 40, "at most 5 %", color=ORANGE)
    left.set(xlabel="true FPR of the certified threshold, %", title="from draw to draw of the held-out rows", yticks=[])
    counts = np.arange(0, 18)
    heights = stats.binom(batch, rate).pmf(counts)
    right.bar(100 * counts / batch, heights, width=0.15, color=[ORANGE if k > bound * batch else BLUE for k in counts], alpha=0.6)
    right.text(2.15, 0.09, "single batches\nexceed the bound", color=ORANGE)
    right.set(xlabel="FPR observed in 500 negatives, %", title=f"from batch to batch, true FPR {100 * rate:.1f} %", yticks=[])
    for axes in (left, right):
        axes.axvline(100 * bound, color=GREY, linestyle="--")
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
    left.text(2.03, left.get_ylim()[1] * 0.93, "bound", color=GREY)
    figure.tight_layout()
    figure.savefig(out / "certificate.svg", metadata={"Date": None})


def choose(out):
    """The decision tree of doc/choose.md."""
    figure, axes = plt.subplots(figsize=(9, 4.3))
    axes.set(xlim=(0, 100), ylim=(0, 62))
    axes.axis("off")

    def box(x, y, text, colour, bold=False):
        axes.text(x, y, text, ha="center", va="center", fontsize=9.5, color="black", weight="bold" if bold else "normal",
                  bbox={"boxstyle": "round,pad=0.45", "facecolor": colour, "edgecolor": GREY, "linewidth": 0.8})

    def line(x0, y0, x1, y1, text):
        axes.annotate("", (x1, y1), (x0, y0), arrowprops={"arrowstyle": "->", "color": GREY})
        axes.text((x0 + x1) / 2, (y0 + y1) / 2, text, ha="center", va="center", fontsize=8.5, color=GREY,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})

    box(50, 58, "What do you have?", "white", bold=True)
    line(44, 55, 14, 45, "scores of another program")
    line(50, 55, 50, 45, "labelled rows")
    line(56, 55, 86, 45, "targets and decoys")
    box(14, 42, "neyman certify", "#CDE4F3")
    box(50, 42, "What do you answer for?", "white", bold=True)
    box(86, 42, "--max-fdr", "#CDE4F3")
    for x, text, where in ((10, "one error rate", 16), (36, "both rates, unclear\nrows to a person", 16), (63, "costs of errors", 16),
                           (90, "not known yet", 16)):
        line(50 + (x - 50) * 0.15, 38.5, x, where + 5.5, text)
    box(10, 16, "--max-fpr for false alarms\n--max-fnr for misses", "#CDE4F3")
    box(36, 16, "--max-fpr\n--max-fnr", "#CDE4F3")
    box(63, 16, "--cost-fn --cost-fp\n--reject-cost", "#CDE4F3")
    box(90, 16, "neyman roc,\nthen pick", "#CDE4F3")
    for x, text in ((10, "certified"), (36, "certified"), (63, "least cost;\nmeasured by evaluate"), (90, "all costs and\nthresholds at once")):
        axes.text(x, 6, text, ha="center", va="center", fontsize=8.5, color=BLUE)
    axes.text(14, 36, "certified", ha="center", fontsize=8.5, color=BLUE)
    axes.text(86, 36, "theorem or estimate: the result says which", ha="center", fontsize=8.5, color=BLUE)
    figure.tight_layout(pad=0.3)
    figure.savefig(out / "choose.svg", metadata={"Date": None})


def report(out, neyman, data):
    """The report of the model of README.md in Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            subprocess.run([neyman, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        run("train", "-q", "--max-fpr", "0.02", "--trees", "auto", "--label", "type", "--positive", "spam",
            data / "spambase-train.csv.gz", "-o", "spam.model")
        run("report", "-q", "spam.model", data / "spambase-test.csv.gz", "-o", "report.html")
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1180,1125", "--virtual-time-budget=5000",
                        f"--screenshot={out / 'report.png'}", f"file://{folder}/report.html"], check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    plt.rcParams.update({"svg.hashsalt": "neyman", "svg.fonttype": "none", "font.size": 11, "font.family": "sans-serif"})
    folder = pathlib.Path(sys.argv[1]).resolve()
    rates(folder)
    certificate(folder)
    choose(folder)
    if len(sys.argv) > 2:
        report(folder, *(pathlib.Path(word).resolve() for word in sys.argv[2:4]))
