#!/usr/bin/env python3
"""pictures.py OUT: draw the pictures of the concept pages (doc/images), with Matplotlib."""

import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt # noqa: E402
import numpy as np # noqa: E402

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


if __name__ == "__main__":
    plt.rcParams.update({"svg.hashsalt": "neyman", "svg.fonttype": "none", "font.size": 11, "font.family": "sans-serif"})
    rates(pathlib.Path(sys.argv[1]))
