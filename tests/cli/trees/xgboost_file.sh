#!/bin/sh
# Exported trees in libxgboost itself: the prediction for unscaled cells is the score of predict, up to
# single precision; with scaling, ranks, filled and missing cells, words as columns, and cells that lie
# on a threshold.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(6)
with open("d.csv", "w") as f:
    f.write("a,b,kind,y\n")
    for i in range(600):
        y = random.random() < 0.4
        a = "" if random.random() < 0.1 else round(random.gauss(y, 1) * 8) / 8  # few values: ties with thresholds
        f.write(f"{a},{round(random.gauss(y, 2) * 4) / 4 + 1000},{random.choice('uvw')},{'yes' if y else 'no'}\n")
PY
if ! neyman train -q --trees 15 --label y d.csv -o m1 > /dev/null 2> err; then
    grep -q "needs libxgboost" err && exit 77
    cat err
    exit 1
fi
neyman train -q --trees 15 --missing mean --scale minmax --label y d.csv -o m2 > /dev/null
neyman train -q --trees 15 --scale rank --max-fpr 0.1 --confidence none --label y d.csv -o m3 > /dev/null
for k in 1 2 3; do
    neyman predict -q --scores m$k d.csv -o s$k.tsv
    neyman export -q m$k --format xgboost -o x$k.json
    neyman info --json m$k > i$k.json
done
python3 - <<'PY'
import csv, ctypes, ctypes.util, json, math, sys
for name in ("libxgboost.so.0", "libxgboost.so"):
    try:
        lib = ctypes.CDLL(name)
        break
    except OSError:
        lib = None
if lib is None:
    sys.exit("libxgboost trains, but is not found under its name")
lib.XGBGetLastError.restype = ctypes.c_char_p
def call(name, *args):
    if getattr(lib, name)(*args):
        sys.exit(f"{name}: {lib.XGBGetLastError().decode()}")
rows = list(csv.DictReader(open("d.csv")))
cells = []
for r in rows:
    cells += [float(r["a"] or "nan"), float(r["b"])] + [float(r["kind"] == w) for w in "uvw"]
matrix = ctypes.c_void_p()
data = (ctypes.c_float * len(cells))(*cells)
call("XGDMatrixCreateFromMat", data, ctypes.c_uint64(len(rows)), ctypes.c_uint64(5), ctypes.c_float(math.nan), ctypes.byref(matrix))
for k in (1, 2, 3):
    booster, shape, dim, out = ctypes.c_void_p(), ctypes.POINTER(ctypes.c_uint64)(), ctypes.c_uint64(), ctypes.POINTER(ctypes.c_float)()
    call("XGBoosterCreate", None, ctypes.c_uint64(0), ctypes.byref(booster))
    call("XGBoosterLoadModel", booster, f"x{k}.json".encode())
    config = b'{"type":0,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false}'
    call("XGBoosterPredictFromDMatrix", booster, matrix, config, ctypes.byref(shape), ctypes.byref(dim), ctypes.byref(out))
    scores = [float(r["score"]) for r in csv.DictReader(open(f"s{k}.tsv"), delimiter="\t")]
    trees = json.load(open(f"x{k}.json"))["learner"]["gradient_booster"]["model"]["trees"]
    # one rounding for each tree, of sums that are at most this
    size = sum(max(abs(v) for v, left in zip(t["split_conditions"], t["left_children"]) if left < 0) for t in trees) + 10
    for i, s in enumerate(scores):
        assert abs(out[i] - s) <= 2 ** -23 * len(trees) * size, (k, i, out[i], s)
    text = json.load(open(f"x{k}.json"))["learner"]["attributes"]["neyman_threshold"]
    assert float(text) == json.load(open(f"i{k}.json"))["threshold"]
    for t in trees:
        for i, (left, right) in enumerate(zip(t["left_children"], t["right_children"])):
            assert left < 0 or t["parents"][left] == t["parents"][right] == i
PY
# refused, with the reason
neyman train -q --label y --missing mean d.csv -o linear > /dev/null
neyman train -q --trees 3 --scale unit --label y d.csv -o unit > /dev/null
for m in linear unit; do
    status=0
    neyman export -q $m --format xgboost -o x.json > out 2> err || status=$?
    test "$status" = 2
    test ! -e x.json
    grep -q "XGBoost" err
done
# our own JSON holds the trees too
neyman train -q --trees 5 --scale none --ignore kind --label y d.csv -o m4 > /dev/null
neyman export -q m4 --format json -o m4.json > /dev/null
neyman predict -q --scores m4 d.csv -o s4.tsv
python3 - <<'PY'
import csv, json, math
model = json.load(open("m4.json"))
for r, s in zip(csv.DictReader(open("d.csv")), csv.DictReader(open("s4.tsv"), delimiter="\t")):
    x, score = [float(r["a"] or "nan"), float(r["b"])], model["intercept"]
    for t in model["trees"]:
        i = 0
        while t["column"][i] > 0:
            v = x[t["column"][i] - 1]
            left = t["missing_left"][i] if math.isnan(v) else v - model["features"][t["column"][i] - 1].get("shift", 0) < t["value"][i]
            i = i + 1 if left else t["right"][i]
        score += t["value"][i]
    assert score == float(s["score"]), (score, s)
PY
