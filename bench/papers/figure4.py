"""Figure 4 of Bach, Heckerman and Horvitz (2004), upper half: the three ROC curves of a sample of two bimodal classes, from ten random
half splits. The paper's sample is not in its text; this one is drawn from the densities of figure4_population.c.

    figure4.py [FOLDER]     writes sample.svm, figure4.svg and figure4.png there (default build/papers)

What the figure shows: varying both is above the others everywhere (checked here); varying the asymmetry is usually above
varying the intercept, in the paper's sample not always, in this one throughout; and its curve has stretches below its own convex
envelope: classifiers that are of no use at any cost."""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import NEYMAN, ROOT, run_json  # noqa: E402

ROWS = 400
# of either class: share, mean, covariance
POSITIVE = ((0.7, (0, 3), (0.5, 0, 0.4)), (0.3, (3, -1.2), (1.2, 0, 0.3)))
NEGATIVE = ((0.7, (0, 0), (1.5, 0, 0.5)), (0.3, (3, 2.5), (0.4, 0, 0.5)))


def draw(rng, mixture):
    share, mean, (xx, xy, yy) = mixture[0] if rng.random() < mixture[0][0] else mixture[1]
    u, v = rng.gauss(0, 1), rng.gauss(0, 1)
    first = xx ** 0.5
    return mean[0] + first * u, mean[1] + xy / first * u + (yy - xy * xy / xx) ** 0.5 * v


def height(curve, fpr):
    best = 0
    for a, b in zip(curve, curve[1:]):
        if a["fpr"] <= fpr <= b["fpr"]:
            width = b["fpr"] - a["fpr"]
            best = max(best, b["tpr"] if width == 0 else a["tpr"] + (b["tpr"] - a["tpr"]) * (fpr - a["fpr"]) / width)
    return best


def below_envelope(curve):
    """Points of a curve that a line between two others passes above."""
    hull = []
    for p in curve:
        while len(hull) > 1 and ((hull[-1]["fpr"] - hull[-2]["fpr"]) * (p["tpr"] - hull[-2]["tpr"]) >=
                                 (hull[-1]["tpr"] - hull[-2]["tpr"]) * (p["fpr"] - hull[-2]["fpr"])):
            hull.pop()
        hull.append(p)
    return sum(height(hull, p["fpr"]) > p["tpr"] + 1e-3 for p in curve), len(curve)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "papers")
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(4)
    with open(folder / "sample.svm", "w") as out:
        for i in range(ROWS):
            x, y = draw(rng, POSITIVE if i % 2 else NEGATIVE)
            out.write(f"{1 if i % 2 else -1} 1:{x:.5f} 2:{y:.5f}\n")
    for ending in ("png", "svg"):
        found = run_json([str(NEYMAN), "roc", str(folder / "sample.svm"), "--json", "-q", "--plot",
                          str(folder / f"figure4.{ending}")])
    curves = found["curves"]
    grid = [k / 200 for k in range(1, 200)]
    above = sum(height(curves["asymmetry"], u) > height(curves["intercept"], u) + 1e-3 for u in grid)
    under = sum(height(curves["asymmetry"], u) < height(curves["intercept"], u) - 1e-3 for u in grid)
    assert all(height(curves["both"], u) >= max(height(curves[n], u) for n in ("intercept", "asymmetry")) - 1e-9 for u in grid)
    useless, points = below_envelope(curves["asymmetry"])
    for name in ("intercept", "asymmetry", "both"):
        print(f"area, varying {name}: {found['auc_' + name]:.4f}")
    print(f"varying asymmetry is above varying intercept at {above} and below at {under} of {len(grid)} rates")
    print(f"{useless} of {points} asymmetries lie below the envelope of the others")
    print(f"charts: {folder}")


if __name__ == "__main__":
    main()
