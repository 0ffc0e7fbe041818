#!/bin/sh
# The two rules of symmetric costs share the training; options that contradict each other are refused.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(4); for (i = 1; i <= 300; i++) print (i % 2 ? 1 : -1), "1:" rand() + 0.4 * (i % 2) }' > d.svm
neyman train -q --json --reject-cost 0.24 d.svm -o g > g.json
neyman train -q --json --reject-cost 0.24 --rule bartlett-wegkamp d.svm -o b > b.json
neyman train -q --json --reject-cost 0.6 --cost-fn 3 --cost-fp 3 --rule bartlett-wegkamp --delta0 0.3 d.svm -o s > s.json
python3 - <<'PY'
import json, math
g, b, s = (json.load(open(f + ".json")) for f in "gbs")
h = lambda r: -r * math.log(r) - (1 - r) * math.log(1 - r)
assert g["objective"] == b["objective"]
assert abs(b["threshold"] - 0.5 * h(0.24) / 0.24) < 1e-12 and b["threshold_low"] == -b["threshold"]
assert abs(g["threshold"] - math.log(0.76 / 0.24)) < 1e-12
assert abs(b["threshold"] - g["threshold"]) < 0.01  # they meet at 0.24
assert abs(s["threshold"] - 0.3 * h(0.2) / 0.2) < 1e-12
PY
refuse() {
    words=$1
    shift
    status=0
    neyman train "$@" d.svm -o bad > out 2> err || status=$?
    if test $status -ne 2 || test -e bad || ! grep -q -- "$words" err; then
        echo "$*: exit $status"; cat err
        exit 1
    fi
}
refuse 'equal costs' --reject-cost 0.2 --cost-fn 2 --rule bartlett-wegkamp
refuse 'from r = 0.2 to 1 - r = 0.8' --reject-cost 0.2 --rule bartlett-wegkamp --delta0 0.1
refuse 'applies to --rule bartlett-wegkamp' --reject-cost 0.2 --delta0 0.5
refuse '--rule applies to --reject-cost' --rule bartlett-wegkamp
refuse 'rejecting a negative is missing' --reject-cost-fn 0.2
refuse '--reject-cost applies to goals with costs, or to --max-fpr with --max-fnr' --reject-cost 0.2 --max-fpr 0.1
refuse '--method uzawa applies to --max-fpr' --reject-cost 0.2 --method uzawa
refuse 'definite kernel' --reject-cost 0.2 --method activeset --kernel sigmoid
refuse '--method activeset applies to costs, --reject-cost or --max-fpr with --max-fnr' --max-fpr 0.1 --method activeset
refuse 'need a confidence' --max-fpr 0.1 --max-fnr 0.1 --confidence none
refuse 'expected 2 or more' --conformal-folds 1
# both solvers
for kernel in linear rbf; do
    for method in auto activeset; do
        neyman train -q --json --cost-fn 3 --reject-cost-fn 1 --reject-cost-fp 0.2 --kernel $kernel --tol 1e-10 \
            --method $method d.svm -o m > $method.json
    done
    python3 - <<'PY'
import json
a, b = (json.load(open(m + ".json")) for m in ("auto", "activeset"))
assert b["method"] == "activeset" and b["converged"] and abs(a["objective"] - b["objective"]) < 1e-8 * a["objective"]
assert 0 <= b["gap"] < 1e-8 * a["objective"]
PY
done
