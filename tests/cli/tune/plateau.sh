#!/bin/sh
# Separable classes: many points of the grid have a loss of 0. The choice is in their middle, the grid does not grow, and the
# thresholds of the folds agree: no held-out row is misclassified beyond the bound.
set -eu
command -v python3 > /dev/null || exit 77
python3 - << 'EOF'
import random
for seed in range(4):
    rng = random.Random(seed)
    with open(f"set{seed}.csv", "w") as out:
        print("a,b,c,y", file=out)
        for i in range(60):
            y = rng.random() < 0.5
            print(*(f"{rng.gauss(mean, 1):.6f}" for mean in (6 if y else -6, 0, 0)), int(y), sep=",", file=out)
EOF
for seed in 0 1 2 3; do
    neyman tune -q --json --max-fpr 0.05 --confidence none --label y set$seed.csv -o m > out$seed.json
    neyman tune -q --json --cost-fn 2 --cost-fp 1 --label y set$seed.csv -o m > cost$seed.json
done
python3 - << 'EOF'
import json
for name in [f"{kind}{seed}.json" for kind in ("out", "cost") for seed in range(4)]:
    result = json.load(open(name))
    assert result["loss"] == 0 and result["valid_fnr"] == 0 and result["valid_fpr"] <= 0.05, (name, result)
    assert result["extensions"] == 0 and not result["at_edge"], (name, result)
EOF
