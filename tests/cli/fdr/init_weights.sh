#!/bin/sh
# --init-weights: the search begins at the weights of a file, converted to scaled columns by name; weights that accept less
# than a feature change nothing, and the stage of single features stays what it is.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(3)
# True targets differ in a - b alone, and a and b vary together by far more.
with open("d.pin", "w") as f:
    f.write("SpecId\tLabel\tScanNr\ta\tb\tPeptide\tProteins\n")
    for i in range(600):
        for y in (1, -1):
            common, up = random.gauss(0, 30), 4.5 * (y > 0 and i % 3 == 0)
            f.write(f"s{i}\t{y}\t{i}\t{common + random.gauss(up, 1):.4f}\t{7 * (common + random.gauss(0, 1)):.4f}\tK.AC{i}K.A\tP{i}\n")
PY
printf 'b\ta\tm0\n0\t0\t0\n-0.142857\t1\t-3\n' > w.txt      # raw weights, in another order
printf 'a\tb\tm0\n0\t0\t0\n1\t1\t0\n' > poor.txt
# the same direction, so long that scores would overflow
python3 -c 'k = 2.0**1010; print("b\ta\tm0\n0\t0\t0\n%r\t%r\t-3" % (-0.142857 * k, k))' > long.txt
neyman train --max-fdr 0.05 d.pin -o plain -q --json > plain.json
neyman train --max-fdr 0.05 d.pin --init-weights w.txt -o m -q --json > m.json
neyman train --max-fdr 0.05 d.pin --init-weights long.txt -o long -q > /dev/null
cmp m long
neyman train --max-fdr 0.05 d.pin --init-weights poor.txt -o poor -q --json > poor.json
neyman export m --format percolator -o again.txt -q > /dev/null
neyman train --max-fdr 0.05 d.pin --init-weights again.txt -o n -q --json > n.json
neyman train --max-fdr 0.05 d.pin --init-weights m -o own -q --json > own.json
neyman train --max-fdr 0.05 d.pin --init-weights w.txt --network 3 -o net -q --json > net.json
python3 - <<'PY'
import json
r = {k: json.load(open(k + ".json")) for k in ("plain", "m", "poor", "n", "own", "net")}
count = {k: r[k]["discoveries"] for k in r}
assert count["m"] > 100 and count["n"] > 100 and count["own"] > 100, count
assert r["m"]["discoveries_feature"] == r["plain"]["discoveries_feature"], r["m"]
assert r['m']['discoveries_feature'] == 0, r['m']   # no single feature shows the direction
PY
cmp plain poor
if cmp -s plain m; then exit 1; fi

refuse() { # exit code, words of the message, options
    code=$1; part=$2; shift 2
    status=0; neyman train --max-fdr 0.05 d.pin -o x "$@" > out 2> err || status=$?
    test $status -eq "$code" || { cat err; exit 1; }
    grep -qF -- "$part" err || { cat err; exit 1; }
}
printf 'a\tother\tm0\n0\t0\t0\n1\t2\t0\n' > other.txt
refuse 3 "other.txt: has a weight for the feature 'other', which the data lack" --init-weights other.txt
printf 'a\tb\tm0\n0\t0\t0\n1\t1e308\t0\na\tb\tm0\n0\t0\t0\n1\t1e308\t0\n' > sum.txt
refuse 3 'sum.txt: weight 2 of all folds together is too large' --init-weights sum.txt
printf 'a\tb\tm0\n0\t0\t0\n1\t1e308\t0\n' > one.txt
refuse 3 "one.txt: the weight of the feature 'b' is too large" --init-weights one.txt
printf 'a\tb\0c\tm0\n0\t0\t0\n1\t2\t0\n' > nul.txt
refuse 3 'nul.txt: found a NUL byte' --init-weights nul.txt
cp w.txt before.txt
ln -s w.txt link.txt
for name in w.txt ./w.txt link.txt; do
    status=0; neyman train --max-fdr 0.05 d.pin --init-weights w.txt -o $name > out 2> err || status=$?
    test $status -eq 2 && grep -q 'name another file' err
    cmp w.txt before.txt
done
neyman train --max-fpr 0.4 --confidence none --kernel rbf d.pin -o rbf -q > /dev/null
refuse 2 'not linear' --init-weights rbf
refuse 2 'ranks' --init-weights w.txt --scale rank
refuse 1 'none.txt' --init-weights none.txt
status=0; neyman train --max-fpr 0.1 d.pin -o x --init-weights w.txt > out 2> err || status=$?
test $status = 2 && grep -q -- '--init-weights applies to --max-fdr' err
