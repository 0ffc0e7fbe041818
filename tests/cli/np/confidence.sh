#!/bin/sh
# A bounded rate is certified unless the user says otherwise; every command states the same delta; rows
# that certify and rows that calibrate are disjoint; an update keeps the model's setting.
set -eu
command -v python3 > /dev/null || exit 77
for seed in 21 22; do
    awk -v seed=$seed 'BEGIN { srand(seed); for (i = 1; i <= 1800; i++) { y = i % 3 == 0
             print (y ? 1 : -1), "1:" rand() + rand() + 0.8 * y, "2:" rand() } }' > $seed.svm
done
mv 21.svm d.svm
run() { name=$1; shift; neyman train -q --json "$@" d.svm -o "$name" > "$name.json"; }
run default --max-fpr 0.05
run stated --max-fpr 0.05 --confidence 0.95
run none --max-fpr 0.05 --confidence none
run one --max-fpr 1
run both --max-fpr 0.1 --max-fnr 0.1
run conformal --max-fpr 0.05 --conformal
run turns --max-fpr 0.05 --conformal-folds 3
run bands --max-fpr 0.1 --max-fnr 0.1 --conformal
run share --max-fpr 0.05 --conformal --holdout 0.5
run online --max-fpr 0.05 --method online --epochs 2
run online_none --max-fpr 0.05 --method online --epochs 2 --confidence none
run online_strict --max-fpr 0.1 --method online --epochs 2 --confidence 0.9999
cmp default stated
for model in online online_none online_strict; do
    neyman update -q --json $model 22.svm --epochs 1 -o $model.on > $model.on.json
done
neyman update -q --json online_none 22.svm --epochs 1 --confidence 0.9 -o x > now.json
neyman predict -q --scores online_strict d.svm -o scores.tsv > /dev/null
neyman certify -q --json scores.tsv --max-fpr 0.1 --confidence 0.9999 > certify.json
neyman plan -q --json --max-fpr 0.1 --confidence 0.9999 > plan.json
neyman train -q --max-fpr 0.05 --confidence none d.svm -o x > text
sed -n 1p text | grep -q "^Flags [0-9.]* % of negatives ('-1') as positive on the training rows (optimistic)\.$"
sed -n 2p text | grep -q "^Detects [0-9.]* % of positives ('1') on the training rows (optimistic)\.$"
sed -n 3p text | grep -q '^warning: the bound holds on the training rows only: the FPR of new data is expected to exceed it'
# rows for both hold-outs, or exit 4
head -n 90 d.svm > few.svm # 60 negatives: 59 certify
status=0; neyman train -q --max-fpr 0.05 --conformal few.svm -o bad > out 2> err || status=$?
test $status -eq 4
grep -q 'leaves too few for the p-values' err
neyman train -q --cost-fp 2 d.svm -o x > out # a goal without a bounded rate has no use for the default
status=0; neyman train -q --cost-fp 2 --confidence 0.9 d.svm -o bad > out 2> err || status=$?
test $status -eq 2
test ! -e bad
python3 - <<'PY'
import json
load = lambda n: json.load(open(n + ".json"))
d, none, one = load("default"), load("none"), load("one")
assert d["certified"] is True and d["confidence"] == 0.95 and d["delta"] == 0.05
assert d["guarantee"] == ("At most 5 % of negatives ('-1') are flagged as positive, with 95 % confidence "
                          f"({d['held_out']} held-out negatives, {d['misclassified']} above the threshold)"), d["guarantee"]
assert "warnings" not in d
assert none["certified"] is False and "guarantee" not in none and "training rows only" in none["warnings"][0]
assert none["fpr"] <= 0.05
assert one["certified"] is False and "nothing to certify" in one["warnings"][0] and one["fnr"] == 0
both = load("both")
assert both["confidence"] == 0.95 and both["guarantee"].count("at most") == 1 and "both with 95 % confidence" in both["guarantee"]
for name, share in (("conformal", 0.25), ("share", 0.25)):
    c = load(name)
    certify = c["held_out"]                       # of one certificate
    assert c["calibrated_pos"] == 150 and c["calibrated_neg"] == int((1200 - certify) * share + 0.5), c
assert load("share")["held_out"] == 600
assert load("conformal")["held_out"] == d["held_out"] and load("conformal")["calibration_hash"] != d["calibration_hash"]
assert load("turns")["calibrated_pos"] == 600 and load("turns")["calibrated_neg"] == 1200 - d["held_out"]
b = load("bands")
held = [x["held_out"] for x in b["certificates"]]
assert b["held_out"] == sum(held) + b["calibrated_pos"] + b["calibrated_neg"]
assert load("online")["certified"] and load("online.on")["confidence"] == 0.95
assert load("online_none.on")["certified"] is False and load("now")["confidence"] == 0.9
assert load("online_strict.on")["confidence"] == 0.9999
deltas = [load(n)["delta"] for n in ("online_strict", "online_strict.on", "certify", "plan")]
assert deltas == [0.0001] * 4, deltas
PY
