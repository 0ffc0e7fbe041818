"""Convert a public data set to svmlight parts, for scripts/fetch_data.sh.

    convert_data.py list [SET ...]              the names of the sets
    convert_data.py address SET                 where it is published
    convert_data.py convert SET FILE FOLDER     FOLDER/SET.{train,valid,test}.svm.gz
    convert_data.py fingerprint SET FOLDER      of parts that are there: what data_sets.json stores as "check"

A set is checked before it is written: the numbers of rows of each class, and the SHA-256 of its rows as numbers, or the sums of its
columns over each class after scaling."""
import gzip
import hashlib
import json
import math
import pathlib
import random
import subprocess
import sys

SETS = json.loads((pathlib.Path(__file__).with_name("data_sets.json")).read_text())


def read_text(path):
    if path.endswith((".gz", ".Z")):  # gzip reads both
        return subprocess.run(["gzip", "-dc"], stdin=open(path, "rb"), stdout=subprocess.PIPE, check=True).stdout.decode()
    return pathlib.Path(path).read_text()


def is_number(cell):
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def read_rows(name, path):
    """(label, features) of the rows of the two classes; rows with a missing cell are left out."""
    s = SETS[name]
    rows = []
    for line in read_text(path).splitlines():
        cells = line.replace(",", " ").split()
        if not cells:
            continue
        label = s["label"] % len(cells)
        word = cells[label].rstrip(".")
        if word not in s["positive"] and "negative" in s and word not in s["negative"]:
            continue
        numbers = [cell for k, cell in enumerate(cells) if k != label and k not in s.get("drop", [])]
        if all(map(is_number, numbers)):
            rows.append((1 if word in s["positive"] else -1, [float(cell) for cell in numbers]))
    if not rows or len({len(x) for _, x in rows}) != 1:
        raise ValueError("its rows differ in length, or there are none")
    return rows


def content_hash(rows):
    """SHA-256 of the rows as numbers, in sorted order: spaces, line ends and the order of the file do not matter."""
    text = "\n".join(sorted(f"{y:+d} " + " ".join(f"{v:.9g}" for v in x) for y, x in rows))
    return hashlib.sha256(text.encode()).hexdigest()


def scaled(rows, how, columns=None):
    """Standard scores, or [-1, 1], by the statistics of all rows; the first `columns` columns."""
    for j in range(len(rows[0][1]) if columns is None else columns):
        values = [x[j] for _, x in rows]
        if how == "standard":
            middle = math.fsum(values) / len(values)
            half = math.sqrt(math.fsum((v - middle) ** 2 for v in values) / len(values))
        elif how == "minmax":
            middle, half = (max(values) + min(values)) / 2, (max(values) - min(values)) / 2
        else:
            return rows
        for _, x in rows:
            x[j] = (x[j] - middle) / half if half else 0.0
    return rows


def class_sums(rows):
    """The mean of every column over the positives less that over the negatives."""
    count = {y: sum(label == y for label, _ in rows) for y in (1, -1)}
    return [round(sum(x[j] / count[y] * y for y, x in rows), 4) for j in range(len(rows[0][1]))]


def differences(name, raw_hash, rows):
    """What does not agree with data_sets.json, as text; empty: all agrees."""
    check = SETS[name].get("check", {})
    positives = sum(y > 0 for y, _ in rows)
    found = {"positives": positives, "negatives": len(rows) - positives, "sha256": raw_hash}
    wrong = [f"{key} {found[key]}, expected {check[key]}" for key in found if key in check and found[key] != check[key]]
    sums = check.get("class_means")
    if sums and (len(sums) != len(rows[0][1]) or any(abs(a - b) > 2e-3 for a, b in zip(sums, class_sums(rows)))):
        wrong.append("the means of its classes differ from those expected")
    return "; ".join(wrong)


def write_parts(name, rows, folder):
    shares = (2, 1, 1) if SETS[name]["parts"] == 3 else (3, 0, 1)
    parts, rng = {"train": [], "valid": [], "test": []}, random.Random(2011)
    for label in (1, -1):
        mine = [row for row in rows if row[0] == label]
        rng.shuffle(mine)
        cuts = [round(len(mine) * sum(shares[:k]) / 4) for k in range(4)]
        for part, a, b in zip(parts, cuts, cuts[1:]):
            parts[part] += mine[a:b]
    for part, mine in parts.items():
        if not mine:
            continue
        rng.shuffle(mine)
        lines = (f"{y:+d} " + " ".join(f"{j + 1}:{v:.6g}" for j, v in enumerate(x) if v != 0) for y, x in mine)
        path = pathlib.Path(folder) / f"{name}.{part}.svm.gz"
        with gzip.GzipFile(path, "wb", mtime=0) as out:
            out.write("".join(line + "\n" for line in lines).encode())


def convert(name, path, folder):
    rows = read_rows(name, path)
    raw_hash = content_hash(rows)
    rows = scaled(rows, SETS[name]["scale"], SETS[name].get("columns"))
    wrong = differences(name, raw_hash, rows)
    if wrong:
        raise ValueError(wrong)
    write_parts(name, rows, folder)


def fingerprint(name, folder):
    rows = []
    for path in sorted(pathlib.Path(folder).glob(f"{name}.*.svm.gz")):
        for line in gzip.open(path, "rt"):
            label, *cells = line.split()
            rows.append((int(label), {int(c.split(":")[0]): float(c.split(":")[1]) for c in cells}))
    cols = max(max(x, default=0) for _, x in rows)
    dense = [(y, [x.get(j + 1, 0.0) for j in range(cols)]) for y, x in rows]
    positives = sum(y > 0 for y, _ in rows)
    return {"positives": positives, "negatives": len(rows) - positives, "class_means": class_sums(dense)}


def main():
    word, *rest = sys.argv[1:]
    if word == "list":
        unknown = [name for name in rest if name not in SETS]
        if unknown:
            sys.exit(f"fetch_data: unknown set {', '.join(unknown)}; there are {', '.join(SETS)}")
        print("\n".join(rest or SETS))
    elif word == "address":
        print(SETS[rest[0]]["address"])
    elif word == "convert":
        try:
            convert(*rest)
        except (ValueError, OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"fetch_data: {rest[0]}: {rest[1]} is not the data set expected: {error}")
    elif word == "fingerprint":
        print(json.dumps(fingerprint(*rest)))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
