#!/bin/sh
# PIN files as search engines write them: rows with different numbers of proteins or none, modified peptides, CRLF, no
# ScanNr. What joins files without saying which row is of which is refused, and the name of a file changes no model.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(3)
head = ["SpecId", "Label", "ScanNr", "ExpMass", "CalcMass", "f1", "f2", "Peptide", "Proteins"]
rows = []
for scan in range(600):
    true = random.random() < 0.5
    for label in (1, -1):
        x = [round(random.gauss(3 * (true and label > 0), 1), 1) for _ in range(2)]   # rows of equal features
        core = "".join(random.choice("ACDEFGHILMNPQSTVWY") for _ in range(8)) + "K"
        core = core[:3] + "[15.9949]" * (scan % 3 == 0) + core[3:]
        core = "n[42.0106]" * (scan % 7 == 0) + core
        names = ["rev_" * (label < 0) + f"sp|P{random.randrange(80)}|X(12)" for _ in range(1 + scan % 4)]
        rows.append([f"run_{scan}_{label}", str(label), str(scan), f"{500 + scan}.5", "500", *map(str, x), f"R.{core}.A", *names])
def write(path, rows, head=head, end="\n"):
    with open(path, "w", newline="") as f:
        f.write(end.join("\t".join(r) for r in [head, *rows]) + end)
write("all.pin", rows)
write("crlf.pin", rows, end="\r\n")
write("empty.pin", [r[:8] + ([""] if k % 5 == 0 else r[8:]) for k, r in enumerate(rows)])
write("mixed.pin", [r[:8] + ["XXX_" + n[4:] if r[1] == "-1" and k % 4 > 1 else n for n in r[8:]] for k, r in enumerate(rows)])
write("noscan.pin", [r[:2] + r[3:] for r in rows], head[:2] + head[3:])
write("run1.pin", rows[:600])
write("run2.pin", rows[600:])
PY
cat run1.pin run2.pin > joined.pin

accepted() {
    neyman train --max-fdr 0.05 "$@" -o m -q --json > t.json
    neyman qvalues m "$@" --max-fdr 0.05 -q --json -o a.tsv --results-psms psms.tsv --results-peptides peptides.tsv \
        --results-proteins proteins.tsv > q.json
    python3 -c 'import json; print(*(l["accepted"] for l in json.load(open("q.json"))["levels"]))'
}
accepted all.pin > all.txt
accepted crlf.pin > crlf.txt
cmp all.txt crlf.txt
awk '{ exit !($1 > 200 && $2 > 200 && $3 > 10) }' all.txt
# a row has as many cells as its proteins need, and the modified peptide is whole
awk -F '\t' 'NR > 1 { n[NF]++ } END { exit !(n[6] && n[7] && n[8] && n[9]) }' psms.tsv
grep -q 'R\.n\[42\.0106\][A-Z][A-Z][A-Z]\[15\.9949\][A-Z]*K\.A' psms.tsv

# Rows without a protein count for none; matches and peptides are the same.
accepted empty.pin > empty.txt
cut -d ' ' -f 1,2 all.txt > a; cut -d ' ' -f 1,2 empty.txt > b
cmp a b
# Two prefixes of decoys: no guess is made.
neyman qvalues m mixed.pin -q -o a.tsv --results-proteins p.tsv 2> err && exit 1
grep -q "no usual prefix (decoy_, rev_, ...) begins the proteins of every decoy: row 2 is a decoy of 'rev_sp" err
# Without scans every row is its own spectrum.
accepted noscan.pin > noscan.txt
grep -q '"no competition"' q.json

# Scans that are not numbered, all 0: spectra are told apart by their masses, in folds too.
awk -F '\t' -v OFS='\t' 'NR > 1 { $3 = 0 } 1' all.pin > zero.pin
accepted zero.pin > zero.txt
awk '{ exit !($1 > 200) }' zero.txt
neyman train --max-fdr 0.05 zero.pin -o z --json -q | python3 -c 'import json, sys; o = json.load(sys.stdin); assert o["folds"] == 3 and o["n"] == 1200, o'
neyman train --max-fdr 0.05 --training-rows 600 zero.pin -o z --json -q |
    python3 -c 'import json, sys; o = json.load(sys.stdin); assert o["folds"] == 3 and o["discoveries"] > 150, o'

# One file that joins two with their headers is refused; the two are read as one.
status=0
neyman train --max-fdr 0.05 joined.pin -o j -q 2> err || status=$?
test $status -eq 3
grep -q 'joined.pin:602:1: this line repeats the header: name the files one after the other' err
accepted run1.pin run2.pin > two.txt
neyman qvalues m run1.pin run2.pin --all -q | sort > two.tsv
# compressed, under other names: the same scores, although many rows have equal features
gzip -c run1.pin > zzz.gz
cp run2.pin aaa
accepted zzz.gz aaa > renamed.txt
neyman qvalues m zzz.gz aaa --all -q | sort > renamed.tsv
cmp two.txt renamed.txt
cmp two.tsv renamed.tsv
