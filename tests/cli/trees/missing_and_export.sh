#!/bin/sh
# Missing cells are kept by default and are not zeros; exported C gives the scores of predict bit for
# bit, also of missing cells; tuning makes at most 30 fits.
set -eu
command -v python3 > /dev/null || exit 77
command -v cc > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(4)
with open("d.csv", "w") as f:
    f.write("a,b,kind,y\n")
    for i in range(400):
        y = random.random() < 0.4
        # a missing a says yes; a zero says no
        a = "" if y and random.random() < 0.8 else 0 if not y and random.random() < 0.5 else round(random.gauss(0, 1), 3)
        f.write(f"{a},{round(random.gauss(y, 2), 3)},{random.choice('uvw')},{'yes' if y else 'no'}\n")
PY
if ! neyman train -q --trees 15 --label y d.csv -o m > /dev/null 2> err; then
    grep -q "needs libxgboost" err && exit 77
    cat err
    exit 1
fi
neyman evaluate -q --json m d.csv > out.json
python3 -c 'import json; o = json.load(open("out.json")); assert o["error_rate"] < 0.2, o["error_rate"]'
status=0
neyman train -q --trees 15 --missing error --label y d.csv -o x > /dev/null 2> err || status=$?
test "$status" = 3
neyman predict -q m d.csv --scores -o s.tsv
neyman export -q m --format c --name ney -o m.c
cat > main.c <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
double ney_score(const double *x);
int main(void)
{
    double x[3];
    while (scanf("%lf %lf %lf", x, x + 1, x + 2) == 3) {
        printf("%.17g\n", ney_score(x));
    }
    return 0;
}
C
cc -std=c99 -O1 -Wall -Wextra -Werror -ffp-contract=off m.c main.c -lm -o main
python3 - <<'PY'
import csv, re, subprocess
text = open("m.c").read()
words = dict((w, k) for k, w in re.findall(r'(\d+) for "([uvw])"', text))
rows = list(csv.DictReader(open("d.csv")))
given = "".join(f"{r['a'] or 'nan'} {r['b']} {words[r['kind']]}\n" for r in rows)
found = [float(v) for v in subprocess.run(["./main"], input=given, capture_output=True, text=True, check=True).stdout.split()]
expected = [float(r["score"]) for r in csv.DictReader(open("s.tsv"), delimiter="\t")]
assert found == expected, [(a, b) for a, b in zip(found, expected) if a != b][:3]
PY
neyman tune -q --json --trees 3 --max-fpr 0.2 --confidence none --label y d.csv -o t > tuned.json
python3 -c 'import json; o = json.load(open("tuned.json")); assert o["fits"] == 24, o["fits"]'
