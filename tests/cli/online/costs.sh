#!/bin/sh
# Costs and both bounded rates with --method online: close to the batch solver, the same bytes from memory, from a cache and after
# an interruption, for all families; update keeps costs, bounds and confidence.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(12); for (i = 1; i <= 4000; i++) { y = i % 4 == 0
             print (y ? 1 : -1), "1:" rand() + 0.4 * y, "2:" rand() - 0.2 * y, "3:" rand() } }' > d.svm
awk 'BEGIN { srand(13); for (i = 1; i <= 4000; i++) { y = i % 4 == 0
             print (y ? 1 : -1), "1:" rand() + 0.4 * y, "2:" rand() - 0.2 * y, "3:" rand() } }' > more.svm
neyman convert d.svm d.ney > out
costs='--cost-fn 5 --cost-fp 2'
both='--max-fpr 0.1 --max-fnr 0.05 --confidence 0.9'
for goal in costs both; do
    # shellcheck disable=SC2154
    case $goal in costs) options=$costs ;; both) options=$both ;; esac
    # shellcheck disable=SC2086
    train() { neyman train -q --json $options "$@"; }
    train d.svm -o $goal.batch > $goal.batch.json
    train --method online d.svm -o $goal.online > $goal.online.json
    train --method online --memory 0.001 d.ney -o stream > out
    cmp $goal.online stream
    train --features 100 --gamma 2 -C 10 d.svm -o features > $goal.features.json
    train --features 100 --gamma 2 -C 10 --memory 0.001 d.ney -o stream > out
    cmp features stream
    train --network 5 --epochs 3 d.svm -o network > $goal.network.json || test $? -eq 5
    status=0; train --method online --max-iter 9000 --checkpoint point d.svm -o m > out 2> err || status=$?
    test $status -eq 5
    train --method online --checkpoint point --resume d.svm -o m > out
    cmp $goal.online m
    # the checkpoint is of these costs or bounds
    case $goal in costs) options='--cost-fn 5 --cost-fp 3' ;; both) options='--max-fpr 0.1 --max-fnr 0.06 --confidence 0.9' ;; esac
    status=0; train --method online --checkpoint point --resume d.svm -o bad > out 2> err || status=$?
    test $status -eq 3; test ! -e bad
    grep -q 'other data or' err
    rm point
    for model in batch online; do
        neyman update -q --json $goal.$model more.svm --epochs 2 -o $goal.$model.more > $goal.$model.more.json || test $? -eq 5
    done
    neyman info --json $goal.online.more > $goal.info.json
done
neyman update -q --json both.online more.svm --epochs 1 --max-fpr 0.2 -o wider > wider.json || test $? -eq 5
neyman update -q --json costs.online more.svm --epochs 1 --reject-cost 0.3 -o rejecting > rejecting.json || test $? -eq 5
# the cost of rejection that follows from the others may be below the least that an option takes
neyman train -q --method online $both --cost-fn 2e-12 d.svm -o tiny > out || test $? -eq 5
neyman info --json tiny > tiny.json
neyman update -q tiny more.svm --epochs 1 -o tinier > out || test $? -eq 5
neyman info --json tinier > tinier.json
# a stated one is kept
neyman train -q --method online $both --reject-cost-fn 0.1 d.svm -o stated > out || test $? -eq 5
neyman update -q stated more.svm --epochs 1 -o again > out || test $? -eq 5
neyman info --json again > again.json
# shellcheck disable=SC2086
neyman tune -q --json $costs --method online --grid C=0.1,1 d.svm -o tuned > tuned.json
python3 - << 'PY'
import json
def read(name):
    return json.load(open(name + ".json"))
batch, online = read("costs.batch"), read("costs.online")
assert batch["objective"] * (1 - 1e-6) <= online["objective"] <= 1.02 * batch["objective"], (batch["objective"], online["objective"])
assert (online["goal"], online["method"], online["threshold"], online["stop"]) == ("cost", "online", 0, "checks")
assert "lambda" not in online and "steps" not in online
cost = lambda r: 5 * r["fnr"] * r["n_pos"] + 2 * r["fpr"] * r["n_neg"]
for name in "online", "features", "network", "online.more", "batch.more":
    r = read("costs." + name)
    assert r["goal"] == "cost" and cost(r) < 1.1 * cost(batch), (name, cost(r), cost(batch))
for name in "tiny", "tinier":
    facts = read(name)["summary"]
    assert (facts["training_cost_fn"], facts["training_cost_fp"]) == (2e-12, 1) and "training_reject_cost_fn" not in facts, facts
facts = read("again")["summary"]
assert facts["training_reject_cost_fn"] == 0.1 and "training_reject_cost_fp" not in facts, facts
facts = read("costs.info")["summary"]
assert (facts["cost_fn"], facts["cost_fp"], facts["goal"]) == (5, 2, "cost")
assert read("rejecting")["goal"] == "reject" and read("rejecting")["cost_fn"] == 5

batch = read("both.batch")
for name in "online", "features", "network", "online.more", "batch.more":
    r = read("both." + name)
    fpr, fnr = r["certificates"]
    assert r["goal"] == "bounded" and r["method"] == "online" and r["certified"] is True
    assert fpr["bound"] <= 0.1 and fnr["bound"] <= 0.05 and abs(1 - fpr["delta"] - 0.9 ** 0.5) < 1e-9
    assert r["threshold_low"] < r["threshold"] and r["held_out"] == fpr["held_out"] + fnr["held_out"]
    assert abs(r["reject_rate"] - batch["reject_rate"]) < 0.1, (name, r["reject_rate"], batch["reject_rate"])
    assert all(set(step) <= {"step", "objective", "iterations", "changed", "seconds"} for step in r["steps"]), r["steps"]
assert read("both.online")["held_out"] == batch["held_out"]
wider = read("wider")
assert (wider["max_fpr"], wider["max_fnr"]) == (0.2, 0.05)
assert read("tuned")["criterion"] == "cost"
PY
awk '{ print "s" NR "\t" ($1 > 0 ? 1 : -1) "\t" NR "\t" substr($2, 3) "\t" substr($3, 3) "\tPEP" NR "\tPROT" }' d.svm > rows
{ printf 'SpecId\tLabel\tScanNr\ta\tb\tPeptide\tProteins\n'; cat rows; } > d.pin
neyman train -q --max-fdr 0.1 d.pin -o fdr > out 2> err
status=0; neyman update -q fdr d.pin -o bad > out 2> err || status=$?
test $status -eq 2; test ! -e bad
grep -q 'a model for a bounded FDR cannot be updated: the FDR is that of one set of rows' err
