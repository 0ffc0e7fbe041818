#!/bin/sh
# A certified run: scaling, kernel and score function depend on the training rows alone;
# the threshold is the one that `certify` finds from the held-out scores; the model stores it.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(21); print "x,y,kind"
             for (i = 1; i <= 900; i++) { p = i % 3 == 0
                 print 100 * rand() + 60 * p "," rand() + 0.3 * p "," (p ? "ham" : "spam") } }' > data.csv
neyman train --json --kernel rbf --max-fpr 0.05 --confidence 0.9 --seed 4 data.csv --label kind --positive ham \
    -o m > out.json 2> err
grep -q "certified: At most 5 % of negatives ('spam') are flagged as positive, with 90 % confidence ([0-9]* held-out negatives, [0-9]* above the threshold)" err
neyman info m --json > info.json
neyman predict -q m data.csv --scores > scores.tsv
python3 - <<'PY'
import json
o, info = json.load(open("out.json")), json.load(open("info.json"))
facts, summary = info["certificate"], info["summary"]
assert o["certified"] is True and o["confidence"] == 0.9 and o["delta"] == 0.1 and o["n"] == 900
assert summary["n_neg"] == 600 - o["held_out"] and summary["n_pos"] == 300
assert facts["fpr_n"] == o["held_out"] and facts["fpr_max_rate"] == 0.05 and facts["fpr_delta"] == 0.1
assert facts["fpr_threshold"] == o["threshold"] == info["threshold"] and o["bound"] <= 0.05
assert facts["fpr_hash"] == o["calibration_hash"] and facts["fpr_rank"] == o["rank"]
rows = [l.split("\t") for l in open("scores.tsv").read().splitlines()][1:]
negatives = sorted(float(s) for _, s, y in rows if y == "spam")
wrong = sum(s >= o["threshold"] for s in negatives)
learned = round(o["fpr"] * (600 - o["held_out"]))
assert wrong == learned + o["misclassified"], (wrong, learned, o["misclassified"])
PY
# the same rows, the same bytes; other rows, another certificate
neyman train -q --threads 1 --kernel rbf --max-fpr 0.05 --confidence 0.9 --seed 4 data.csv --label kind \
    --positive ham -o again > out
cmp m again
neyman train -q --json --kernel rbf --max-fpr 0.05 --confidence 0.9 --seed 5 data.csv --label kind \
    --positive ham -o other > other.json
grep calibration_hash out.json > a
if grep calibration_hash other.json | cmp -s - a; then exit 1; fi
# a share that is asked for
neyman train -q --json --holdout 0.9 --max-fpr 0.05 --confidence 0.9 data.csv --label kind --positive ham \
    -o m > share.json
grep -q '"held_out":.*540' share.json
# the other error
neyman train -q --json --max-fnr 0.05 --confidence 0.9 data.csv --label kind --positive ham -o m > fnr.json
neyman info m --json | grep -q '"fnr_rank"'
grep -q '"max_fnr":.*0.05' fnr.json
# scaling is fitted on the rows that are learned from: of a column that is 1 for negatives and 0 for
# positives, the mean is their share among those
awk 'BEGIN { print "x,z,kind"; srand(3)
             for (i = 1; i <= 300; i++) { p = i % 3 == 0; print rand() + p "," 1 - p "," (p ? "yes" : "no") } }' > z.csv
neyman train -q --json --max-fpr 0.1 --confidence 0.9 z.csv --label kind -o z > z.json
python3 - <<'PY'
import json
held = json.load(open("z.json"))["held_out"]
mean = (200 - held) / (300 - held)
numbers = [w for line in open("z") for w in line.split()]
close = [w for w in numbers if w.replace(".", "", 1).isdigit() and abs(float(w) - mean) < 1e-9]
assert 0 < held < 200 and close, (held, mean)
PY
