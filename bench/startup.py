"""Milliseconds from start to end of short commands: help, and training and scoring of 100 rows. Medians of 21 runs."""
import random
import statistics

from common import NEYMAN, WORK, run, table

RUNS = 21
ROWS = 100


def rows_file():
    rng = random.Random(1)
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / "startup.svm"
    with open(path, "w") as out:
        for i in range(ROWS):
            y = 1 if i % 2 else -1
            out.write(f"{y} " + " ".join(f"{j}:{rng.gauss(0.3 * y, 1):.4f}" for j in range(1, 9)) + "\n")
    return path


def main():
    data, model = rows_file(), WORK / "startup.model"
    train = ["train", data, "-o", model, "-q"]
    bounded = [*train, "--max-fpr", "0.1", "--confidence", "none"]
    commands = {"--help": ["--help"], "train": train, "train, rbf": [*train, "--kernel", "rbf"], "train, bounded FPR": bounded,
                "predict": ["predict", model, data, "-o", WORK / "startup.tsv"]}
    rows = []
    for name, command in commands.items():
        seconds = [run([NEYMAN, *command])[0] for _ in range(RUNS)]
        rows.append([name, f"{1e3 * statistics.median(seconds):.1f}", f"{1e3 * min(seconds):.1f}"])
    table(f"start to end, {ROWS} rows, medians of {RUNS}", ["command", "ms", "least"], rows)


if __name__ == "__main__":
    main()
