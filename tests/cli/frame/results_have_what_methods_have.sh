#!/bin/sh
# A result, a model's summary and `info` hold figures of the method that was used and of no other.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(4); for (i = 1; i <= 300; i++) { y = i % 3 ? -1 : 1
    print y, "1:" rand() + y / 4, "2:" rand() } }' > d.svm
cat > check.py <<'PY'
import json, subprocess
multiplier, ramp, dual = {"lambda"}, {"ramp_fpr", "ramp_fnr"}, {"gap", "dual_objective"}
support, steps = {"support_vectors"}, {"iterations"}
every = multiplier | ramp | dual | support | steps | {"constraint"}
rate = "--max-fpr 0.2 --confidence none "
has = {"": dual | support | steps, "--method activeset": dual | support | steps, "--kernel rbf": dual | support | steps,
       "--method ramp": dual | support | steps,
       rate: multiplier | ramp | dual | support | steps | {"constraint"},
       rate + "--method uzawa": multiplier | ramp | dual | support | steps | {"constraint"},
       rate + "--method convex": dual | support | steps,
       rate + "--method generative": set(), rate + "--method generative --kernel rbf": support,
       rate + "--method chebyshev": set(), rate + "--method perf": dual | steps,
       rate + "--method online --epochs 2": multiplier | ramp | steps,
       rate + "--network 2 --epochs 2": multiplier | ramp | steps,
       "--max-fpr 0.3 --max-fnr 0.3": dual | support | steps,
       "--reject-cost 0.2": dual | support | steps, "--reject-cost 0.2 --method online --epochs 2": steps,
       "--max-fdr 0.2 --network 2": multiplier | steps}
for options, expected in has.items():
    def neyman(line):
        r = subprocess.run(["neyman"] + line.split(), capture_output=True, text=True)
        assert r.returncode in (0, 5), (line, r.stderr)
        return r.stdout
    result = json.loads(neyman(f"train -q --json d.svm -o m {options}"))
    if result["method"] == "feature":
        expected = set()
    found = every & set(result)
    assert found == expected, (options, "missing", expected - found, "too many", found - expected)
    assert not any(result[k] is None for k in found), (options, result)
    text = neyman(f"train -q d.svm -o m {options}")
    for key in every - expected:
        assert not any(line.startswith((key + " ", key.replace("_", " ") + " ")) for line in text.splitlines()), (options, key)
    summary = set(json.loads(neyman("info m --json"))["summary"])
    assert not (every - expected) & summary, (options, summary)
PY
python3 check.py
