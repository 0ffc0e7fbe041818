#!/bin/sh
# `path --json` keeps its contract, is optimal at every breakpoint, and `pick` gives the model that
# training gives there.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(5); for (i = 1; i <= 120; i++) { y = i % 3 ? -1 : 1; printf "%d", y
    for (j = 1; j <= 4; j++) printf " %d:%.3g", j, 2 * rand() - 1 + y / 4
    print "" } }' > a.svm
head -n 30 a.svm >> a.svm
for kernel in linear rbf poly; do
    case $kernel in
    linear) shape= ;;
    rbf) shape="--gamma 0.5" ;;
    poly) shape="--gamma 0.5 --coef0 1 --degree 2" ;;
    esac
    neyman path -q --json a.svm --kernel $kernel $shape --from 0 0 --to 6 3 \
        -o $kernel.path > $kernel.json
    neyman pick -q --json $kernel.path --at 4 2 -o $kernel.model > $kernel.pick
    neyman train -q --json a.svm --kernel $kernel $shape -C 2 --cost-fn 2 \
        --tol 1e-9 -o trained.model > $kernel.train
    neyman predict $kernel.model a.svm --scores -o $kernel.tsv
    neyman predict trained.model a.svm --scores -o trained.tsv
    python3 - $kernel <<'PY'
import json, sys
name = sys.argv[1]
path, pick, train = (json.load(open(f"{name}.{e}")) for e in ("json", "pick", "train"))
points = path["breakpoints"]
keys = ["c_plus", "c_minus", "objective", "intercept", "margin", "left", "right", "kkt_residual"]
assert all(list(p) == keys for p in points), points[0]
assert len(points) == path["n_breakpoints"] > 50
assert all(p["kkt_residual"] < 1e-9 and p["margin"] + p["left"] + p["right"] == 150 for p in points)
assert (points[0]["c_plus"], points[-1]["c_plus"], points[-1]["c_minus"]) == (0, 6, 3)
assert all(a["c_plus"] <= b["c_plus"] and a["objective"] <= b["objective"] + 1e-12
           for a, b in zip(points, points[1:]))
assert abs(pick["objective"] / train["objective"] - 1) < 1e-8, (pick, train)
ours, theirs = ([float(l.split("\t")[1]) for l in open(f + ".tsv").read().splitlines()[1:]]
                for f in (name, "trained"))
assert max(abs(a - b) for a, b in zip(ours, theirs)) < 1e-5
PY
done
neyman info rbf.path | grep -q '^kind of file  *path'
neyman info rbf.path --json | grep -q '"to_c_plus":[^0-9]*6'
