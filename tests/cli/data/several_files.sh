#!/bin/sh
# Several DATA files are read as one, by name or by pattern, plain, compressed or from standard input;
# FILE names the file of a row; --keep carries columns to outputs; errors name the file and the line.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(6)
rows = []
for k in range(3):
    with open(f"run{k}.csv", "w") as f:
        f.write("name,site,a,b,label\n")
        for i in range(200):
            y = random.random() < 0.5
            f.write(f'n{k}_{i},"s, {i % 3}",{random.gauss(1.5 * y, 1):.4f},{random.gauss(y, 1):.4f},{int(y)}\n')
    with open(f"run{k}.svm", "w") as f:
        for line in open(f"run{k}.csv").read().split("\n")[1:-1]:
            a, b, y = line.rsplit(",", 3)[1:]
            f.write(f"{y} 1:{a} 2:{b}\n")
PY
(cat run0.csv; sed 1d run1.csv; sed 1d run2.csv) > all.csv
cat run0.svm run1.svm run2.svm > all.svm
gzip -k run1.csv

# One model, whichever way the rows come.
read="--keep name --ignore site -q -C 1 --max-fpr 0.2"
neyman train all.csv $read -o m > /dev/null
for way in "run0.csv run1.csv run2.csv" "run?.csv" "run0.csv run1.csv.gz -" "run0.csv run[12].csv"; do
    set -f
    neyman train $way $read -o m2 < run2.csv > /dev/null
    set +f
    cmp m m2
done
neyman train all.svm -q -o s > /dev/null
neyman train run0.svm run1.svm run2.svm -q -o s2 > /dev/null
cmp s s2
neyman convert run0.csv run1.csv run2.csv c.ney --keep name --ignore site -q > /dev/null
neyman train c.ney -q -C 1 --max-fpr 0.2 --scale standard -o m3 > /dev/null
neyman predict m3 all.csv --scores -q -o s3.tsv
neyman predict m all.csv --scores -q -o s1.tsv
cmp s1.tsv s3.tsv

# Predictions carry the columns that the model keeps, or those of --keep; the file is one of them.
neyman predict m 'run*.csv' --scores -q > p.tsv
head -1 p.tsv | grep -qx "$(printf 'predicted\tscore\tlabel\tname')"
cmp p.tsv s1.tsv
neyman predict m run1.csv.gz - --scores --keep FILE,site,a -q < run2.csv > p.tsv
head -1 p.tsv | grep -qx "$(printf 'predicted\tscore\tlabel\tFILE\tsite\ta')"
test "$(wc -l < p.tsv)" -eq 401
sed -n 2p p.tsv | grep -q "$(printf '\trun1.csv.gz\ts, 0\t')"
sed -n 401p p.tsv | grep -q "$(printf '\tstandard input\ts, 1\t')"
neyman predict m run0.csv --scores --keep name --jsonl -q | head -1 | grep -q '"name": "n0_0"}'
neyman predict s run1.svm run2.svm --scores --keep FILE -q | tail -1 | grep -q "$(printf '\trun2.svm$')"
neyman predict m run0.csv --keep name > /dev/null 2> err && exit 1
grep -q 'keep applies to predict with --scores' err
test "$(neyman evaluate m run0.csv run1.csv --json -q | python3 -c 'import json,sys; print(json.load(sys.stdin)["n"])')" = 400
neyman convert run0.csv run1.csv --keep name,FILE --ignore site back.csv -q > /dev/null
head -1 back.csv | grep -qx 'label,FILE,name,a,b'

# The file as the group.
neyman train run0.csv run1.csv run2.csv --ignore name,site --group FILE -q --max-fpr 0.2 --confidence none -o g > /dev/null
neyman evaluate g run0.csv run1.csv --json -q > g.json
python3 -c 'import json; r = json.load(open("g.json")); assert r["n_groups"] == 2, r'

# What does not fit is refused, with its place.
refuse() {
    code=$1; part=$2; shift 2
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq $code || { cat err; exit 1; }
    grep -qF "$part" err || { cat err; exit 1; }
}
sed 's/site/place/' run1.csv > other.csv
refuse 3 "other.csv:1:6: column 2 is called 'place', expected 'site'" train run0.csv other.csv -o x
(cat run1.csv; echo 'n,s,1,x,0') > word.csv
refuse 3 "word.csv:202: column 'b' holds 'x'" train run0.csv word.csv --ignore name,site -o x
refuse 3 "word.csv:202:7: found 'x' in column 'b'" predict m run0.csv word.csv
(cat run1.csv; echo 'n,s,1,2,maybe') > label.csv
refuse 3 "label.csv:202: found label 'maybe' after" train run0.csv label.csv --ignore name,site -o x
grep -q 'of run0.csv' err
(cat run1.svm; echo '1 1:x') > word.svm
refuse 3 "word.svm:201:5" train run0.svm word.svm -o x
refuse 3 'run1.svm: is svmlight text, expected CSV' train run0.csv run1.svm --ignore name,site -o x
refuse 3 'c.ney: is a cache' train run0.csv c.ney --ignore name,site -o x
refuse 2 'is named twice' train run0.csv ./run0.csv --ignore name,site -o x
refuse 1 'no file matches' train run0.csv 'none*.csv' --ignore name,site -o x
refuse 1 'gone.csv: cannot be opened' train run0.csv gone.csv --ignore name,site -o x
refuse 2 'standard input can be read only once' train - - -o x
refuse 2 'would overwrite' train 'run*.csv' --ignore name,site -o run1.csv
refuse 2 'for --keep' train run0.svm --keep name -o x
