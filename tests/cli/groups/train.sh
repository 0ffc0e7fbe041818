#!/bin/sh
# Training with --group: whole groups are held out, the result defines its rate, the model stores
# the column, and commands that cannot treat the group as the unit refuse.
set -eu
command -v python3 >/dev/null || exit 77
python3 - <<'PY'
import random
random.seed(7)
def write(name, first, groups):
    with open(name, "w") as f:
        f.write("patient,y,a,b\n")
        for g in range(first, first + groups):
            u = random.gauss(0, 1.5)
            for i in range(random.randint(2, 9)):
                y = random.random() < .5
                f.write(f"p{g},{int(y)},{u + random.gauss(2 * y, 1):.5f},{random.gauss(y, 1):.5f}\n")
write("train.csv", 0, 300)
write("new.csv", 300, 200)
write("few.csv", 600, 22)
PY
opts="--label y --group patient --max-fpr 0.1"

neyman train train.csv $opts -o m --json -q > train.json
neyman train train.csv $opts --max-fnr 0.3 -o both --json -q > both.json
neyman train train.csv $opts --method online -o on --json -q > online.json
neyman tune train.csv $opts --grid C=0.1,1 --folds 3 -o tuned --json -q > tune.json
neyman train train.csv --label y --group patient --conformal -o sets --json -q > sets.json
neyman train train.csv $opts -o m 2> said > text
grep -q 'of a new group are flagged as positive, on average over groups' text
grep -q 'random row of the class in a random new group' text
neyman evaluate m new.csv --json -q > evaluate.json # the model knows the column
neyman evaluate sets new.csv --conformal --json -q > coverage.json
neyman evaluate m new.csv --json -q --group patient > named.json
neyman update on new.csv --epochs 1 -o later --json -q > update.json
python3 - <<'PY'
import csv, json
load = lambda n: json.load(open(n + ".json"))
names = {}
for f in "train", "new":
    names[f] = [(r["patient"], r["y"]) for r in csv.DictReader(open(f + ".csv"))]
for f in "train", "online", "tune":
    t = load(f)
    assert t["unit"] == "group" and "random new group" in t["rate_definition"], f
    assert 22 <= t["n_groups"] < 300 and t["group_rate"] < t["bound"] <= 0.1, f
    assert t["certified"] and "in %d groups" % t["n_groups"] in t["guarantee"], t["guarantee"]
b = load("both")
assert all(c["delta"] == 0.025 and c["n_groups"] > 0 for c in b["certificates"])
e, c = load("evaluate"), load("coverage")
assert e["unit"] == "group" and e["n_groups"] == 200 and e["fpr"] < 0.2
assert {k: v for k, v in e.items() if k != "seconds"} == {
    k: v for k, v in load("named").items() if k != "seconds"}
s = load("sets")
assert 0 < s["calibrated_groups_neg"] <= 75 and 0 < s["calibrated_groups_pos"] <= 75
assert c["coverage_neg_interval"][1] > 0.9 and c["coverage_pos_interval"][1] > 0.9
u = load("update")
assert u["unit"] == "group" and u["n_groups"] >= 22
PY

# The same rows from a cache, whose groups were named when it was made, to the last bit.
neyman convert train.csv train.ney --label y --group patient -q > /dev/null
neyman train train.ney --max-fpr 0.1 -o m2 -q > /dev/null
cmp m m2
neyman train train.ney --max-fpr 0.1 --method online -o on2 -q > /dev/null # rows stay in the file
cmp on on2

refused() { # CODE TEXT COMMAND...
    want=$1 text=$2 code=0
    shift 2
    "$@" > out 2>&1 || code=$?
    test "$code" -eq "$want" || { echo "exit code $code, expected $want: $*"; cat out; exit 1; }
    grep -q -- "$text" out || { echo "expected '$text' from: $*"; cat out; exit 1; }
}
refused 4 '20 groups with negative rows cannot certify max-fpr of 0.02.*at least 149' \
    neyman train few.csv --label y --group patient --max-fpr 0.02 -o x
refused 4 'tightest bound .* 0.1459' neyman train few.csv --label y --group patient --max-fpr 0.02 -o x
sed 's/^patient,/person,/' new.csv > renamed.csv
refused 2 'have no groups.*patient' neyman update on renamed.csv --epochs 1 -o x
neyman update on renamed.csv --group person --epochs 1 -o y -q > /dev/null
neyman evaluate m renamed.csv --json -q | grep -q 'intervals assume independent rows'
refused 2 'spectrum' neyman train train.csv --label y --group patient --max-fdr 0.1 -o x
refused 2 'group as the unit' neyman monitor m
refused 2 'does not apply to asymmetry' neyman asymmetry train.csv --label y --group patient
test ! -e x
