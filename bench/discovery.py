"""Discoveries of matches, peptides and proteins on the shared search results, and time and memory of many matches.

    discovery.py counts [--seeds N] [--out FILE]     counts at four q-values, an untouched third of the spectra apart
    discovery.py scale ROWS... [--out FILE]          generated PIN files of so many rows: seconds and peak memory

counts: spectra whose ScanNr has a SHA-1 hash divisible by 3 are set aside. A model is trained on the others; `developed` counts
these, scored out of fold, and `third` counts the spectra that were set aside. Nothing was chosen by the third.
scale: rows of psm_tide, repeated with new scan numbers, other peptides of the same length, and noise of 0.05 in every feature.
"""
import argparse
import gzip
import hashlib
import os
import pathlib
import random
import statistics
import subprocess

from common import NEYMAN, ROOT, WORK, measure

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


def count(model, data):
    """Accepted targets for each level and q-value."""
    files = {level: WORK / f"found.{level}.tsv" for level in LEVELS}
    names = [word for level in LEVELS for word in (f"--results-{level}", str(files[level]))]
    done = subprocess.run([NEYMAN, "qvalues", model, data, "-q", "-o", WORK / "found.tsv", *names], capture_output=True, text=True, check=False)
    if done.returncode != 0:  # without proteins that begin with one prefix
        done = subprocess.run([NEYMAN, "qvalues", model, data, "-q", "-o", WORK / "found.tsv", *names[:4]], capture_output=True, text=True, check=True)
        files.pop("proteins")
    found = {}
    for level, path in files.items():
        with path.open() as rows:
            column = next(rows).rstrip("\n").split("\t").index("q-value")
            q = [float(row.split("\t")[column]) for row in rows]
        found[level] = [sum(x <= limit for x in q) for limit in QVALUES]
    return found


def counts(seeds):
    yield "| set | family | rows | level | " + " | ".join(f"q = {q}" for q in QVALUES) + " |"
    yield "|---|---|---|---|" + "---|" * len(QVALUES)
    for name in ("psm", "psm_tide"):
        parts = set_aside(name)
        for family, options in FAMILIES.items():
            runs = {}
            for seed in range(1, seeds + 1):
                model = WORK / "discovery.model"
                subprocess.run([NEYMAN, "train", "--max-fdr", "0.01", "--seed", str(seed), *options, "-q", "-o", model, parts[0]],
                               capture_output=True, check=True)
                for part, path in zip(("developed", "third"), parts):
                    for level, n in count(model, path).items():
                        runs.setdefault((part, level), []).append(n)
            for (part, level), n in sorted(runs.items()):
                cells = [f"{statistics.median(x):g} ({min(x)} to {max(x)})" for x in zip(*n)]
                yield f"| {name} | {family} | {part} | {level} | " + " | ".join(cells) + " |"


def generate(rows):
    """A PIN file of so many rows."""
    path = WORK / f"psms_{rows}.pin"
    rng = random.Random(1)
    with gzip.open(SHARED / "psm_tide.pin.gz", "rt") as source:
        header = next(source)
        base = [line.rstrip("\n").split("\t") for line in source]
    names = header.rstrip("\n").split("\t")
    scan, peptide, first = names.index("ScanNr"), names.index("Peptide"), names.index("ExpMass") + 1
    numbers = [[float(x) for x in row[first:peptide]] for row in base]
    noise = [rng.gauss(0, 0.05) for _ in range(1 << 16)]
    codes = str.maketrans("ACDEFGHILMNPQSTVWY", "CADEFGHILMNPQSTVYW")
    with path.open("w") as file:
        file.write(header)
        for k in range(rows):
            copy, at = divmod(k, len(base))
            row, shift = list(base[at]), rng.randrange(1 << 16)
            row[0] = f"r{k}"
            row[scan] = str(int(row[scan]) + 100000 * copy)
            row[first:peptide] = [f"{x + noise[(shift + 31 * j) & 0xffff]:.5g}" for j, x in enumerate(numbers[at])]
            if copy:  # a number of the copy as residues: other peptides of the same first and last residue
                core = row[peptide]
                middle = "".join("ACDEFGHILMNPQSTVWY"[copy // 18 ** j % 18] for j in range(3))
                row[peptide] = core[:3] + middle + core[3:].translate(codes if copy & 1 else {})
            file.write("\t".join(row) + "\n")
    return path


def scale(sizes):
    yield "| matches | file, MB | train, processor s | peak, MB | qvalues, processor s | peak, MB |"
    yield "|---|---|---|---|---|---|"
    for rows in sizes:
        data, model = generate(rows), WORK / "discovery.model"
        train = measure([NEYMAN, "train", "--max-fdr", "0.01", "-q", "-o", model, data])
        found = measure([NEYMAN, "qvalues", model, data, "-q", "-o", WORK / "found.tsv", "--results-psms", WORK / "found.psms.tsv",
                         "--results-peptides", WORK / "found.peptides.tsv"])
        yield (f"| {rows} | {data.stat().st_size / 1e6:.0f} | {train[1]:.1f} | {train[2] / 1e6:.0f} | {found[1]:.1f} | {found[2] / 1e6:.0f} |")
        data.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("counts", "scale"))
    parser.add_argument("rows", nargs="*", type=int, default=[20000, 1000000])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    text = []
    for line in counts(args.seeds) if args.what == "counts" else scale(args.rows):
        print(line, flush=True)
        text.append(line)
    if args.out:
        args.out.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
