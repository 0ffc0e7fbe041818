#!/bin/sh
# A bounded FDR with trees, where it is known which targets are false: true targets differ from decoys
# by the product of two columns, of which a linear score sees half. Trees accept most of them, and few false
# ones; the model is the same for any number of threads; q-values of its rows are out of fold.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(8)
with open("d.pin", "w") as f:
    f.write("SpecId\tLabel\tScanNr\ta\tb\tc\tPeptide\tProteins\n")
    for i in range(3000):
        target = i % 2 == 0
        good = target and random.random() < 0.4
        a, b = random.gauss(0, 1), random.gauss(0, 1)
        if good:  # both far from 0 with the same sign
            s = random.choice((-1, 1))
            a, b = s * (2 + random.random()), s * (2 + random.random())
        name = ("true" if good else "false" if target else "decoy") + str(i)
        f.write(f"{name}\t{1 if target else -1}\t{i + 1}\t{a:.4f}\t{b:.4f}\t{random.gauss(0.3 * good, 1):.4f}\tK.{name}.R\tP{i}\n")
PY
for t in 1 3; do
    if ! neyman train -q --json --threads $t --max-fdr 0.02 --trees 20 d.pin -o "m$t" > out.json 2> err; then
        grep -q "needs libxgboost" err && exit 77
        cat err
        exit 1
    fi
done
cmp m1 m3
test ! -s err
neyman qvalues -q m1 d.pin -o q.tsv
neyman info --json m1 > info.json
python3 - <<'PY'
import csv, json
out, info = json.load(open("out.json")), json.load(open("info.json"))
assert out["method"] == "boosting" and out["family"] == "trees", out
assert out["discoveries"] == out["discoveries_trees"] > 1.5 * out["discoveries_svm"], out
rows = list(csv.DictReader(open("q.tsv"), delimiter="\t"))
name = next(k for k in rows[0] if rows[0][k].rstrip("0123456789") in ("true", "false", "decoy"))
accepted = [r[name] for r in rows if float(r["q-value"]) <= 0.02 and not r[name].startswith("decoy")]
false = sum(a.startswith("false") for a in accepted)
assert len(accepted) >= 400 and false <= 0.06 * len(accepted), (len(accepted), false)
PY
# options of the linear stages are refused
for words in "--tol 0.1" "--kernel rbf" "--eta 0.5" "--method lagrangian" "--missing keep"; do
    status=0
    # shellcheck disable=SC2086 # words
    neyman train -q --max-fdr 0.02 --trees 5 $words d.pin -o x > out 2> err || status=$?
    test "$status" = 2
    test ! -e x
done
