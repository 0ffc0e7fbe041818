#!/bin/sh
# Every curve against its definition, with ties; TSV, file and JSON say the same numbers.
set -eu
command -v python3 >/dev/null || exit 77
awk 'BEGIN { srand(4); print "label\tscore"; for (i = 1; i <= 500; i++) { y = i % 4 == 0
             print (y ? "yes" : "no") "\t" int(30 * rand() + 12 * y) / 7 } }' > s.tsv
for kind in roc pr det hull cost risk-coverage; do
    at=
    test $kind != risk-coverage || at="--threshold 3" # no other curve depends on it
    # shellcheck disable=SC2086
    neyman evaluate --from-scores s.tsv $at --curve $kind > $kind.tsv
    neyman evaluate --from-scores s.tsv --threshold 3 --curve $kind -o file > summary
    cmp file $kind.tsv
    grep -q "^  curve *$kind$" summary
    neyman evaluate --from-scores s.tsv --threshold 3 --curve $kind --json > $kind.json
done
python3 - <<'PY'
import json, math
from statistics import NormalDist
rows = [line.split("\t") for line in open("s.tsv").read().splitlines()[1:]]
pos = [float(s) for y, s in rows if y == "yes"]
neg = [float(s) for y, s in rows if y == "no"]
P, N = len(pos), len(neg)

def curve(kind):
    head, *lines = open(kind + ".tsv").read().splitlines()
    table = [[float(c) for c in line.split("\t")] for line in lines]
    o = json.load(open(kind + ".json"))
    assert o["curve_kind"] == kind and o["curve_points"] == len(table) and o["n"] == 500
    for j, name in enumerate(head.split("\t")):
        want = [r[j] if math.isfinite(r[j]) else None for r in table]
        assert o["curve"][name] == want, (kind, name)
    return head.split("\t"), table

at = [math.inf] + sorted(set(pos + neg), reverse=True)
points = [(t, sum(s >= t for s in neg), sum(s >= t for s in pos)) for t in at]
head, got = curve("roc")
assert head == ["threshold", "fpr", "tpr", "fp", "tp"]
assert got == [[t, f / N, h / P, f, h] for t, f, h in points]
head, got = curve("pr")
assert head == ["threshold", "recall", "precision"]
assert got == [[t, h / P, h / (h + f) if h + f else 1] for t, f, h in points]
head, got = curve("det")
assert head == ["threshold", "fpr", "fnr", "probit_fpr", "probit_fnr"]
probit = lambda x: NormalDist().inv_cdf(x) if 0 < x < 1 else -math.inf if x == 0 else math.inf
for row, (t, f, h) in zip(got, points):
    assert row[:3] == [t, f / N, (P - h) / P]
    for a, b in (row[3], probit(f / N)), (row[4], probit((P - h) / P)):
        assert a == b or abs(a - b) < 1e-9, (a, b)
head, hull = curve("hull")
roc = {tuple(r[3:]) for r in [[t, f / N, h / P, f, h] for t, f, h in points]}
corners = [tuple(map(int, r[3:])) for r in hull]
assert set(corners) <= roc and corners[0] == (0, 0) and corners[-1] == (N, P)
for (x0, y0), (x1, y1) in zip(corners, corners[1:]):
    assert all((x1 - x0) * (y - y0) <= (y1 - y0) * (x - x0) for x, y in roc)
head, cost = curve("cost")
assert head == ["share", "cost", "threshold", "fpr", "tpr"]
assert cost[0][0] == 0 and cost[-1][0] == 1 and [c[0] for c in cost] == sorted(c[0] for c in cost)
for share, least, *_ in cost:
    assert abs(least - min((1 - h / P) * share + f / N * (1 - share) for _, f, h in points)) < 1e-12
head, risk = curve("risk-coverage")
assert head == ["distance", "coverage", "risk", "covered", "errors"]
for d, coverage, r, covered, errors in risk:
    far = [(y, float(s)) for y, s in rows if abs(float(s) - 3) >= d]
    wrong = sum((s >= 3) != (y == "yes") for y, s in far)
    assert (covered, errors, coverage, r) == (len(far), wrong, len(far) / 500, wrong / len(far))
assert risk[-1][1] == 1
PY

# a band grows in proportion: distance 1 is the band itself, 0 its center (here the middle)
neyman evaluate --from-scores s.tsv --thresholds 1,2 --curve error-reject > curve.tsv
neyman evaluate --from-scores s.tsv --thresholds 1,2 --json > whole.json
python3 - <<'PY'
import csv, json
rows = [(r["label"], float(r["score"])) for r in csv.DictReader(open("s.tsv"), delimiter="\t")]
whole = json.load(open("whole.json"))
wrong = [(s >= 1.5) != (y == "yes") for y, s in rows]
lines = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open("curve.tsv"), delimiter="\t")]
assert lines[0]["reject_rate"] == 0 and lines[0]["error_rate"] == sum(wrong) / len(rows)
last, ratio = -1, 2
for line in lines:
    kept = [w for w, (_, s) in zip(wrong, rows) if abs(s - 1.5) / 0.5 >= line["distance"]]
    assert line["rejected"] == len(rows) - len(kept) > last and line["error_rate"] == sum(kept) / len(rows)
    if line["rejected"]:
        assert abs(line["mean_ratio"] - (sum(wrong) - sum(kept)) / line["rejected"]) < 1e-12
    assert line["ratio"] <= ratio
    last, ratio = line["rejected"], line["ratio"]
band = [w for w, (_, s) in zip(wrong, rows) if 1 <= s < 2]
assert abs(whole["error_reject_ratio"] - sum(band) / len(band)) < 1e-12
assert whole["rejected"] == len(band)
assert [r["called_positive"] for r in whole["outcomes"]] == [whole["tp"], whole["fp"]]
assert whole["sensitivity"] == whole["tp"] / (whole["tp"] + whole["fn"])
PY
grep -v no s.tsv > one.tsv
status=0; neyman evaluate --from-scores one.tsv --positive yes --curve roc > out 2> err || status=$?
test $status -eq 3
grep -q 'both classes' err
neyman evaluate --from-scores one.tsv --positive yes --json > out
grep -q '"auc":.*null' out
