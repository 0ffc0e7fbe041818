"""Discoveries of matches, peptides and proteins on the shared search results, and time and memory of many matches.

    discovery.py counts [SET...] [--seeds N] [--out FILE]   counts at four q-values, all spectra and an untouched third of them apart
    discovery.py time [SET...] [--seeds N]                  from PIN to files of matches and peptides beside Percolator, in one run
    discovery.py scale ROWS... [--training-rows N]          generated PIN files of so many rows: seconds and peak memory

counts: spectra whose ScanNr has a SHA-1 hash divisible by 3 are set aside. A model is trained on the others; `developed` counts
these, scored out of fold, and `third` counts the spectra that were set aside. Nothing was chosen by the third. `all` is another
model, of all spectra, scored out of fold.
If NEY_PERCOLATOR is the path of Percolator, it runs beside the program: `-Y` (target-decoy competition), its weights without
training (`--static`) for the third. If NEY_MOKAPOT is a command that runs mokapot, it runs on `all` and `developed`. q-values of every program are computed here from the scores that it writes for the winners:
the running minimum of (D + 1) / T. Levels: matches and peptides; proteins of the program alone, since Percolator wants a FASTA file.
time: processor seconds of one thread each, the programs in turn: `train` and `qvalues` with --results-psms and --results-peptides against `percolator -Y`
that writes the same two files; median and range over seeds.
scale: learning from 100,000 rows at most; rows of psm_tide, repeated with new scan numbers, other peptides, and noise of 0.05 in every feature (bench_psms).
"""
import argparse
import gzip
import hashlib
import os
import pathlib
import statistics
import subprocess

from common import NEYMAN, ROOT, WORK, measure, tool

PERCOLATOR = os.environ.get("NEY_PERCOLATOR")
MOKAPOT = os.environ.get("NEY_MOKAPOT", "").split()
SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
QVALUES = (0.001, 0.005, 0.01, 0.05)
LEVELS = ("psms", "peptides", "proteins")
FAMILIES = {"linear": [], "network 5": ["--network", "5"]}


def set_aside(name):
    """Write the two parts of a set; their paths."""
    parts = [WORK / f"{name}.{part}.pin" for part in ("developed", "third")]
    with gzip.open(SHARED / f"{name}.pin.gz", "rt") as source:
        files = [p.open("w") for p in parts]
        header = next(source)
        scan = header.split("\t").index("ScanNr")
        for file in files:
            file.write(header)
        for line in source:
            if line.startswith("DefaultDirection"):
                continue
            key = hashlib.sha1(line.split("\t")[scan].encode()).hexdigest()
            files[int(key, 16) % 3 == 0].write(line)
        for file in files:
            file.close()
    return parts


def scores(path):
    """Scores of a file of results; of proteins, which have none, their q-values from low to high."""
    with path.open() as rows:
        header = next(rows).rstrip("\n").split("\t")
        name = next((n for n in ("score", "mokapot score") if n in header), None)
        sign, column = (1, header.index(name)) if name else (-1, header.index("q-value"))
        return [sign * float(row.split("\t")[column]) for row in rows]


def count(targets, decoys):
    """Targets with (D + 1) / T, as a running minimum, of at most each q-value."""
    items = sorted([(x, 1) for x in targets] + [(x, 0) for x in decoys])
    n_targets, n_decoys, k, least = len(targets), len(decoys), 0, 1
    found = [0] * len(QVALUES)
    while n_targets > 0 and k < len(items):
        least = min(least, (n_decoys + 1) / n_targets)
        found = [n or (n_targets if least <= q else 0) for n, q in zip(found, QVALUES)]
        score = items[k][0]
        while k < len(items) and items[k][0] == score:
            n_targets -= items[k][1]
            n_decoys -= 1 - items[k][1]
            k += 1
    return found


class Neyman:
    """A family of the program."""

    def __init__(self, folder, options):
        self.folder, self.options, self.model = folder, options, folder / "model"

    def train(self, data, seed):
        return measure([NEYMAN, "train", "--max-fdr", "0.01", "--seed", str(seed), *self.options, "-q", "-o", self.model, data])[1]

    def counts(self, data, static=False):
        """Of each level; rows that were trained on are scored out of fold by themselves."""
        del static
        files = {level: (self.folder / level, self.folder / f"decoy.{level}") for level in LEVELS}
        names = [word for level in LEVELS
                 for word in (f"--results-{level}", files[level][0], f"--decoy-results-{level}", files[level][1])]
        subprocess.run([NEYMAN, "qvalues", self.model, data, "-q", "-o", self.folder / "found", *names], capture_output=True, check=True)
        found = {level: count(scores(t), scores(d)) for level, (t, d) in files.items() if level != "proteins"}
        q = [-x for x in scores(files["proteins"][0])]  # the program's own q-values: the file has no scores
        return found | {"proteins": [sum(x <= limit for x in q) for limit in QVALUES]}


class Percolator:
    def __init__(self, folder):
        self.folder, self.weights = folder, folder / "weights"

    def run(self, data, options):
        f = self.folder
        return measure([PERCOLATOR, "-Y", *options, "-m", f / "psms", "-M", f / "decoy.psms", "-r", f / "peptides", "-B", f / "decoy.peptides", data])[1]

    def train(self, data, seed):
        return self.run(data, ["-S", str(seed), "-w", self.weights])

    def counts(self, data, static=False):
        if static:
            self.run(data, ["-W", self.weights, "--static"])
        return {level: count(scores(self.folder / level), scores(self.folder / f"decoy.{level}")) for level in ("psms", "peptides")}


