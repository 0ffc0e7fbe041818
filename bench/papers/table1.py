"""Table 1 of Bach, Heckerman and Horvitz (2004): the cost of a linear classifier trained with the testing asymmetry gamma against the
best of all asymmetries and thresholds, C+ = 2 gamma, C- = 2 (1 - gamma), ten random half splits, costs times 100.

    table1.py [SET ...]     data from ../shared/data, or NEY_SHARED

C+ + C- of the one asymmetry is chosen on the same rows as the best of all asymmetries and thresholds. As in the paper the other half
both chooses and evaluates ("validation"): there all asymmetries win by construction, since the one is among them. On the right
half of that half chooses and the other half evaluates ("test"), with the difference one - all and the 95 % t interval of its mean over
all half splits of this data set (given the data, splits are independent draws; nothing is said about other samples). gamma is the paper's.
Sets of more than 2000 rows are cut to 2000, drawn at random."""
import gzip
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import NEYMAN, ROOT, run_json, table  # noqa: E402

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
PAPER = {"pima": (0.68, "41 +- 0.4", "22 +- 1"), "breast": (0.99, "0.9 +- 0.03", "0.09 +- 0.04"),
         "ionosphere": (0.82, "10 +- 0.5", "4 +- 0.8"), "liver": (0.32, "27 +- 1.8", "23.8 +- 0.02"),
         "ringnorm": (0.94, "6.3 +- 0.06", "4.3 +- 0.1"), "twonorm": (0.16, "15 +- 0.2", "1.2 +- 0.2"),
         "adult": (0.70, "12.8 +- 0.8", "11.5 +- 0.3")}
SPLITS, MOST = 10, 2000
C_MAX = 100
TOTALS = [C_MAX * 10 ** (-k / 5) for k in range(26)]  # of C+ + C- for the one asymmetry: five a decade, five decades


def rows_of(name):
    lines = []
    for part in ("train", "valid", "test"):
        path = SHARED / f"{name}.{part}.svm.gz"
        if path.exists():
            lines += gzip.open(path, "rt").read().splitlines()
    random.Random(2004).shuffle(lines)
    return lines[:MOST]


def halves(lines, seed):
    """Two halves, each class by itself."""
    rng, out = random.Random(seed), ([], [])
    for negative in (False, True):
        rows = [line for line in lines if line.startswith("-") == negative]
        rng.shuffle(rows)
        out[0].extend(rows[:len(rows) // 2])
        out[1].extend(rows[len(rows) // 2:])
    return out


def cost(gamma, share, fpr, tpr):
    return 100 * (2 * gamma * share * (1 - tpr) + 2 * (1 - gamma) * (1 - share) * fpr)


def write_rows(folder, **files):
    for name, rows in files.items():
        (folder / name).write_text("\n".join(rows) + "\n")


def share_of(rows):
    return sum(not row.startswith("-") for row in rows) / len(rows)


def all_asymmetries(folder, gamma, share, test):
    """Costs of the cheapest point of the envelope on the rows that choose, and of the same classifier on the test rows."""
    command = [str(NEYMAN), "roc", str(folder / "train"), "--valid", str(folder / "valid"), "--json", "-q", "--cost-fn", str(2 * gamma),
               "--cost-fp", str(2 * (1 - gamma)), "--c-max", str(C_MAX)] + (["--test", str(folder / "test")] if test else [])
    both = run_json(command)["curves"]["both"]
    best = min(both, key=lambda p: cost(gamma, share, p["fpr"], p["tpr"]))
    return cost(gamma, share, best["fpr"], best["tpr"]), cost(gamma, share, best["test_fpr"], best["test_tpr"]) if test else None


def one_asymmetry(folder, gamma, share, test):
    """The same for C+ : C- = gamma : 1 - gamma, each with its own threshold, C+ + C- being chosen."""
    subprocess.run([str(NEYMAN), "path", "-q", str(folder / "train"), "--to", repr(C_MAX * gamma), repr(C_MAX * (1 - gamma)), "-o",
                    str(folder / "path")], check=True, stdout=subprocess.DEVNULL)

    def cost_at(total, rows):
        subprocess.run([str(NEYMAN), "pick", "-q", str(folder / "path"), "--at", repr(total * gamma), repr(total * (1 - gamma)),
                        "-o", str(folder / "model")], check=True, stdout=subprocess.DEVNULL)
        rates = run_json([str(NEYMAN), "evaluate", "-q", "--json", str(folder / "model"), str(folder / rows)])
        return cost(gamma, share, rates["fpr"], 1 - rates["fnr"])

    seen = [(cost_at(total, "valid"), total) for total in TOTALS]
    best = min(seen)
    return best[0], cost_at(best[1], "test") if test else None


def explore(folder, gamma, train, valid, test=None):
    """The costs at gamma, one asymmetry and all: on the rows that choose, and on those that do not."""
    write_rows(folder, train=train, valid=valid, **({"test": test} if test else {}))
    share = share_of(valid)
    one, both = one_asymmetry(folder, gamma, share, test), all_asymmetries(folder, gamma, share, test)
    return {"valid": (one[0], both[0]), "test": (one[1], both[1])}


def mean_error(values):
    n = len(values)
    mean = sum(values) / n
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)


def text(values):
    mean, error = mean_error(values)
    return f"{mean:.3g} +- {error:.2g}"


def main():
    rows = []
    for name in sys.argv[1:] or PAPER:
        gamma, paper_one, paper_all = PAPER[name]
        lines = rows_of(name)
        seen, judged = [], []
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            for seed in range(1, SPLITS + 1):
                train, other = halves(lines, seed)
                seen.append(explore(folder, gamma, train, other)["valid"])
                valid, test = halves(other, 1000 + seed)
                judged.append(explore(folder, gamma, train, valid, test)["test"])
        difference = [one - both for one, both in judged]
        mean, error = mean_error(difference)
        rows.append([name, len(lines), gamma, paper_one, paper_all, text([s[0] for s in seen]), text([s[1] for s in seen]),
                     text([j[0] for j in judged]), text([j[1] for j in judged]),
                     f"{mean:.2g} [{mean - 2.26 * error:.2g}, {mean + 2.26 * error:.2g}]"])
        print(" | ".join(map(str, rows[-1])), flush=True)
    table("Table 1, costs times 100", ["set", "rows", "gamma", "paper: one", "all", "validation: one", "all", "test: one", "all",
                                       "one - all"], rows)


if __name__ == "__main__":
    main()
