#!/bin/sh
# Online training with rejection: close to the optimum of the batch solver, the same from memory and from a
# file, with random features and networks, tuned, and updated.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(12); for (i = 1; i <= 3000; i++) { y = i % 4 == 0
             print (y ? 1 : -1), "1:" rand() + 0.4 * y, "2:" rand() - 0.2 * y, "3:" rand() } }' > d.svm
costs='--cost-fn 3 --reject-cost-fn 0.6 --reject-cost-fp 0.2'
# shellcheck disable=SC2086
train() { neyman train -q --json $costs "$@"; }
train d.svm -o batch > batch.json
train --method online d.svm -o online > online.json
train --features 200 --gamma 2 -C 10 d.svm -o features > features.json
train --network 5 --epochs 3 d.svm -o network > network.json || test $? -eq 5
neyman convert d.svm d.ney > out
train --method online --memory 0.001 d.ney -o stream > stream.json
cmp online stream
neyman info online --json > info.json
neyman update -q online d.svm --epochs 1 -o more > out || test $? -eq 5
neyman info more --json > more.json
# shellcheck disable=SC2086
neyman tune -q --json $costs --method online --grid C=0.1,1 d.svm -o tuned > tuned.json
python3 - <<'PY'
import json, math
files = "batch online features network stream info more tuned".split()
batch, online, features, network, stream, info, more, tuned = (json.load(open(f + ".json")) for f in files)
assert batch["objective"] * (1 - 1e-6) <= online["objective"] <= 1.02 * batch["objective"]
assert online["goal"] == "reject" and online["method"] == "online"
for o in online, features, network, stream:
    assert o["threshold"] == batch["threshold"] and o["threshold_low"] == batch["threshold_low"]
    assert -0.05 < o["cost"] - batch["cost"] < 0.03 and 0 < o["reject_rate"] < 1, o["cost"]
assert online["cost"] == stream["cost"]
for model in info, more:
    facts = model["summary"]
    assert (facts["cost_fn"], facts["reject_cost_fn"], facts["reject_cost_fp"]) == (3, 0.6, 0.2)
    assert facts["goal"] == "reject" and model["threshold"] == batch["threshold"]
assert tuned["criterion"] == "cost" and 0 < tuned["loss"] < 1
PY
neyman train --method online --reject-cost 0.8 --epochs 1 d.svm -o never > out 2> err || test $? -eq 5
grep -q 'rejecting never pays' err
for wrong in '--conformal' '--kernel rbf' '--cost-fn 2 --rule bartlett-wegkamp'; do
    status=0
    # shellcheck disable=SC2086
    neyman train --method online --reject-cost 0.2 $wrong d.svm -o bad > out 2> err || status=$?
    test $status -eq 2; test ! -e bad
done
