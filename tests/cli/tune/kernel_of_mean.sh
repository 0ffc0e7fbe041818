#!/bin/sh
# The kernel of the model is the one whose five best points, of both methods, have the least mean loss. The least loss
# of all is another kernel's here. --average 1: the best point alone.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(7); print "a,b,kind"
    for (i = 1; i <= 240; i++) { p = i % 4 > 0; r = (p ? 1 : 0.4) + rand(); u = 6.2831853 * rand()
        printf "%g,%g,%s\n", r * cos(u), r * sin(u), p ? "yes" : "no" } }' > d.csv
for n in 10 1; do
    neyman tune -q --json --max-fpr 0.1 --confidence none --kernel rbf --average $n --folds 3 --refine 0 --no-extend \
        --grid 'C=0.1:10:3 gamma=0.03:30:7' --label kind d.csv -o m > out$n.json
    mv m.tune.tsv table$n
done
python3 - <<'PY'
import csv, json
from collections import defaultdict
points = defaultdict(list)
for r in csv.DictReader(open("table10"), delimiter="\t"):
    points[r["method"], r["gamma"], r["C"], r["cost_fp"]].append(float(r["loss"]))
losses = defaultdict(list)
for (_, gamma, *_), of_fold in points.items():
    losses[gamma].append(sum(of_fold) / len(of_fold))
by_mean = min(losses, key=lambda g: sum(sorted(losses[g])[:5]) / 5)
by_best = min(losses, key=lambda g: min(losses[g]))
assert by_mean != by_best, (by_mean, {g: sorted(v)[:5] for g, v in losses.items()})
ten, one = (json.load(open(f"out{n}.json")) for n in (10, 1))
assert ten["gamma"] == float(by_mean) and abs(ten["loss"] - min(losses[by_mean])) < 1e-12, (ten["gamma"], by_mean)
assert one["gamma"] == float(by_best) and one["averaged"] == 1, (one["gamma"], by_best)
PY
