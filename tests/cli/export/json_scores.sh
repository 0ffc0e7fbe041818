#!/bin/sh
# export --format json is complete for every family: a program that shares nothing with neyman
# (tests/support/json_scores.py) computes the scores, labels and p-values of predict from it alone.
set -eu
command -v python3 > found || { echo 'no python3' >&2; exit 77; }

# compare MODEL DATA TOLERANCE: every score within TOLERANCE * (1 + the largest), 0: the same number;
# every label the same, unless the score is that close to the threshold.
compare() {
    neyman export "$1" --format json -o model.json > out
    python3 "$NEY_SOURCE/tests/support/json_scores.py" model.json "$2" > got
    word=
    ! neyman info "$1" --json | grep -q '"threshold_low"' || word="--reject-label reject"
    # shellcheck disable=SC2086
    neyman predict -q --scores $word "$1" "$2" | cut -f 1,2 > expected
    python3 - "$3" <<'END' || { echo "$1 $2: differs" >&2; exit 1; }
import json, sys
tolerance = float(sys.argv[1])
model = json.load(open("model.json"))
got, expected = ([l.rstrip("\n").split("\t") for l in open(f)][1:] for f in ("got", "expected"))
assert len(got) == len(expected) > 0, (len(got), len(expected))
size = 1 + max(abs(float(e[1])) for e in expected)
edges = [float(model["threshold"]), float(model.get("threshold_low", model["threshold"]))]
for i, (g, e) in enumerate(zip(got, expected)):
    a, b = float(g[1]), float(e[1])
    assert abs(a - b) <= tolerance * size, (i, a, b)
    assert g[0] == e[0] or min(abs(b - t) for t in edges) <= tolerance * size, (i, g, e)
assert len({e[1] for e in expected}) > 10
END
}

awk 'BEGIN { srand(4); for (i = 1; i <= 300; i++) { y = i % 3 ? -1 : 1; s = y
    for (j = 1; j <= 9; j++) if ((i * j) % 4) s = s " " j ":" sprintf("%.9g", rand() - 0.5 + y * (j % 2 ? 1 : -1) / 4)
    print s } }' > d.svm
for scale in none standard minmax unit rank; do
    neyman train -q --scale $scale --cost-fp 2 d.svm -o m > out
    compare m d.svm 0
done
for kernel in rbf poly sigmoid; do
    neyman train -q --scale standard --kernel $kernel --gamma 0.05 --coef0 0.5 d.svm -o m > out 2> err ||
        neyman train -q --scale standard --kernel $kernel --gamma 0.05 d.svm -o m > out 2> err || test $? -eq 5
    compare m d.svm 1e-6
done
neyman train -q --max-fpr 0.2 --method online --network 7 --epochs 3 d.svm -o net > out 2> err || test $? -eq 5
compare net d.svm 1e-13
for layers in '7,4' '5 --activation relu' '6,3 --activation relu'; do
    # shellcheck disable=SC2086
    neyman train -q --max-fpr 0.2 --network $layers --epochs 3 d.svm -o deep > out 2> err || test $? -eq 5
    compare deep d.svm 1e-13
done
neyman train -q --max-fpr 0.2 --method online --features 50 --epochs 3 d.svm -o rff > out 2> err || test $? -eq 5
compare rff d.svm 1e-5

# a table: words with quotes and other letters, gaps, columns far from zero, a rejection band
awk 'BEGIN { srand(9); print "a,\"b \"\"c\"\"\",town,type,far"; split("Rome;\"K\303\266ln, \"\"x\"\"\";back\\slash", t, ";")
    for (i = 1; i <= 300; i++) { k = i % 3 + 1; y = rand() < k / 4
        printf "%s,%.9g,%s,%s,%.9g\n", i % 17 ? sprintf("%.9g", rand() + y) : "", rand(), t[k], y ? "yes" : "no", 12345678 + y + 3 * rand() } }' > t.csv
neyman train -q --label type --missing mean --cost-fp 2 t.csv -o m > out
compare m t.csv 0
neyman predict -q --scores m t.csv -o scores > out
neyman certify -q scores --max-fpr 0.05 --max-fnr 0.05 --confidence 0.9 --model m -o band > out
compare band t.csv 0
cut -f 1 got | grep -q reject
neyman train -q --label type --missing mean --network 3 --max-fpr 0.3 --epochs 3 t.csv -o m > out 2> err || test $? -eq 5
compare m t.csv 1e-13

# conformal p-values
neyman train -q --conformal --max-fpr 0.3 d.svm -o c > out 2> err || neyman train -q --conformal d.svm -o c > out
compare c d.svm 0
neyman predict -q --scores --conformal c d.svm > predicted
python3 - <<'END'
lines = [l.rstrip("\n").split("\t") for l in open("predicted")]
p = [lines[0].index("p_pos"), lines[0].index("p_neg")]
got = [l.rstrip("\n").split("\t")[2:] for l in open("got")][1:]
assert [[float(l[k]) for k in p] for l in lines[1:]] == [[float(v) for v in g] for g in got]
END

# fold models, whose mean the model is
awk 'BEGIN { srand(3); print "SpecId\tLabel\tScanNr\ta\tb\tc\tPeptide\tProteins"
    for (i = 1; i <= 900; i++) { y = i % 2 ? 1 : -1; u = y > 0 && rand() < 0.5 ? 2 : 0
        printf "s%d\t%d\t%d\t%.6f\t%.6f\t%.6f\tPEP%d\tP\n", i, y, i, rand() + u, rand() - u, rand(), i } }' > p.pin
neyman train -q --max-fdr 0.05 p.pin -o f > out 2> err
neyman export f --format json -o model.json > out
python3 - <<'END'
import json
folds = json.load(open("model.json"))["folds"]
assert len(folds["models"]) == 3 and len(folds["keys"]) == len(folds["fold_of_key"]) == 900, folds.keys()
assert sorted(set(folds["fold_of_key"])) == [0, 1, 2] and folds["keys"] == sorted(folds["keys"])
END
awk 'NR > 1 { print (NR % 2 ? -1 : 1) " 1:" $4 + 0.5 " 2:" $5 " 3:" $6 }' p.pin > new.svm # no row of the training
compare f new.svm 1e-12
awk -F '\t' 'NR > 1 { a = $2 - $3; if (a * a > 1e-20 * (1 + $2 * $2)) { print "folds: " $0; exit 1 } }' got >&2

# what cannot be exported says so: exit 2, no file
refuse() {
    status=0
    neyman export "$1" --format "$2" -o no > out 2> err || status=$?
    test $status -eq 2 || { echo "$1 $2: exit $status" >&2; exit 1; }
    grep -q "$3" err || { echo "$1 $2: no '$3'" >&2; cat err >&2; exit 1; }
    test ! -e no
}
neyman train -q --label type --positive yes --missing mean --kernel rbf --scale none t.csv -o k > out 2> err || test $? -eq 5
for format in libsvm liblinear; do
    refuse net $format "family 'network'"
    refuse rff $format "family 'features'"
    refuse c $format 'conformal'
    refuse f $format 'fold models'
    refuse band $format 'missing cells\|rejects'
    refuse k $format 'missing cells\|linear ones'
done
refuse c c 'conformal'
refuse f c 'fold models'
