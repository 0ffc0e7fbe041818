#!/bin/sh
# A column that is named like an identifier and repeats its values is reported where a certificate or
# an interval would need independent rows; ordinary columns are not.
set -eu
command -v python3 >/dev/null || exit 77
python3 - <<'PY'
import random
random.seed(2)
for name, column, value in (
        ("patient.csv", "patient", lambda k: f"p{k // 4}"), # repeats
        ("number.csv", "userID", lambda k: 10**15 + k // 3), # repeats, beyond single precision
        ("unique.csv", "user_id", lambda k: 10**15 + k), # does not
        ("flag.csv", "card", lambda k: k % 2), # two values only
        ("grid.csv", "grid", lambda k: k // 4), # another word
        ("valid.csv", "valid", lambda k: k // 4),
        ("type.csv", "card_type", lambda k: k % 30)):
    with open(name, "w") as f:
        f.write(f"{column},y,a\n")
        for k in range(600):
            y = random.randint(0, 1)
            f.write(f"{value(k)},{y},{random.gauss(y, 1):.4f}\n")
PY
warned() { # FILE OPTIONS...
    neyman train --label y --max-fpr 0.1 -o m --json -q "$@" > out.json
    python3 -c "
import json
print(any('may not be independent' in w for w in json.load(open('out.json')).get('warnings', [])))"
}
test "$(warned patient.csv --ignore patient)" = True
test "$(warned patient.csv --id patient)" = True
test "$(warned number.csv)" = True
neyman train number.csv --label y --max-fpr 0.1 -o m -q | head -4 | grep -q '^warning: .*name it with --group userID'
test "$(warned patient.csv --group patient)" = False
test "$(warned number.csv --confidence none)" = False # nothing is claimed of new data
for f in unique flag grid valid type; do
    test "$(warned $f.csv)" = False || { echo "$f.csv is warned of"; exit 1; }
done
neyman train "$DATA/spambase-train.csv.gz" --label type --max-fpr 0.1 -o m --json -q > out.json
! grep -q 'may not be independent' out.json

# compare: whole groups are tested, and drawn together by the bootstrap.
neyman compare patient.csv --label y --group patient --max-fpr 0.1 --grid C=1 --json -q > compare.json
neyman compare patient.csv --label y --ignore patient --max-fpr 0.1 --grid C=1 --json -q > rows.json
python3 - <<'PY'
import json
c, r = json.load(open("compare.json")), json.load(open("rows.json"))
assert c["unit"] == "group" and "unit" not in r and c["n_test"] % 4 == 0
assert "fpr_interval" not in c["methods"][0] and "fpr_interval" in r["methods"][0]
assert any("--group patient" in w for w in r["warnings"]) and not any(
    "may not be" in w for w in c.get("warnings", []))
PY

# "No better than chance" counts groups, not rows: 4 of 10 groups of positives are found at a bound of 0.2 (300 rows), which
# chance may do; 120 of 300 rows that are independent it would not.
awk 'BEGIN { print "label\tscore\tpatient"
             for (g = 0; g < 10; g++) { for (i = 0; i < 30; i++) { print 1 "\t" (g < 4 ? 5 : -5) "\t" "p" g } }
             for (g = 0; g < 60; g++) { for (i = 0; i < 5; i++) { print 0 "\t" (-g / 60) "\t" "n" g } } }' > groups.tsv
neyman certify -q groups.tsv --max-fpr 0.2 --group patient > grouped.out
grep -q 'detects 40 % of positives .*no better than chance at this bound' grouped.out
cut -f 1,2 groups.tsv | neyman certify -q - --max-fpr 0.2 > rows.out
if grep -q 'no better than chance' rows.out; then cat rows.out; exit 1; fi
# The same in training: one column that is equal in all rows of a group and says nothing of the label.
python3 - > noise.csv << 'EOF'
import random
r = random.Random(4)
print("y,x,patient")
for g in range(160):
    y, x = int(g % 2), r.gauss(0.45 * (g % 2), 1)
    for i in range(20):
        print(f"{y},{x:.3f},p{g}")
EOF
neyman train -q noise.csv --label y --group patient --max-fpr 0.2 -o m > grouped.out
grep -q 'no better than chance at this bound' grouped.out
neyman train -q noise.csv --label y --ignore patient --max-fpr 0.2 -o m > rows.out
if grep -q 'no better than chance at this bound' rows.out; then cat rows.out; exit 1; fi
