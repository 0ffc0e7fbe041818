#!/bin/sh
# Real data on which earlier versions ended far above solutions that they had found (Magic), or in a poor local
# optimum (Page Blocks): the training objective of the annealed method is at most that of Uzawa's, and at
# most that of the SVM at the same C with a moved threshold, up to 2 %.
set -eu
command -v python3 > /dev/null || exit 77
shared="${NEY_SHARED:-$DATA/../../shared/data}"
test -r "$shared/magic.train.svm.gz" || exit 77
export NEY_SHARED="$shared" NEY_BENCH_DIR="$PWD/bench" NEY_PROGRAM="$(command -v neyman)"
python3 - "$DATA/../bench" <<'PY'
import os, sys
sys.path.insert(0, sys.argv[1])
import np_quality as q
q.WORK.mkdir(parents=True, exist_ok=True)
program = os.environ["NEY_PROGRAM"]
for name, rate, cost in ("magic", 0.01, 1), ("page_blocks", 0.01, 1), ("page_blocks", 0.01, 10):
    data = q.thinned(name, 3000)
    found = {m: q.measure(program, data, m, "linear", rate, cost) for m in ("annealed", "uzawa", "convex")}
    a, u, c = (found[m]["J"] for m in ("annealed", "uzawa", "convex"))
    assert found["annealed"]["converged"] and a <= 1.02 * u and a <= c, (name, rate, cost, a, u, c)
PY
