#!/bin/sh
# Few discoveries, and a share of decoys among them that no lambda brings down in one of the folds:
# the search ends at the lambda from which on nothing changes (100 / q), not at 1e14.
set -eu
python3 - > a.pin << 'EOF'
import random
rng = random.Random(66)
print("SpecId\tLabel\tScanNr\tExpMass\ta\tb\tc\td\tPeptide\tProteins")
for scan in range(1500):
    real = rng.random() < 0.4
    for label in (1, -1):
        up = 2.0 if real and label > 0 else 0
        x = [rng.gauss(up, 1), rng.gauss(up / 2, 1), rng.gauss(-up / 2, 1), rng.gauss(0, 1)]
        print(f"s{scan}_{label}", label, scan, 500, *x, "PEP", "P", sep="\t")
EOF
neyman train --json --max-fdr 0.01 a.pin -o m > out.json 2> err
grep -q "no multiplier keeps the rate" err
python3 - << 'EOF'
import json
o = json.load(open("out.json"))
# of three folds, one or more at the top: the mean tells
assert o["converged"] and 3000 < o["lambda"] < 10001 and o["gap"] < 1, o
EOF
