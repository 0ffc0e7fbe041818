#!/bin/sh
# The online method over six decades of C, including small values, where its steps are too short for the
# intercept: the multiplier stays inside its range, and the training objective is close to that of the
# batch method for C up to 1. It never reports convergence: it ends when checks no longer improve
# (doc/adr/0026).
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(7); for (i = 0; i < 1500; i++) { y = i % 3 ? -1 : 1
             print y, "1:" rand() + rand() + 0.7 * (y > 0), "2:" rand() - rand(), "3:" rand() * (1 + (y > 0)) } }' > d.svm
NEY_BENCH_DIR="$PWD/bench" NEY_PROGRAM="$(command -v neyman)" python3 - "$DATA/../bench" <<'PY'
import os, sys
sys.path.insert(0, sys.argv[1])
import np_quality as q
q.WORK.mkdir(parents=True, exist_ok=True)
program = os.environ["NEY_PROGRAM"]
for rate in 0.02, 0.1:
    for cost in 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000:
        online = q.measure(program, "d.svm", "online", "linear", rate, cost)
        batch = q.measure(program, "d.svm", "annealed", "linear", rate, cost)
        assert online["lambda"] < 0.5 / rate, (rate, cost, online)
        assert not online["converged"] and online["stop"] in ("checks", "epochs"), (rate, cost, online)
        assert online["J"] <= 1.25 * batch["J"] or cost > 1, (rate, cost, online, batch)
        assert batch["J"] <= 1.02 * online["J"], (rate, cost, online, batch)
PY
