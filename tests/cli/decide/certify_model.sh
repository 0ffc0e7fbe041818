#!/bin/sh
# From held-out scores to a certified model: its thresholds and the certificate travel in the file,
# predict and evaluate use them; scores of other classes are refused; a second certificate leaves
# nothing of the first.
set -eu
command -v python3 >/dev/null || exit 77
rows() { awk -v seed="$1" 'BEGIN { srand(seed); print "x,kind"
             for (i = 1; i <= 800; i++) { y = i % 4 == 0; print rand() + 0.6 * y "," (y ? "ham" : "spam") } }'; }
rows 1 > train.csv
rows 2 > held.csv
# the positive class is the smaller name here: the model stores it, and certify needs no --positive
neyman train train.csv --label kind --positive ham -o m -q > out
neyman predict m held.csv --scores -o held.tsv -q > out
neyman certify held.tsv --max-fpr 0.05 --model m -o c --json -q > cert.json
neyman info c --json > info.json
neyman evaluate c held.csv --json > eval.json
neyman predict c held.csv > labels
python3 - <<'PY'
import json
cert, info, ev = (json.load(open(f)) for f in ("cert.json", "info.json", "eval.json"))
assert cert["positive"] == "ham" and cert["model"] == "c" and cert["n_neg"] == 600
assert info["threshold"] == cert["threshold"] == ev["threshold"]
facts = info["certificate"]
assert facts["fpr_max_rate"] == 0.05 and facts["fpr_delta"] == 0.05 and facts["fpr_n"] == 600
assert facts["fpr_rank"] == cert["rank"] and facts["fpr_bound"] == cert["bound"]
assert facts["fpr_hash"] == cert["calibration_hash"] and facts["fpr_threshold"] == cert["threshold"]
assert ev["fp"] == cert["misclassified"] and ev["fpr"] == cert["fpr"] and ev["tpr"] == cert["tpr"]
labels = open("labels").read().split()
assert labels.count("ham") == ev["tp"] + ev["fp"]
PY
neyman certify held.tsv --max-fnr 0.1 --model c -o c -q > out
neyman info c --json > info.json
grep -q '"fnr_rank"' info.json
if grep -q '"fpr_rank"' info.json; then echo 'the old certificate is still there'; exit 1; fi
sed 's/ham/jam/' held.tsv > other.tsv
status=0; neyman certify other.tsv --max-fpr 0.05 --model m -o bad > out 2> err || status=$?
test $status -eq 3 && test ! -e bad
grep -q "'ham'" err
status=0; neyman certify held.tsv --positive spam --max-fpr 0.05 --model m -o bad > out 2> err || status=$?
test $status -eq 3 && test ! -e bad
grep -q "the negative class is 'ham' here and 'spam' in the model" err
