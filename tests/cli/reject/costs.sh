#!/bin/sh
# Costs of rejection: the thresholds are the log-odds they imply, the figures of train and evaluate
# are those of the rows, predict writes three outcomes; costs for which rejection never pays are reported.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(3); for (i = 1; i <= 600; i++) { y = i % 3 == 0
             print (y ? 1 : -1), "1:" rand() + 0.5 * y, "2:" rand() - 0.3 * y } }' > d.svm
neyman train --json -q --cost-fn 5 --cost-fp 2 --reject-cost-fn 1 --reject-cost-fp 0.5 -C 10 d.svm -o m > train.json
neyman evaluate --json -q m d.svm > eval.json
neyman evaluate --json -q m d.svm --cost-fn 1 --cost-fp 1 --reject-cost 0.25 > other.json
neyman evaluate -q m d.svm --curve error-reject > curve.tsv
neyman predict -q m d.svm > labels
neyman predict -q m d.svm --scores --reject-label 'neither one' > scores.tsv
python3 - <<'PY'
import csv, json, math
train, out, other = (json.load(open(f)) for f in ("train.json", "eval.json", "other.json"))
assert train["goal"] == "reject" and train["rejection_pays"] is True
assert abs(train["threshold"] - math.log((2 - 0.5) / 1)) < 1e-12
assert abs(train["threshold_low"] - math.log(0.5 / (5 - 1))) < 1e-12
assert train["gap"] >= 0 and train["relative_gap"] < 1e-3
rows = list(csv.DictReader(open("scores.tsv"), delimiter="\t"))
said = [1 if float(r["score"]) >= train["threshold"] else -1 if float(r["score"]) < train["threshold_low"] else 0
        for r in rows]
assert [l.strip() for l in open("labels")] == [str(s) for s in said]
assert [r["predicted"] for r in rows] == [str(s) if s else "neither one" for s in said]
y = [int(r["label"]) for r in rows]
n = {(a, b): sum(s == a and t == b for s, t in zip(said, y)) for a in (-1, 0, 1) for b in (-1, 1)}
cost = (5 * n[-1, 1] + 2 * n[1, -1] + n[0, 1] + 0.5 * n[0, -1]) / 600
assert abs(out["cost"] - cost) < 1e-12 and abs(train["cost"] - cost) < 1e-12
assert out["cost_interval"][0] < cost < out["cost_interval"][1]
assert abs(other["cost"] - (n[-1, 1] + n[1, -1] + 0.25 * (n[0, 1] + n[0, -1])) / 600) < 1e-12
assert n[0, 1] > 0 and n[0, -1] > 0 and n[1, 1] > 0 and n[-1, -1] > 0, n
assert train["reject_rate"] == out["reject_rate"] == (n[0, 1] + n[0, -1]) / 600
assert out["reject_rate_pos"] == n[0, 1] / 200 and out["reject_rate_neg"] == n[0, -1] / 400
assert out["positive_predictivity"] == n[1, 1] / (n[1, 1] + n[1, -1])
assert out["sensitivity"] == n[1, 1] / (n[1, 1] + n[-1, 1])
for rate in "reject_rate reject_rate_pos reject_rate_neg sensitivity positive_predictivity error_reject_ratio".split():
    low, high = out[rate + "_interval"]
    assert low <= out[rate] <= high, rate
center = math.log(2 / 5)  # where both errors have the same expected cost
spared = sum((float(r["score"]) >= center) != (t > 0) for r, t, s in zip(rows, y, said) if s == 0)
for line in csv.DictReader(open("curve.tsv"), delimiter="\t"):  # a band that is no mirror image
    t = float(line["distance"])
    low, high = center + t * (train["threshold_low"] - center), center + t * (train["threshold"] - center)
    within = sum(low + 1e-12 < float(r["score"]) < high - 1e-12 for r in rows)
    assert abs(int(float(line["rejected"])) - within) <= 1, line
assert abs(out["error_reject_ratio"] - spared / (n[0, 1] + n[0, -1])) < 1e-12
PY
# both words for rejected rows that are classes are refused; 0 among the classes needs another word
for word in 1 +1 -1; do
    status=0; neyman predict m d.svm --reject-label $word > out 2> err || status=$?
    test $status -eq 2; grep -q -- '--reject-label' err
done
sed 's/^-1/0/' d.svm > zero.svm
neyman train -q --reject-cost 0.2 -C 10 zero.svm -o zero > out
status=0; neyman predict zero zero.svm > out 2> err || status=$?
test $status -eq 2; grep -q '0 is the label of a class' err
neyman predict -q zero zero.svm --reject-label '?' | grep -q '^?$'
neyman train -q zero.svm -o plain > out # nothing is rejected: nothing to mistake
neyman predict -q plain zero.svm > out
# it never pays: said, and trained as without
neyman train --cost-fn 2 --reject-cost 0.8 d.svm -o never > out 2> err
grep -q 'rejecting never pays at these costs (0.8 / 2 + 0.8 / 1 is not below 1)' err
neyman train -q --cost-fn 2 d.svm -o cost > out
neyman predict -q never d.svm --scores > a
neyman predict -q cost d.svm --scores > b
cmp a b
