#!/bin/sh
# The order of the rows of a file changes neither the model's scores nor counts nor q-values: rows are learned from in an
# order that their content determines. --training-rows draws whole spectra, likewise whatever their order.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(11)
head = "SpecId\tLabel\tScanNr\tExpMass\tf1\tf2\tf3\tfar\tPeptide\tProteins\n"
rows = []
for scan in range(500):
    true = random.random() < 0.5
    for label in (1, -1):
        up = 2 * (true and label > 0)
        x = [random.gauss(up, 1), 50 * random.gauss(up / 2, 1) + 700, round(random.gauss(up / 3, 1))]
        core = "".join(random.choice("ACDEFGHIL") for _ in range(7)) + "K"
        rows.append(f"s{scan}_{label}\t{label}\t{scan}\t{500 + scan}.5\t{x[0]:.6f}\t{x[1]:.4f}\t{x[2]}\t{1000 + random.gauss(0, 1):.5f}\tR.{core}.A\tP{scan % 60}\n")
for k in range(3):
    open(f"order{k}.pin", "w").write(head + "".join(rows))
    random.shuffle(rows)
PY
# under a sanitizer, two orders
orders="0 1 2"
test "${NEY_TEST_SHARE:-1}" -eq 1 || orders="0 1"
for options in "" "--network 3" "--method online --epochs 3" "--kernel rbf --training-rows 300" "--training-rows 400"; do
    for k in $orders; do
        neyman train --max-fdr 0.05 order$k.pin $options -o m$k -q --json > t$k.json
        neyman qvalues m$k order$k.pin --max-fdr 0.05 --all -q | sort > q$k.tsv
    done
    for k in $orders; do
        cmp q0.tsv q$k.tsv || { echo "$options"; exit 1; }
    done
    test "$(wc -l < q0.tsv)" -gt 200
done

# Fewer rows are learned from, all are scored, and spectra stay whole; the seed draws others.
neyman train --max-fdr 0.05 order0.pin --training-rows 400 -o a -q --json > a.json
neyman train --max-fdr 0.05 order0.pin --training-rows 400 --seed 2 -o b -q --json > b.json
neyman train --max-fdr 0.05 order0.pin --training-rows 100000 -o c -q --json > c.json
neyman train --max-fdr 0.05 order0.pin -o d -q --json > d.json
cmp c d
if cmp -s a d || cmp -s a b; then exit 1; fi
python3 - <<'PY'
import json
a, d = json.load(open("a.json")), json.load(open("d.json"))
assert a["n"] == d["n"] == 1000, (a["n"], d["n"])
assert a["discoveries"] > 0.7 * d["discoveries"] > 50, (a["discoveries"], d["discoveries"])
PY
