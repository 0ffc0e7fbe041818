#!/bin/sh
# neyman card: Markdown with every part, JSON with the figures of evaluate, names that are markup are
# text, training rows are said to be such, no certificate is said, subgroups.
set -eu
awk 'BEGIN { srand(5); print "class,a,b,region"; for (i = 0; i < 1500; i++) { y = i % 3 == 0
    print (y ? "<b>p|*" : "n") "," rand() * 3 + y "," rand() * 3 - y "," (i % 4 ? "north" : "south") } }' > all.csv
head -n 1001 all.csv > a.csv
{ head -n 1 all.csv; tail -n 499 all.csv; } > b.csv
neyman train -q --max-fpr 0.3 --label class --positive '<b>p|*' --ignore region a.csv -o m > out
neyman card m b.csv --purpose 'Triage of <script> & [x](y)' --by region -o card.md
for part in Purpose Guarantee Assumptions Performance 'Performance by subgroup' \
    'Evaluation data' Model Training Certificate Limits 'How to reproduce' Provenance; do
    grep -q "^## $part\$" card.md || { echo "no part $part" >&2; exit 1; }
done
grep -q '^# Model card: m$' card.md
grep -qF 'Triage of \<script\> \& \[x\](y)' card.md
if grep -q '<b>\|<script>' card.md; then exit 1; fi
grep -q 'At most 30 %' card.md
grep -q 'independent, of the same distribution' card.md
grep -q '^| north ' card.md
sum=$(sha256sum b.csv | cut -d ' ' -f 1)
grep -q "$sum" card.md
neyman card m > bare.md
grep -q 'No performance is reported' bare.md
if grep -q '^## Performance' bare.md; then exit 1; fi
neyman card m a.csv > seen.md
grep -q 'optimistic' seen.md
neyman train -q --label class --ignore region a.csv -o plain > out
neyman card plain > plain.md
grep -q 'no bound on an error rate is guaranteed' plain.md
neyman card m --by region 2> err && exit 1
grep -q -- '--by applies to DATA' err
neyman card m b.csv -o no/such/folder/x 2> err && exit 1
neyman card m b.csv --json > card.json
neyman evaluate m b.csv --json > e.json
command -v python3 > found || exit 77
python3 - << 'EOF'
import json
card, e = json.load(open("card.json")), json.load(open("e.json"))
for key in ("fpr", "fpr_interval", "fnr", "fnr_interval", "auc", "tp", "fp"):
    assert card["performance"][key] == e[key], key
assert card["claims"][0]["max_rate"] == 0.3 and card["guarantee"].startswith("At most 30 %")
assert card["rows"]["n"] == 499 and card["limits"] and card["assumptions"]
EOF
