#!/bin/sh
# compare by cross-validation: every row is tested once, intervals of differences cover a known truth, few rows choose it.
#
# x in {0, 1} with P(x = 1 | positive) = 0.8 and P(x = 1 | negative) = 0.2, half of the rows positive. Whatever rows a
# model sees: at equal costs it flags x = 1; at --cost-fp 9 it flags nothing, which costs 0.5 per row in place of 1.
# With n intervals of 95 % the misses are binomial at most: too many have a probability below 1e-5.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(4); print "y,x,z,who"; for (i = 0; i < 240; i++) { y = rand() < 0.5
             print (y ? "yes" : "no") "," (rand() < (y ? 0.8 : 0.2)) "," rand() + y "," int(i / 3) } }' > few.csv
fast='-q --json --label y --folds 2 --no-extend'
neyman compare $fast --cv 3 --cost-fp 9 --ignore z,who --grid C=1 few.csv > cost.json
neyman compare $fast --cv 3 --cost-fp 9 --ignore z,who --grid C=1 --threads 1 few.csv > again.json
neyman compare $fast --max-fpr 0.05 --kernel rbf --ignore who --grid 'C=1 gamma=1' few.csv > few.json
neyman compare $fast --max-fpr 0.3 --kernel rbf --ignore who --grid 'C=1 gamma=1' few.csv > many.json
neyman compare $fast --max-fpr 0.3 --kernel rbf --group who --grid 'C=1 gamma=1' --cv 2 few.csv > group.json
neyman compare $fast --max-fpr 0.05 --kernel rbf --ignore who --grid 'C=1 gamma=1' --share 0.3 few.csv > split.json
neyman compare --label y --folds 2 --no-extend --max-fpr 0.05 --kernel rbf --ignore who --grid 'C=1 gamma=1' few.csv > text 2> messages
grep -q '^By cross-validation on 240 rows' text
grep -q 'compared by cross-validation in 4 folds (--share SHARE or --test FILE' messages
cp few.csv test.csv
for wrong in '--cv 1' '--cv 3 --share 0.2' '--cv 3 --test test.csv' '--cv 3 -o curves.tsv'; do
    code=0
    neyman compare -q --label y --ignore who --cost-fp 9 $wrong few.csv 2> refused || code=$?
    [ "$code" = 2 ] && grep -q -e '--cv' refused || { echo "$wrong: exit $code, expected 2"; cat refused; exit 1; }
done
PYTHONPATH=$NEY_SOURCE/tests/support python3 -B - "$(command -v neyman)" "${NEY_TEST_SHARE:-1}" "${NEY_TEST_MULT:-1}" <<'PY'
import csv, json, random, subprocess, sys
from binomial import most_misses
program, share, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
load = lambda f: json.load(open(f + ".json"))
cost, again, few, many, group, split = map(load, ("cost", "again", "few", "many", "group", "split"))
rows = list(csv.DictReader(open("few.csv")))
share_of = lambda y: sum(r["x"] == "1" for r in rows if r["y"] == y) / sum(r["y"] == y for r in rows)
# one decision per row, of a model that has not seen it
for o in (cost, again):
    del o["seconds"]
    for m in o["methods"]:
        del m["seconds"]
assert cost == again and cost["n"] == 240 and cost["cv_folds"] == 3 and "n_test" not in cost
first, moved, plain = cost["methods"]
n_pos = cost["n_pos"]
assert (first["fpr"], first["fnr"]) == (0, 1) and abs(first["cost"] - n_pos / 240) < 1e-12
assert abs(plain["fpr"] - share_of("no")) < 1e-12 and abs(plain["fnr"] - 1 + share_of("yes")) < 1e-12
assert abs(plain["cost"] - (9 * plain["fpr"] * (240 - n_pos) + plain["fnr"] * n_pos) / 240) < 1e-12
assert abs(plain["difference"] - (plain["cost"] - first["cost"])) < 1e-12
assert plain["difference_interval"][0] < 0.5 < plain["difference_interval"][1] and "not of models trained on all rows" in cost["interval_kind"]
# few rows of the bounded class choose cross-validation, an option and enough rows do not
assert few["cv_folds"] == 4 and "n_test" not in few and "matched" not in few["methods"][0]
assert all("cv_folds" not in o and "n_test" in o for o in (split, many))
assert "--cv" in split["warnings"][0]
for m in few["methods"][1:]:
    assert abs(m["difference"] - (m["fnr"] - few["methods"][0]["fnr"])) < 1e-12
    assert m["difference_interval"][0] <= m["difference"] <= m["difference_interval"][1]
for m in few["methods"]:
    assert (m["fpr"] > 0.05) == any(w.startswith(m["method"] + " exceeds the bound") for w in few.get("warnings", []))
assert group["unit"] == "group" and group["cv_folds"] == 2 and "fnr_interval" not in group["methods"][0]

draw, runs, misses, widest = random.Random(3), max(40 * times // share, 10), 0, 0
for _ in range(runs):
    text = "y,x\n"
    for _ in range(160):
        y = draw.random() < 0.5
        text += f"{int(y)},{int(draw.random() < (0.8 if y else 0.2))}\n"
    got = subprocess.run([program, "compare", "-q", "--json", "--label", "y", "--cv", "4", "--folds", "2", "--no-extend", "--grid", "C=1",
                          "--cost-fp", "9", "--threads", "1", "-"], input=text, capture_output=True, text=True, check=True)
    low, high = json.loads(got.stdout)["methods"][2]["difference_interval"]
    misses += not low <= 0.5 <= high
    widest = max(widest, high - low)
print(f"{misses} of {runs} intervals missed the true difference; the widest is {widest:.3g}")
assert misses <= most_misses(runs) and 0.1 < widest < 1.6
PY
