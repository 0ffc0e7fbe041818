#!/bin/sh
# From rows: the fitted mixture can be saved and read again; hinge is evaluated on held-out rows; tables
# and charts; the same bytes from two processes and from any number of threads.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(7)
    for (i = 0; i < 600; i++) {
        y = i % 3 == 0 ? 1 : -1
        u = sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand())
        v = sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand())
        print y, "1:" (y > 0 ? 1.5 + 2 * u : u), "2:" v } }' > rows.svm
neyman asymmetry rows.svm --save-mixture mix.json --json -q > one.json
neyman asymmetry mix.json --json -q > two.json
neyman asymmetry rows.svm --loss hinge --splits 4 --gamma 0.05,0.1,0.2,0.3,0.5,0.7,0.9 --json --threads 1 -q > hinge1.json
neyman asymmetry rows.svm --loss hinge --splits 4 --gamma 0.05,0.1,0.2,0.3,0.5,0.7,0.9 --json --threads 4 -q > hinge4.json
cmp hinge1.json hinge4.json
python3 - <<'PY'
import json
one, two, hinge = (json.load(open(f"{n}.json")) for n in ("one", "two", "hinge1"))
assert one["n"] == 600 and one["n_pos"] == 200 and one["dims"] == 2
assert one["components_pos"] == 1 and one["components_neg"] == 1
# the variances are 4 and 1 along the difference of the means
assert one["regime_at_0"] == "train-less-extreme" and one["regime_at_1"] == "inconsistent"
assert one["verdict"] == two["verdict"]
assert all(a["b"] == b["b"] and a["w"] == b["w"] for a, b in zip(one["curve"], two["curve"]))
assert len(one["curve"]) > 100
assert hinge["evaluated_on"] == "held-out rows" and hinge["verdict"].startswith("on held-out rows")
rates = [p["fpr"] for p in hinge["curve"]]
assert len(rates) == 7 and rates == sorted(rates) and all(p["fpr_error"] >= 0 for p in hinge["curve"])
# on the envelope: no chord between two others, or the corners, passes above
places = [(p["fpr"], p["tpr"]) for p in hinge["curve"]]
for i, (x, y) in enumerate(places):
    others = [(0, 0), (1, 1)] + places[:i] + places[i + 1:]
    above = any(a[0] <= x <= b[0] and a[0] < b[0] and a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]) > y + 1e-12
                for a in others for b in others)
    if hinge["curve"][i]["consistent"]:
        assert not above, (i, places)
    else:
        assert above or (x, y) in others or x == y, (i, places)
assert sum(p["consistent"] for p in hinge["curve"]) > 1
answer = hinge["answers"][0]
assert answer["cost"] <= answer["cost_same"] and answer["beta"] == 0.1
PY
neyman asymmetry mix.json -o curve.tsv --plot a.svg > said
neyman asymmetry mix.json -o - --plot b.svg > curve2.tsv
cmp curve.tsv curve2.tsv
cmp a.svg b.svg
head -n 1 curve.tsv | tr '\t' ' ' | grep -qx 'gamma fpr tpr log_slope beta consistent'
test "$(wc -l < curve.tsv)" -gt 100
neyman asymmetry rows.svm --loss hinge --splits 2 --gamma 0.2,0.4,0.6 --plot c.png -q > said
head -c 4 c.png | grep -q PNG
# too few rows, or columns, for what is asked
head -n 3 rows.svm > few.svm
status=0; neyman asymmetry few.svm --loss hinge -q > out 2> err || status=$?
test $status -eq 3
grep -q 'expected at least 2 of either' err
printf '1 5000:1\n-1 1:1\n' > wide.svm
status=0; neyman asymmetry wide.svm -q > out 2> err || status=$?
test $status -eq 3
grep -q '5000 columns, expected 1 to 1024' err
