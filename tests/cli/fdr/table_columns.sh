#!/bin/sh
# Tables: the columns of --spectrum, --peptide and --protein are no features, as if they were under --keep, and the
# spectra of a peptide stay in one fold whatever its column is called.
set -eu
command -v python3 > /dev/null || exit 77
cat > make.py <<'PY'
import random
random.seed(5)
rows = []
for scan in range(900):
    k = random.randrange(150)
    for y in (1, -1):
        true = y > 0 and k % 2 == 0
        core = f"{'PEPTIDE' if y > 0 else 'EDITPEP'}{chr(65 + k // 26)}{chr(65 + k % 26)}"
        rows.append([f"s{scan}_{y}", y, scan, *(round(random.gauss(1.5 * true, 1), 4) for _ in range(3)),
                     f"K.{core}K.A", ("" if y > 0 else "DECOY_") + f"P{k // 4}"])
def write(name, header, rows):
    with open(name, "w") as f:
        f.writelines("\t".join(map(str, row)) + "\n" for row in [header] + rows)
write("a.tsv", ["name", "truth", "number", "x", "y", "z", "sequence", "accession"], rows)
write("b.tsv", ["name", "truth", "number", "x", "y", "z", "Peptide", "accession"], rows)
PY
python3 make.py
train() { neyman train --max-fdr 0.05 --label truth --id name "$@" --json -q > out; }
train a.tsv --spectrum number --peptide sequence --protein accession -o a.model
neyman info a.model --json | tr -d '\n\t' | grep -q '"cols":3,'
# the same as by --keep, and by the name Peptide
train a.tsv --keep number,sequence,accession --spectrum number --peptide sequence -o kept.model
cmp a.model kept.model
train b.tsv --keep Peptide --spectrum number --protein accession -o named.model
scores() { neyman qvalues "$@" --all --with-decoys -q -o o.tsv > out; cut -f 2- o.tsv; }
scores a.model a.tsv --spectrum number > a.scores
scores named.model b.tsv --spectrum number > named.scores
cmp a.scores named.scores
# folds of spectra alone are others, unless the peptides join them
train a.tsv --keep sequence,accession --spectrum number -o other.model
scores other.model a.tsv --spectrum number > other.scores
if cmp -s a.scores other.scores; then exit 1; fi
# so do the folds of a search: the same losses
search() { neyman tune -q --max-fdr 0.05 --label truth --id name --spectrum number --protein accession --grid C=1 --folds 2 --no-extend \
    --refine 0 --threads 1 "$@" > out; }
losses() { # fold and what follows the rows that were learned from, up to the area
    awk -F '\t' '$1 !~ /^#/ && !first { for (i = 1; i <= NF; i++) { if ($i == "loss") first = i; if ($i == "auc") last = i; if ($i == "fold") fold = i } }
                 first { printf "%s", $fold; for (i = first; i <= last; i++) printf " %s", $i; print "" }' "$1"
}
search a.tsv --peptide sequence --table a.table -o t.model
search b.tsv --keep Peptide --table b.table -o t.model
losses a.table > a.losses
losses b.table > b.losses
grep -q '^fold loss' a.losses
cmp a.losses b.losses
search a.tsv --keep sequence --table a.table -o t.model # another search: its folds are others
losses a.table > other.losses
if cmp -s a.losses other.losses; then exit 1; fi
# the columns are there for the levels
neyman qvalues -q a.model a.tsv --spectrum number --peptide sequence --protein accession --decoy-prefix DECOY_ -o o.tsv \
    --results-psms p.tsv --results-proteins r.tsv > out
head -n 2 r.tsv | tail -n 1 | grep -q '^P[0-9]'
refuse() { status=0; "$@" > out 2> err || status=$?; test $status -eq 2; }
refuse neyman train --max-fdr 0.05 --label truth --id name --keep sequence,accession,number a.tsv --spectrum number --peptide nowhere -o x
grep -q "nowhere" err
refuse neyman train --max-fdr 0.05 --label truth --id name a.tsv --spectrum nowhere --peptide sequence --protein accession -o x
grep -q "nowhere" err
# a name of --keep that ends in a question mark is a name like others
sed '1s/number/number?/' a.tsv > mark.tsv
neyman train --cost-fp 2 --label truth --id name --ignore sequence,accession --keep 'number?' mark.tsv --json -q -o mark.model > out
neyman info mark.model --json | tr -d '\n\t' | grep -q '"cols":3,'
code=0
neyman train --cost-fp 2 --label truth --id name --keep 'nothing?' mark.tsv -o no.model > out 2> err || code=$?
test "$code" = 3
grep -q "no column 'nothing?'" err
