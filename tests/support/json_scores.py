"""Scores of rows by a model that `neyman export --format json` wrote: written from doc/reference/formats.md, with
nothing but Python's standard library.

json_scores.py MODEL.json DATA          DATA is a CSV table (.csv) or svmlight text; prints what
                                        `neyman predict --scores` prints, then p_pos and p_neg
                                        where the model is calibrated, then the mean of the folds'
                                        scores where it has any
"""
import bisect
import csv
import json
import math
import struct
import sys

MISSING = {"", "NA", "?", "nan", "NaN"}


def single(x):
    """x rounded to single precision."""
    return struct.unpack("f", struct.pack("f", x))[0]


def number(value):
    return float(value)  # "inf" and "-inf" are texts


def cells_of_table(model, path):
    """One list per row: numbers, None where missing; a feature per category."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    header, rows = rows[0], rows[1:]
    place = [header.index(column["name"]) for column in model["inputs"]]
    for row in rows:
        cells = []
        for column, c in zip(model["inputs"], place):
            if "categories" in column:
                cells += [1.0 if row[c] == name else 0.0 for name in column["categories"]]
            else:
                cells.append(None if row[c] in MISSING else float(row[c]))
        yield cells


def cells_of_svmlight(model, path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [0.0] * (model["cols"] - sum("indicator_of" in f for f in model.get("features", [])))
            for word in line.split()[1:]:
                column, value = word.split(":")
                if int(column) <= len(cells):
                    cells[int(column) - 1] = None if value == "nan" else float(value)
            yield cells


def rank(values, ranks, v):
    """The rank of v: on the line between the two knots around it."""
    k = bisect.bisect_right(values, v)
    if k == 0 or k == len(values):
        return ranks[0 if k == 0 else -1]
    share = (v - values[k - 1]) / (values[k] - values[k - 1])
    return ranks[k - 1] + (ranks[k] - ranks[k - 1]) * share


def features(model, cells):
    """The preprocessing of one row."""
    row = []
    for k, x in enumerate(cells):
        f = model["features"][k]
        v = f["fill"] if x is None else single(x - f.get("shift", 0))
        if "rank" in f:
            v = rank(f["rank_value"], f["rank"], v)
        row.append(single((v - f["offset"]) * f["factor"]))
    for f in model.get("features", [])[len(cells):]:  # whether the cell of another feature is missing
        row.append(1.0 if cells[f["indicator_of"]] is None else 0.0)
    if model["scaling"] == "unit":
        length = math.sqrt(sum(v * v for v in row))
        row = [single(v / length) for v in row] if length > 0 else row
    return row


def kernel(part, x, z):
    product = sum(x[c] * v for c, v in z)
    if part["kernel"] == "rbf":
        distance = sum(v * v for v in x) - 2 * product + sum(v * v for _, v in z)
        return math.exp(-part["gamma"] * max(distance, 0.0))
    if part["kernel"] == "poly":
        return (part["gamma"] * product + part["coef0"]) ** int(part["degree"])
    if part["kernel"] == "sigmoid":
        return math.tanh(part["gamma"] * product + part["coef0"])
    return product


def score(family, part, x):
    if family == "linear":
        total = 0.0
        for v, w in zip(x, part["weights"]):
            total += v * w
        return total + part["intercept"]
    if family == "kernel":
        total = 0.0
        for s in part["support"]:
            z = [(c - 1, v) for c, v in zip(s["columns"], s["values"])]
            total += s["coefficient"] * kernel(part, x, z)
        return total + part["intercept"]
    if family == "features":
        total = 0.0
        for w, p, q in zip(part["frequencies"], part["weights_cos"], part["weights_sin"]):
            angle = sum(a * b for a, b in zip(w, x))
            total += p * math.cos(angle) + q * math.sin(angle)
        return total / math.sqrt(len(part["frequencies"])) + part["intercept"]
    if family == "network":
        activated = {"tanh": math.tanh, "relu": lambda z: max(z, 0.0)}[part["activation"]]
        assert len(part["hidden_weights"]) == part["units"] and len(part.get("hidden_weights_2", [])) == part.get("units_2", 0)
        for layer in ("", "_2"):
            if "hidden_weights" + layer in part:
                x = [activated(b + sum(p * q for p, q in zip(w, x)))
                     for b, w in zip(part["hidden_intercepts" + layer], part["hidden_weights" + layer])]
        return part["intercept"] + sum(p * q for p, q in zip(part["output_weights"], x))
    raise SystemExit(f"unknown family {family}")


def label(model, value):
    high = number(model["threshold"])
    if value >= high:
        return model["positive"]
    return model["negative"] if value < number(model.get("threshold_low", high)) else "reject"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        model = json.load(file)
    assert model["format"] == "neyman-model" and model["version"] == 2
    table = sys.argv[2].endswith(".csv")
    cells = (cells_of_table if table else cells_of_svmlight)(model, sys.argv[2])
    print("predicted\tscore")
    for row in cells:
        x = features(model, row)
        value = score(model["family"], model, x)
        line = [label(model, value), repr(value)]
        calibration = model.get("calibration")
        if calibration:
            pos, neg = calibration["positive"], calibration["negative"]
            line.append(repr((1 + sum(s <= value for s in pos)) / (1 + len(pos))))
            line.append(repr((1 + sum(s >= value for s in neg)) / (1 + len(neg))))
        if "folds" in model:
            parts = model["folds"]["models"]
            line.append(repr(sum(score(model["family"], part, x) for part in parts) / len(parts)))
        print("\t".join(line))


main()