class Mokapot:
    def __init__(self, folder):
        self.folder = folder

    def train(self, data, seed):
        return measure([*MOKAPOT, data, "--dest_dir", self.folder, "--keep_decoys", "--seed", str(seed), "-v", "0"])[1]

    def counts(self, data, static=False):
        del data
        name = "mokapot.{}{}.txt".format
        return {} if static else {level: count(scores(self.folder / name("", level)), scores(self.folder / name("decoy.", level)))
                                  for level in ("psms", "peptides")}


def programs(folder, only):
    folder.mkdir(parents=True, exist_ok=True)
    found = {family: Neyman(folder, options) for family, options in FAMILIES.items()}
    found |= {"Percolator": Percolator(folder)} if PERCOLATOR else {}
    found |= {"mokapot": Mokapot(folder)} if MOKAPOT else {}
    return {name: program for name, program in found.items() if only in (None, name)}


def whole(name):
    path = WORK / f"{name}.all.pin"
    with gzip.open(SHARED / f"{name}.pin.gz", "rt") as source, path.open("w") as file:
        file.writelines(line for line in source if not line.startswith("DefaultDirection"))
    return path


def counts(sets, seeds, only):
    yield "| set | family | rows | level | " + " | ".join(f"q = {q}" for q in QVALUES) + " | train, processor s |"
    yield "|---|---|---|---|" + "---|" * (len(QVALUES) + 1)
    for name in sets:
        parts = {"all": whole(name), **dict(zip(("developed", "third"), set_aside(name)))}
        for family, program in programs(WORK / f"discovery.{name}", only).items():
            runs, seconds = {}, {}
            for seed in range(1, seeds + 1):
                for part, path in parts.items():
                    if part != "third":
                        seconds.setdefault(part, []).append(program.train(path, seed))
                    for level, n in program.counts(path, static=part == "third").items():
                        runs.setdefault((part, level), []).append(n)
            for part in parts:
                for level in LEVELS:
                    if (part, level) in runs:
                        cells = [f"{statistics.median(x):g} ({min(x)} to {max(x)})" for x in zip(*runs[part, level])]
                        time = f"{statistics.median(seconds[part]):.1f}" if part in seconds and level == "psms" else ""
                        yield f"| {name} | {family} | {part} | {level} | " + " | ".join(cells) + f" | {time} |"


def whole_run(name, seed):
    """Processor seconds of one seed: training, q-values and two files, Percolator."""
    data, model, files = whole(name), WORK / "time.model", [WORK / f"time.{level}" for level in ("psms", "peptides")]
    train = measure([NEYMAN, "train", "--max-fdr", "0.01", "--seed", str(seed), "--threads", "1", "-q", "-o", model, data])[1]
    found = measure([NEYMAN, "qvalues", model, data, "--threads", "1", "-q", "-o", WORK / "found.tsv", "--results-psms", files[0], "--results-peptides", files[1]])[1]
    other = measure([PERCOLATOR, "-Y", "-S", str(seed), "--num-threads", "1", "-m", files[0], "-r", files[1], data])[1]
    return train, found, other


def time(sets, seeds):
    yield "| set | train, s | qvalues, s | Percolator, s | Percolator over the program |"
    yield "|---|---|---|---|---|"
    for name in sets:
        runs = [whole_run(name, seed) for seed in range(1, seeds + 1)]
        columns = [*zip(*runs), [other / (train + found) for train, found, other in runs]]
        yield f"| {name} | " + " | ".join(f"{statistics.median(x):.2f} ({min(x):.2f} to {max(x):.2f})" for x in columns) + " |"


def generate(rows):
    """A PIN file of so many rows."""
    path = WORK / f"psms_{rows}.pin"
    with path.open("w") as file:
        base = gzip.open(SHARED / "psm_tide.pin.gz").read()
        subprocess.run([tool("bench_psms"), str(rows)], input=base, stdout=file, check=True)
    return path


def scale(sizes, training_rows):
    yield "| matches | file, MB | train, processor s | peak, MB | qvalues, processor s | peak, MB | Percolator, processor s | peak, MB |"
    yield "|---|---|---|---|---|---|---|---|"
    for rows in sizes:
        data, model = generate(rows), WORK / "discovery.model"
        train = measure([NEYMAN, "train", "--max-fdr", "0.01", "--training-rows", str(training_rows), "-q", "-o", model, data])
        found = measure([NEYMAN, "qvalues", model, data, "-q", "-o", WORK / "found.tsv", "--results-psms", WORK / "found.psms.tsv",
                         "--results-peptides", WORK / "found.peptides.tsv"])
        other = measure([PERCOLATOR, "-Y", "-N", str(training_rows), "-m", WORK / "found.psms.tsv", "-r", WORK / "found.peptides.tsv", data]) if PERCOLATOR else None
        cells = [f"{x[1]:.1f} | {x[2] / 1e6:.0f}" if x else " | " for x in (train, found, other)]
        yield f"| {rows} | {data.stat().st_size / 1e6:.0f} | " + " | ".join(cells) + " |"
        data.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("counts", "time", "scale"))
    parser.add_argument("of", nargs="*", help="sets, or numbers of rows")
    parser.add_argument("--training-rows", type=int, default=100000)
    parser.add_argument("--only", help="one family or program of counts")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    text = []
    sets = args.of or ("psm", "psm_tide")
    lines = (counts(sets, args.seeds, args.only) if args.what == "counts" else time(sets, args.seeds) if args.what == "time"
             else scale([int(n) for n in args.of] or [20000, 1000000], args.training_rows))
    for line in lines:
        print(line, flush=True)
        text.append(line)
    if args.out:
        args.out.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
