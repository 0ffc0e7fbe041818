#!/bin/sh
# --id and --group name columns that are not features: every format stores them, predict writes them beside
# scores, certify and evaluate read them; commands that cannot use them refuse them.
set -eu
command -v python3 >/dev/null || exit 77
python3 - <<'PY'
import random
random.seed(4)
with open("rows.csv", "w") as f, open("rows.svm", "w") as g:
    f.write("visit,patient,class,a,b\n")
    for k in range(400):
        p = k // 2
        y = random.choice("01")
        a, b = random.gauss(int(y), 1), random.gauss(0, 1)
        f.write(f'v{k},"p, {p}",{y},{a:.6f},{b:.6f}\n')
        g.write(f"{y} qid:{p} 1:{a:.6f} 2:{b:.6f}\n")
PY
read="--label class --id visit --group patient"

# Neither is a feature; a cache keeps both; a table has them again.
neyman convert rows.csv rows.ney $read -q
neyman convert rows.ney back.csv -q
neyman convert rows.csv also.csv $read -q
cmp back.csv also.csv
head -1 back.csv | grep -qx 'class,visit,patient,a,b'
sed -n 3p back.csv | grep -q '^[01],v1,"p, 0",'
neyman convert back.csv again.csv $read -q
cmp back.csv again.csv
neyman convert rows.svm rows2.ney --group qid -q
neyman convert rows2.ney back.svm -q
grep -q '^[01] qid:199 1:' back.svm

# Scores with their ids and groups, from the table or the cache alike.
neyman train rows.csv $read -o m -q
neyman predict m rows.csv --scores -o scores.tsv -q
neyman predict m rows.ney --scores -o scores2.tsv -q
cmp scores.tsv scores2.tsv
head -1 scores.tsv | grep -qx "$(printf 'predicted\tscore\tlabel\tvisit\tpatient')"
sed -n 4p scores.tsv | grep -q "$(printf '\tv2\tp, 1$')"

# They are the unit of a certificate and of intervals.
neyman certify scores.tsv --max-fpr 0.1 --group patient --json -q > certify.json
neyman certify scores.tsv --max-fpr 0.3 --max-fnr 0.3 --group patient --json -q > both.json
neyman certify scores.tsv --max-fpr 0.1 --json -q > rows.json
neyman evaluate --from-scores scores.tsv --group patient --json -q > scores.json
neyman evaluate m rows.csv --cost-fn 5 --json -q > evaluate.json
neyman evaluate m rows.ney --cost-fn 5 --json -q > cache.json
neyman evaluate m rows.csv --cost-fn 50 --cost-fp 10 --json -q > tenfold.json
neyman certify scores.tsv --max-fpr 0.1 --group patient -q | grep -q 'random new group'
python3 - <<'PY'
import csv, json
rows = list(csv.DictReader(open("scores.tsv"), delimiter="\t"))
groups = {}
for r in rows:
    if r["label"] == "0":
        groups.setdefault(r["patient"], []).append(float(r["score"]))
c = json.load(open("certify.json"))
assert c["unit"] == "group" and c["n_groups"] == len(groups), c
rate = sum(sum(s >= c["threshold"] for s in g) / len(g) for g in groups.values()) / len(groups)
assert abs(c["group_rate"] - rate) < 1e-12 and rate < c["bound"] <= 0.1
assert "random row" in c["rate_definition"] and c["fpr_interval"] is None
assert "unit" not in json.load(open("rows.json"))
b = json.load(open("both.json"))
assert b["delta_share"] == 0.025 and b["unit"] == "group"
assert {x["n_groups"] for x in b["certificates"]} == {
    len({r["patient"] for r in rows if r["label"] == y}) for y in "01"}
e = json.load(open("evaluate.json"))
k = json.load(open("cache.json"))
fpr = sum(sum(s >= e["threshold"] for s in g) / len(g) for g in groups.values()) / len(groups)
assert e["unit"] == "group" and e["n_groups"] == 200 and abs(e["fpr"] - fpr) < 1e-12
assert e["fpr_interval"][0] < e["fpr"] < e["fpr_interval"][1] and e["auc_interval"] is None
assert e["cost_interval"][0] < e["cost"] < e["cost_interval"][1] <= 5
assert all(k[x] == e[x] for x in e if x != "seconds")
t = json.load(open("tenfold.json"))
assert all(abs(a - 10 * b) < 1e-9 for a, b in zip([t["cost"], *t["cost_interval"]], [e["cost"], *e["cost_interval"]])), (t, e)
s = json.load(open("scores.json"))
assert s["fnr"] == e["fnr"] and s["fnr_interval"] == e["fnr_interval"]
PY

refused() { # CODE TEXT COMMAND...
    want=$1 text=$2 code=0
    shift 2
    "$@" > out 2>&1 || code=$?
    test "$code" -eq "$want" || { echo "exit code $code, expected $want: $*"; cat out; exit 1; }
    grep -q -- "$text" out || { echo "expected '$text' from: $*"; cat out; exit 1; }
}
refused 4 'at least 299 groups' neyman certify scores.tsv --max-fpr 0.01 --group patient
refused 3 "no column 'doctor'" neyman certify scores.tsv --max-fpr 0.1 --group doctor
refused 3 "no column 'doctor'" neyman train rows.csv --label class --group doctor -o x
refused 2 'named under both' neyman train rows.csv --label class --group class -o x
refused 2 'qid:NUMBER' neyman train rows.svm --group patient -o x
refused 2 'without the column' neyman train rows.ney --group a -o x
refused 3 'not a whole number' neyman convert rows.ney x.svm
refused 2 'applies to predict with --scores' neyman predict m rows.csv --group patient
refused 2 'does not apply to roc' neyman roc rows.csv $read
refused 2 'have groups' neyman path rows.ney --from 0 0 --to 1 1
sed 's/^v7,"p, 3"/v7,NA/' rows.csv > gap.csv
refused 3 'gap.csv:9.*group of every row' neyman train gap.csv $read -o x
sed 's/ qid:3 / /' rows.svm > gap.svm
refused 3 'gap.svm:7.*qid' neyman train gap.svm --group qid -o x
neyman train gap.svm -o x -q # without --group it is not looked at
