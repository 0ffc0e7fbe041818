#!/bin/sh
# pick --max-fnr: the lowest FPR among the choices whose FNR is within the bound.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(2); for (i = 0; i < 150; i++) { y = i % 3 == 0; printf "%d 1:%g 2:%g\n", y ? 1 : -1, rand() + 0.5 * y, rand() } }' > d.svm
neyman roc -q --json d.svm --splits 2 --regular 0 --c-max 1 --save-path p > roc.json
neyman pick -q --json p --max-fnr 0.3 -o a > a.json
neyman pick -q --json p --max-fnr 0.05 -o b > b.json
neyman pick -q --json p --max-fnr 1 -o c > c.json
neyman pick -q --json p --max-fpr 0.2 -o d > d.json
if neyman pick p --max-fnr 0.1 --max-fpr 0.1 -o x > out 2> message; then exit 1; else test $? = 2; fi
python3 - <<'PY'
import json
a, b, c = (json.load(open(f + ".json")) for f in "abc")
assert a["fnr"] <= 0.3 and b["fnr"] <= 0.05 and c["fnr"] <= 1
assert c["fpr"] <= a["fpr"] <= b["fpr"]
assert "--max-fnr 0.3" in a["warnings"][0] and "the FNR may exceed it" in a["warnings"][0]

# The random choice between two neighbours of the envelope: the line between them, at the bound.
hull = [(v["fpr"], 1 - v["tpr"]) for v in json.load(open("roc.json"))["curves"]["both"]]
def between(x, along, across):
    for p, q in zip(hull, hull[1:]):
        if min(p[along], q[along]) <= x <= max(p[along], q[along]) and p[along] != q[along]:
            return p[across] + (x - p[along]) / (q[along] - p[along]) * (q[across] - p[across])
mixed = [(a, 0.3, 1, 0), (b, 0.05, 1, 0), (json.load(open("d.json")), 0.2, 0, 1)]
keys = ["mixture_fpr", "mixture_fnr"]
assert any("mixture_share" in m[0] for m in mixed)
for result, bound, along, across in mixed:
    if "mixture_share" in result:
        assert 0 < result["mixture_share"] < 1 and abs(result[keys[along]] - bound) < 1e-9
        assert abs(result[keys[across]] - between(bound, along, across)) < 1e-9
        assert result[keys[across]] <= result[["fpr", "fnr"][across]]
assert "mixture_share" not in c
PY
# A bound that a choice meets but for rounding leaves no row to the next one.
neyman pick -q --json p --max-fnr "$(python3 -c 'import json; print(json.load(open("a.json"))["fnr"] + 1e-13)')" -o e > e.json
if grep -q mixture_share e.json; then cat e.json; exit 1; fi
