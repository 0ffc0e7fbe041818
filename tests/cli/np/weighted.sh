#!/bin/sh
# With weights, rates and certificates count rows: the result says so, and the figures are those of
# counting rows.
set -eu
command -v python3 > /dev/null || exit 77
for seed in 6 7; do
    awk -v seed=$seed 'BEGIN { srand(seed); print "x,y,w,kind"
             for (i = 1; i <= 900; i++) { p = i % 3 == 0; x = rand() + 0.6 * p
                 print x "," rand() "," exp(4 * x) "," (p ? "yes" : "no") } }' > $seed.csv
done
mv 6.csv d.csv
neyman train --json --max-fpr 0.05 --weight w --label kind d.csv -o m > o.json 2> err
grep -q 'rates and certificates count every row once' err
neyman predict -q --scores m d.csv > scores.tsv
neyman train -q --json --max-fpr 0.05 --ignore w --label kind d.csv -o plain > plain.json
neyman update -q --json --max-fpr 0.05 m 7.csv --weight w --epochs 1 -o on > on.json 2> err
neyman update --max-fpr 0.05 m 7.csv --weight w --epochs 1 -o on > out 2> err
grep -q 'of the 900 rows are held out and certify the model; it learns from the other' err
python3 - <<'PY'
import json
o, plain, on = (json.load(open(n + ".json")) for n in ("o", "plain", "on"))
assert o["rates_count"] == on["rates_count"] == "rows" and "rates_count" not in plain
assert o["learned_from"] == 900 - o["held_out"] and on["learned_from"] == 900 - on["held_out"]
rows = [l.split("\t") for l in open("scores.tsv").read().splitlines()][1:]
wrong = sum(float(s) >= o["threshold"] for _, s, y in rows if y == "no")
assert wrong == o["misclassified"] + round(o["fpr"] * (600 - o["held_out"])), wrong
PY
