#!/bin/sh
# certify has only options that apply to a score file, and a refusal contains its figures.
set -eu
command -v python3 > /dev/null || exit 77
neyman help certify --all > page
for name in format weight ignore missing no-header zero-based max-categories; do
    if grep -q -- "--$name" page; then exit 1; fi
done
tr -s ' \n' ' ' < page | grep -q -- '--label COLUMN column that holds the true label, by name or number; default: the column named label'
awk 'BEGIN { srand(2); print "truth\tscore"; for (i = 1; i <= 58; i++) print "-1\t" rand()
             for (i = 1; i <= 30; i++) print "1\t" rand() + 0.5 }' > few.tsv
status=0; neyman certify few.tsv --label truth --max-fpr 0.05 --json > out 2> err || status=$?
test $status -eq 4
python3 -c 'import json
e = json.load(open("out"))["error"]
assert e["needed"] == 59 and abs(e["tightest_rate"] - (1 - 0.05 ** (1 / 58))) < 1e-12, e
assert e["n"] == 58 and e["rate"] == "fpr", e'
status=0; neyman certify few.tsv --label 1 --max-fpr 0.5 --max-fnr 0.05 --json > out 2> err || status=$?
test $status -eq 4
python3 -c 'import json
e = json.load(open("out"))["error"]
assert e["needed"] == 72 and e["n"] == 30 and e["rate"] == "fnr", e'
neyman certify few.tsv --label truth --max-fpr 0.2 > out
