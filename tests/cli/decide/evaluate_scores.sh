#!/bin/sh
# evaluate prints the same for a score file as for the model that made it, at any
# threshold or pair of thresholds; areas agree with counting pairs.
set -eu
command -v python3 >/dev/null || exit 77
awk 'BEGIN { srand(7); for (i = 1; i <= 400; i++) { y = i % 3 ? -1 : 1
             printf "%d 1:%d 2:%d\n", y, 8 * rand() + 2 * y, 5 * rand() - y } }' > d.svm
awk 'BEGIN { srand(8); for (i = 1; i <= 400; i++) { y = i % 3 ? -1 : 1
             printf "%d 1:%d 2:%d\n", y, 8 * rand() + 2 * y, 5 * rand() - y } }' > train.svm
neyman train train.svm -o m -q > out
neyman predict m d.svm --scores -o s.tsv -q > out
neyman evaluate m d.svm --cost-fn 2 --json | grep -v seconds > a
neyman evaluate --from-scores s.tsv --cost-fn 2 --json | grep -v seconds | cmp - a
cut -f2,3 s.tsv | awk -F'\t' 'NR > 1 { print $2 "\t" $1 }' > bare.tsv # two columns, no header
neyman evaluate --from-scores - --cost-fn 2 --json < bare.tsv | grep -v seconds | cmp - a
neyman evaluate --from-scores s.tsv --thresholds -0.5,0.25 --partial 0.2 --json > three.json
neyman evaluate --from-scores s.tsv --threshold 0.25 --json > one.json
neyman evaluate --from-scores s.tsv > table
grep -Eq '^  area under the ROC curve \(AUC\) +0\.[0-9]+  \[0\.[0-9]+, [01](\.[0-9]+)?\]$' table
python3 - <<'PY'
import json
rows = [line.split("\t") for line in open("bare.tsv").read().splitlines()]
pos = [float(s) for y, s in rows if y == "1"]
neg = [float(s) for y, s in rows if y == "-1"]
o = json.load(open("three.json"))
want = {"tp": sum(s >= 0.25 for s in pos), "fp": sum(s >= 0.25 for s in neg),
        "fn": sum(s < -0.5 for s in pos), "tn": sum(s < -0.5 for s in neg),
        "rejected_pos": sum(-0.5 <= s < 0.25 for s in pos),
        "rejected_neg": sum(-0.5 <= s < 0.25 for s in neg)}
for key, value in want.items():
    assert o[key] == value, (key, o[key], value)
assert o["rejected"] == want["rejected_pos"] + want["rejected_neg"] > 0
assert o["threshold"] == 0.25 and o["threshold_low"] == -0.5
one = json.load(open("one.json"))
assert one["rejected"] == 0 and one["fn"] == want["fn"] + want["rejected_pos"] and one["tp"] == want["tp"]
pairs = sum((p > n) + 0.5 * (p == n) for p in pos for n in neg)
assert abs(o["auc"] - pairs / len(pos) / len(neg)) < 1e-12
low, high = o["auc_interval"]
from math import log
logit = lambda p: log(p / (1 - p))
away = 1.959963 * o["auc_error"] / (o["auc"] * (1 - o["auc"]))
assert logit(high) - logit(o["auc"]) >= away and logit(o["auc"]) - logit(low) >= away and high - low < 3 * 1.96 * o["auc_error"]
assert o["auc_interval_kind"] == "approximate"
# DeLong by its definition
v = [sum((p > n) + 0.5 * (p == n) for n in neg) / len(neg) for p in pos]
w = [sum((p > n) + 0.5 * (p == n) for p in pos) / len(pos) for n in neg]
var = lambda x: sum((a - sum(x) / len(x))**2 for a in x) / (len(x) - 1) / len(x)
assert abs(o["auc_error"] - (var(v) + var(w))**0.5) < 1e-12
# the partial area by trapezoids
points = [(0, 0)] + [(sum(n >= t for n in neg) / len(neg), sum(p >= t for p in pos) / len(pos))
                     for t in sorted(set(pos + neg), reverse=True)]
area = 0
for (x0, y0), (x1, y1) in zip(points, points[1:]):
    x = min(x1, 0.2)
    if x > x0:
        area += (x - x0) * (y0 + y0 + (y1 - y0) * (x - x0) / (x1 - x0)) / 2
assert abs(o["partial_auc"] - area) < 1e-12 and o["partial_max_fpr"] == 0.2
PY
misused() {
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; cat err; exit 1; }
}
misused evaluate
grep -q 'needs MODEL DATA, or --from-scores FILE' err
misused evaluate m
grep -q 'evaluate needs DATA, a file or - for standard input$' err
misused evaluate m d.svm --from-scores s.tsv
misused evaluate --from-scores s.tsv --thresholds 1,0
grep -q 'LOW,HIGH' err
misused evaluate --from-scores s.tsv --thresholds 1,2 --threshold 1
misused evaluate --from-scores s.tsv -o out.tsv
grep -q -- '--curve' err
printf 'label,value\n1,2\n' > nothing.csv
status=0; neyman evaluate --from-scores nothing.csv > out 2> err || status=$?
test $status -eq 3
# perfect order in 30 pairs is no proof of perfection: the interval says what 30 pairs can say
awk 'BEGIN { for (i = 1; i <= 30; i++) { print "0\t" i; print "1\t" i + 30 } }' > perfect.tsv
neyman evaluate --from-scores perfect.tsv --threshold 31 --json > out
python3 -c 'import json; o = json.load(open("out")); low, high = o["auc_interval"]
assert o["auc"] == 1 == high and 0.8 < low < 0.025**(1 / 30) + 1e-9, o'
