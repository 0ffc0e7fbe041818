#!/bin/sh
# --missing indicator: the median, and a feature for each column of numbers that lacks cells in training. Random patterns of missing cells; medians and
# features computed in Python from the file alone; one score from text, pipe, cache, JSON and C.
set -eu
command -v python3 > /dev/null || exit 77
cat > make.py << 'END'
import random, sys
random.seed(int(sys.argv[1]))
share = [random.choice([0, 0, .02, .3, .8]) for c in range(4)]
print("label,a,b,k,far,d")
for i in range(120):
    y = i % 2
    cells = ["%.6g" % random.gauss(y, 1), "%.6g" % random.expovariate(1), "%d" % (1600000000 + random.randrange(1000)), "%d" % random.randrange(3)]
    cells = [random.choice(["", "NA", "?"]) if i > 3 and random.random() < p * (1.2 if y else .4) else v for v, p in zip(cells, share)]
    print(",".join([str(y), cells[0], cells[1], random.choice(["x", "y", "z", ""]), cells[2], cells[3]]))
END
cat > check.py << 'END'
# The lines of the model against medians and counts of the table.
import statistics
rows = [line.rstrip("\n").split(",") for line in open("a.csv")]
known, lacks = {}, []
for n in ["a", "b", "far", "d"]:
    column = [r[rows[0].index(n)] for r in rows[1:]]
    known[n] = [float(v) for v in column if v not in ("", "NA", "?")]
    if len(known[n]) < len(column):
        lacks.append(n)
line = {l.split()[0]: l.split()[1:] for l in open("m") if not l.startswith(" ")}
feature = {n: k for k, n in enumerate(["a", "b", "k=x", "k=y", "k=z", "far", "d"])}
assert [feature[n] + 1 for n in lacks] == [int(k) for k in line.get("indicators", [])], (lacks, line.get("indicators"))
assert int(line["columns"][0]) == 7 + len(lacks)
for n, values in known.items():
    k, median = feature[n], statistics.median(values)
    shift = float(line["shift"][k]) if "shift" in line else 0
    assert abs(float(line["fill"][k]) + shift - median) <= 1e-6 * abs(median), n
END
cat > main.c << 'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double f_score(const double *x);
double f_category(int column, const char *cell);
int main(void)
{
    char line[400];
    if (!fgets(line, sizeof line, stdin)) return 1;
    puts("predicted score");
    while (fgets(line, sizeof line, stdin)) {
        double x[5];
        char *at = strchr(line, ',') + 1;
        for (int k = 0; k < 5; k++) {
            char *end = at + strcspn(at, ",\n");
            *end = 0;
            const int missing = !*at || !strcmp(at, "NA") || !strcmp(at, "?");
            x[k] = k == 2 ? f_category(2, at) : missing ? NAN : atof(at);
            at = end + 1;
        }
        printf("- %.17g\n", f_score(x));
    }
    return 0;
}
END
same() { # two files with a header and the score in the second field, to single precision
    awk 'NR == FNR { s[FNR] = $2; n++; next } FNR > 1 { d = $2 - s[FNR]; if (d * d > 1e-8 * (1 + s[FNR] * s[FNR])) { print FNR, $2, s[FNR]; bad = 1 } } END { exit bad || FNR != n || n < 50 }' "$1" "$2"
}
for seed in 1 2 3 4 5 6; do
    case $seed in
        2) options='--scale rank' ;;
        3) options='--scale unit' ;;
        5) options='--scale none --kernel rbf --gamma 0.1 --ignore far' ;;
        6) options='--scale minmax' ;;
        *) options='' ;;
    esac
    python3 make.py $seed > a.csv
    python3 make.py 9$seed > new.csv
    neyman train -q --missing indicator $options a.csv -o m > out
    [ $seed -eq 5 ] || python3 check.py
    neyman predict -q m new.csv --scores > s
    neyman predict -q m - --scores < new.csv > s2
    cmp s s2
    neyman convert -q --missing keep a.csv a.ney > out
    if [ $seed -ne 5 ]; then # a cache has every column
        neyman train -q --missing indicator $options a.ney -o m2 > out
        neyman predict -q m2 new.csv --scores > s2
        cmp s s2
    fi
    neyman export -q m --format json -o m.json > out
    python3 "$NEY_SOURCE/tests/support/json_scores.py" m.json new.csv > js
    same s js
    neyman export -q m --format onnx -o m.onnx > out 2> err || grep -q rank err
    if command -v cc > /dev/null && [ $seed -le 3 ]; then
        neyman export -q m --format c --name f -o m.c > out
        cc -O1 main.c m.c -lm -o scorer
        ./scorer < new.csv > cs
        same s cs
    fi
done
# Sparse rows: nan is missing, an absent entry is zero.
awk 'BEGIN { srand(4); for (i = 0; i < 200; i++) { y = i % 2 ? 1 : -1; s = y; for (j = 1; j <= 40; j++) if (rand() < 0.1) s = s " " j ":" (j % 7 == 0 && rand() < 0.5 ? "nan" : rand() + y * (j == 3)); print s } }' > s.svm
neyman train -q --missing indicator s.svm -o k > out
grep -q '^indicators 7 14 21 28 35$' k
neyman predict -q k s.svm --scores > s
neyman export -q k --format json -o k.json > out
python3 "$NEY_SOURCE/tests/support/json_scores.py" k.json s.svm > js
same s js
neyman convert -q --missing keep s.svm s.ney > out
for how in '' '--max-fpr 0.1 --confidence none --method online --seed 3'; do
    neyman train -q --missing indicator $how s.svm -o k > out
    neyman train -q --missing indicator $how s.ney -o k2 > out
    neyman predict -q k s.svm --scores > s
    neyman predict -q k2 s.ney --scores > s2
    cmp s s2
done
# Folds, tuning, updates, importance; the name of the feature.
printf 'label,a,b\n' > a.csv
awk 'BEGIN { srand(2); for (i = 0; i < 200; i++) { y = i % 2; print y "," (rand() < 0.2 + 0.5 * y ? "" : rand()) "," rand() } }' >> a.csv
printf 'label,a,b\n' > new.csv
awk 'BEGIN { srand(3); for (i = 0; i < 200; i++) { y = i % 2; print y "," (rand() < 0.2 + 0.5 * y ? "" : rand()) "," rand() } }' >> new.csv
neyman cv -q --missing indicator a.csv > out
neyman tune -q --max-fpr 0.3 --confidence none --missing indicator a.csv -o t > out
neyman train -q --max-fpr 0.3 --confidence none --method online --missing indicator a.csv -o o > out
neyman update -q o new.csv --confidence none -o o2 > out
neyman evaluate -q o2 new.csv > out
neyman info t --importance a.csv --json 2> err | grep -q '"a=missing"'
# A row without the cell is flagged because it is missing, which no filling shows.
neyman train -q --missing indicator a.csv -o m > out
neyman train -q --missing median a.csv -o m0 > out
rate() { neyman evaluate -q "$1" new.csv --json | sed -n 's/.*"error_rate":[[:space:]]*\([0-9.]*\),.*/\1/p' | head -n 1; }
awk "BEGIN { exit !($(rate m) + 0.05 < $(rate m0)) }"
# What cannot hold it says so.
for format in liblinear percolator; do
    status=0; neyman export m --format $format -o x > out 2> err || status=$?
    [ $status -eq 2 ]
    grep -qi 'missing' err
done
