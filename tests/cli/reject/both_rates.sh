#!/bin/sh
# Both rates bounded: two certificates from rows that were held out, each the one of `certify` for its
# rate, and a band between them; too few rows are exit 4.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(8); for (i = 1; i <= 1500; i++) { y = i % 3 == 0; s = rand() + rand() + rand()
             print (y ? 1 : -1), "1:" s + 0.7 * y, "2:" rand() } }' > d.svm
neyman train --json --max-fpr 0.05 --max-fnr 0.1 --confidence 0.9 d.svm -o m > train.json 2> err
grep -q "certified: At most 5 % of negatives ('-1') are flagged as positive and at most 10 % of positives ('1') are classified as negative, both with 90 % confidence" err
neyman info m --json > info.json
neyman predict -q m d.svm --scores > scores.tsv
python3 - <<'PY'
import csv, json
o, info = json.load(open("train.json")), json.load(open("info.json"))
facts = info["certificate"]
fpr, fnr = o["certificates"]
assert o["goal"] == "bounded" and o["certified"] is True and (fpr["rate"], fnr["rate"]) == ("fpr", "fnr")
assert abs((1 - fpr["delta"]) ** 2 - 0.9) < 1e-12 and fpr["delta"] == fnr["delta"]
assert fpr["bound"] <= 0.05 and fnr["bound"] <= 0.1
assert o["held_out"] == fpr["held_out"] + fnr["held_out"] == 1500 - info["summary"]["n"]
assert facts["fpr_threshold"] == o["threshold"] > o["threshold_low"] == facts["fnr_threshold"]
rows = list(csv.DictReader(open("scores.tsv"), delimiter="\t"))
neg = [float(r["score"]) for r in rows if r["label"] == "-1"]
pos = [float(r["score"]) for r in rows if r["label"] == "1"]
wrong = sum(s >= o["threshold"] for s in neg)
assert wrong == round(o["fpr"] * (1000 - fpr["held_out"])) + fpr["misclassified"]
missed = sum(s < o["threshold_low"] for s in pos)
assert missed == round(o["fnr"] * (500 - fnr["held_out"])) + fnr["misclassified"]
assert 0 < o["reject_rate"] < 0.6, o["reject_rate"]
PY
status=0; neyman train --max-fpr 0.05 --max-fnr 0.001 --confidence 0.9 d.svm -o bad > out 2> err || status=$?
test $status -eq 4; test ! -e bad
grep -q '500 positive rows cannot certify max-fnr of 0.001' err
grep -q 'neyman plan --max-fnr 0.001 --confidence 0.948683' err
neyman tune -q --json --max-fpr 0.05 --max-fnr 0.1 --confidence 0.9 --grid C=0.1,1 d.svm -o t > tune.json
grep -q '"criterion":.*"rejects"' tune.json
grep -q '"certified":.*true' tune.json
