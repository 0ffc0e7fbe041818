#!/bin/sh
# Several PIN files: the file is part of a spectrum, each has its header and DefaultDirection row, plain,
# compressed or from standard input; rows that were trained on are recognised when their file comes alone. A tab
# table with columns of other names gives the same matches.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(8)
head = "SpecId\tLabel\tScanNr\tExpMass\tf1\tf2\tPeptide\tProteins\n"
direction = "DefaultDirection\t-\t-\t-\t1\t0.5\t-\t-\n"
letters = "ACDEFGHILMNPQSTVWY"
for k in range(3):
    rows = []
    for scan in range(400):              # the same scan numbers and masses in each file
        true = random.random() < 0.5
        for label in (1, -1):
            x = [round(random.gauss(3 * (true and label > 0), 1), 4) for _ in range(2)]
            core = "".join(random.choice(letters) for _ in range(8)) + "K"
            name = f"P{random.randrange(80)}"
            rows.append(f"s{k}_{scan}\t{label}\t{scan}\t{500 + scan}.5\t{x[0]}\t{x[1]}\tR.{core}.A\t{'DECOY_' * (label < 0)}{name}\n")
    open(f"run{k}.pin", "w").write(head + direction + "".join(rows))
    table = open("table.tsv", "a")
    if k == 0:
        table.write("psm\ttruth\tscan\trun\tf1\tf2\tsequence\taccession\n")
    for r in rows:
        c = r.rstrip("\n").split("\t")
        table.write("\t".join([c[0], "target" if c[1] == "1" else "decoy", c[2], f"run{k}", *c[4:]]) + "\n")
PY
gzip -k run1.pin

# Every spectrum of every file takes part: 1200 of them, not 400.
neyman train --max-fdr 0.05 run0.pin run1.pin run2.pin --seed 2 -o m --json -q > train.json
neyman qvalues m 'run?.pin' --max-fdr 0.05 --all -o rows.tsv --json -q > names.json
neyman qvalues m run0.pin run1.pin.gz - --max-fdr 0.05 --json -q < run2.pin -o gz.tsv > gz.json
python3 - <<'PY'
import json
train, names, packed = (json.load(open(f)) for f in ("train.json", "names.json", "gz.json"))
assert names["levels"][0]["best_targets"] + names["levels"][0]["best_decoys"] == 1200, names["levels"]
count = [r["levels"][0]["accepted"] for r in (names, packed)]
assert count[0] == count[1] == train["discoveries"] > 300, (count, train)
PY
neyman qvalues m run1.pin -o one.tsv 2> err > /dev/null
grep -q '800 of 800 rows, or their spectra, were used in training' err
cp run1.pin renamed.pin
neyman qvalues m - -o one2.tsv < renamed.pin 2> /dev/null > /dev/null
cmp one.tsv one2.tsv

# Another run has the same scan numbers and other masses: none of its rows was used in training, and all are scored
# by the mean of the folds, as under scan numbers that the model has never seen.
awk -F '\t' -v OFS='\t' 'NR > 2 { $4 += 0.25 } 1' run1.pin > other.pin
awk -F '\t' -v OFS='\t' 'NR > 2 { $3 += 5000 } 1' run1.pin > later.pin
neyman qvalues m other.pin --all -o other.tsv 2> err > /dev/null
! grep 'used in training' err
neyman qvalues m later.pin --all -o later.tsv 2> err > /dev/null
cut -f 1,2 other.tsv > a
cut -f 1,2 later.tsv > b
cmp a b

# One file with these scans is another matter: equal scans of two runs compete.
(cat run0.pin; sed 1,2d run1.pin) > glued.pin
neyman qvalues m glued.pin --json -q -o glued.tsv > glued.json
python3 -c 'import json; r = json.load(open("glued.json"))["levels"][0]; assert r["best_targets"] + r["best_decoys"] == 400, r'

# PIN out of several files keeps them apart.
neyman convert run0.pin run1.pin both.pin -q > /dev/null
head -1 both.pin | grep -q "$(printf '^SpecId\tLabel\tFILE\tScanNr')"
neyman qvalues m both.pin --json -q -o both.tsv > both.json
python3 -c 'import json; r = json.load(open("both.json"))["levels"][0]; assert r["best_targets"] + r["best_decoys"] == 800, r'

# A tab table whose columns have other names.
columns="--label truth --positive target --id psm --keep scan,run,sequence,accession"
neyman train --max-fdr 0.05 table.tsv $columns --spectrum run,scan --seed 2 -o t --json -q > /dev/null
neyman qvalues t table.tsv --max-fdr 0.05 --spectrum run,scan --peptide sequence --protein accession --decoy-prefix DECOY_ \
    --results-psms p.tsv --results-peptides q.tsv --results-proteins r.tsv -o t.tsv --json -q > table.json
head -1 p.tsv | grep -qx "$(printf 'PSMId\tscore\tq-value\tposterior_error_prob\tpeptide\tproteinIds')"
sed -n 2p p.tsv | grep -q '^s[012]_[0-9]*	'
python3 - <<'PY'
import json
r = json.load(open("table.json"))["levels"]
assert [x["level"] for x in r] == ["match", "peptide", "protein"], r
assert r[0]["best_targets"] + r[0]["best_decoys"] == 1200 and r[0]["accepted"] > 300, r
PY
neyman info t --json | python3 -c 'import json, sys; assert json.load(sys.stdin)["cols"] == 2'
