#!/bin/sh
# Few discoveries: every fit meets the bound at a finite multiplier. Decoys equal to the targets: no
# score function accepts a target and meets the bound; this is a result, not a failure.
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
if grep -q "no score function" err; then
    exit 1
fi
python3 - << 'EOF'
import json
o = json.load(open("out.json"))
assert o["converged"] and 0 < o["lambda"] < 100 and o["gap"] < 1, o
EOF
python3 - > same.pin << 'EOF'
import random
rng = random.Random(66)
print("SpecId\tLabel\tScanNr\tExpMass\ta\tb\tPeptide\tProteins")
for scan in range(100):
    x = [rng.gauss(0, 1), rng.gauss(0, 1)]
    for label in (1, -1):
        print(f"s{scan}_{label}", label, scan, 500, *x, "PEP", "P", sep="\t")
EOF
for kernel in linear rbf; do
    neyman train --json --kernel $kernel --max-fdr 0.05 same.pin -o m > out.json 2> err
    grep -q "in 3 of 3 fits no score function was found that accepts a training target" err
    python3 - << 'EOF'
import json
o = json.load(open("out.json"))
assert o["converged"] and o["lambda"] == 0 and o["gap"] < 1e-9 and o["discoveries_svm"] == 0, o
assert abs(o["objective"] - 200 / 3) < 1e-6, o  # C times the targets of a fit: none is accepted
EOF
done
