#!/bin/sh
# The keys and numbers of 'asymmetry --json' for N(1, 4) against N(-1, 1), worked out from the closed
# forms of the square loss; the same with the other losses; gamma at its ends; one cost pair.
set -eu
command -v python3 > /dev/null || exit 77
cat > mix.json <<'JSON'
{"p_pos": 0.5,
 "positive": [{"weight": 1, "mean": [1], "cov": [[4]]}],
 "negative": [{"weight": 1, "mean": [-1], "cov": [[1]]}]}
JSON
neyman asymmetry mix.json --gamma 0,1e-12,0.2,0.5,0.99,1 --json > square.json
neyman asymmetry mix.json --loss erf --gamma 1e-12,0.2 --json > erf.json
neyman asymmetry mix.json --loss hinge --gamma 0.01,0.5 --json > hinge.json
neyman asymmetry mix.json --for-cost-fn 1 --for-cost-fp 9 --json > pair.json
neyman asymmetry mix.json --for-cost-fp 9 --json > half.json
python3 - <<'PY'
import json, math
square, erf, hinge, pair, half = (json.load(open(f"{n}.json")) for n in ("square", "erf", "hinge", "pair", "half"))
psi = lambda x: math.erfc(-x / math.sqrt(2)) / 2
for found in (square, erf, hinge):
    for point in found["curve"]:
        assert {"gamma", "w", "b", "fpr", "tpr", "log_slope", "beta"} <= set(point)
    assert found["verdict"] and found["regime_at_0"] and found["regime_at_1"]
assert square["regime_at_0"] == "train-less-extreme" and square["regime_at_1"] == "inconsistent"
at = {p["gamma"]: p for p in square["curve"]}
# (q S+ + S- + q/(q+1) m m') w = 2q/(q+1) m with q = 1/4, m = 2: (1 + 1 + 0.8) w = 0.8
w, b = at[0.2]["w"][0], at[0.2]["b"]
assert abs(w - 2 / 7) < 1e-15 and abs(b - (-0.6 - w * (0.25 - 1) / 1.25)) < 1e-15
assert abs(at[0.2]["fpr"] - psi((b - w) / w)) < 1e-14
assert abs(at[0.2]["tpr"] - psi((b + w) / (2 * w))) < 1e-14
assert abs(at[0.2]["log_slope"] - 2.400602819440054) < 1e-12
assert abs(at[0.2]["beta"] - 1 / (1 + math.exp(at[0.2]["log_slope"]))) < 1e-14
assert abs(at[1e-12]["log_slope"] / 23437500000406250942813.605 - 1) < 1e-14
assert at[0]["w"] == [0] and at[0]["b"] == -1 and at[0]["fpr"] == 0 == at[0]["beta"] and at[0]["log_slope"] is None
assert at[1]["b"] == 1 and at[1]["tpr"] == 1
assert at[0.5]["consistent"] and not at[0.99]["consistent"]
assert [p["gamma"] for p in square["curve"]] == [0, 1e-12, 0.2, 0.5, 0.99, 1]
assert len(square["expansions"]) == 4 and square["limit_at_0"]["direction"] == [2]
assert abs(square["limit_at_0"]["discriminant"] - (1 / 4 - 1 / 16)) < 1e-15
assert square["consistent"][0]["from_gamma"] == 0 and abs(square["consistent"][0]["to_gamma"] - 0.6436) < 1e-3
assert hinge["curve"][0]["w"] == [0] and hinge["curve"][0]["b"] == -1 and hinge["curve"][1]["w"][0] > 0.7
assert len(square["answers"]) == 2 and len(pair["answers"]) == 1
answer = pair["answers"][0]
assert answer["beta"] == 0.1 and abs(answer["gamma"] - 0.2115872) < 1e-5
assert answer["cost"] < answer["cost_same"] < answer["cost_constant"] == 0.05
assert "1:9" in pair["verdict"] and "1:3.73" in pair["verdict"] and "above gamma = 0.6436" in pair["verdict"]
assert "for test costs 9:1 no classifier" in square["verdict"]
assert half["answers"] == pair["answers"]
PY
neyman asymmetry mix.json | head -n 1 > said
grep -q 'To be optimal for test costs 1:9 train with 1:3.73' said
