#!/bin/sh
# Noise: a model has almost no discoveries among new rows, in every command that scores them.
# Training rows are scored by the fold model that was not trained on them, in every command.
set -eu
command -v python3 > /dev/null || exit 77
python3 - << 'PY'
import random
for kind in "csv", "pin":
    rng = random.Random(17)
    with open(f"noise.{kind}", "w") as out:
        if kind == "csv":
            print("label", *[f"x{k}" for k in range(20)], sep=",", file=out)
        else:
            print("SpecId", "Label", "ScanNr", "ExpMass", *[f"x{k}" for k in range(20)], "Peptide", "Proteins", sep="\t", file=out)
        for i in range(300):
            y, x = 1 if i % 2 else -1, [rng.gauss(0, 1) for _ in range(20)]
            if kind == "csv":
                print(y, *x, sep=",", file=out)
            else:
                print(f"id{i}", y, i // 2, 500, *x, f"PEP{i}", "P", sep="\t", file=out)
PY
for kind in csv pin; do
    for options in '' '--network 3' '--kernel rbf'; do
        neyman train -q --max-fdr 0.05 $options noise.$kind -o m > out
        neyman qvalues -q m noise.$kind --max-fdr 0.05 --json > q.json
        neyman predict -q m noise.$kind --qvalues > p.tsv
        neyman predict -q m noise.$kind --qvalues --json > p.json
        neyman evaluate -q m noise.$kind --json > e.json
        neyman qvalues -q m noise.$kind --all --with-decoys --json --rows > all.json
        python3 - << 'PY'
import json
q, p, e, every = (json.load(open(f"{name}.json")) for name in ("q", "p", "e", "all"))
rows = [line.split("\t") for line in open("p.tsv").read().splitlines()[1:]]
accepted = sum(r[2] == "1" and float(r[3]) <= 0.05 for r in rows)
assert accepted == q["accepted"] <= 8, (accepted, q["accepted"])
score = {k: float(r[1]) for k, r in enumerate(rows, 1)}
value = {k: float(r[3]) for k, r in enumerate(rows, 1)}
for k, s, v in zip(every["rows"]["row"], every["rows"]["score"], every["rows"]["q"]):
    assert score[k] == s and value[k] == v
assert p["scored_out_of_fold"] == e["scored_out_of_fold"] == q["scored_out_of_fold"] == 300
assert p["fdr_control"] == q["fdr_control"] == "estimate" and p["fdr_estimate"] == q["fdr_estimate"]
assert e["fpr_interval"] is None and 0.35 < e["auc"] < 0.65, e["auc"]  # in sample: about 0.7 and more
PY
    done
done
# through a pipe as well
neyman predict -q m --scores - < noise.pin > piped.tsv
neyman predict -q m --scores noise.pin > file.tsv
cmp piped.tsv file.tsv
