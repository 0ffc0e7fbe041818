#!/bin/sh
# Separate files of targets and decoys: the same matches as of one file with both, whatever the label column
# of the decoys says; several files and patterns; tables without labels; files that contradict the options.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(5)
head = "SpecId\tLabel\tScanNr\tExpMass\tf1\tf2\tPeptide\tProteins\n"
for k in (1, 2, 10):
    rows = {1: [], -1: []}
    for scan in range(200):
        true = random.random() < 0.5
        for label in (1, -1):
            x = [round(random.gauss(3 * (true and label > 0), 1), 4) for _ in range(2)]
            core = "".join(random.choice("ACDEFGHIL") for _ in range(8)) + "K"
            rows[label].append(f"s{k}_{scan}\t{label}\t{scan}\t{500 + scan}.5\t{x[0]}\t{x[1]}\tR.{core}.A\t{'DECOY_' * (label < 0)}P{scan % 60}\n")
    open(f"t{k}.pin", "w").write(head + "".join(rows[1]))
    open(f"t{k}.d", "w").write(head + "".join(rows[-1]))
    open(f"all{k}.pin", "w").write(head + "".join(rows[1] + rows[-1]))
    # as a search of decoys alone marks them
    open(f"u{k}.d", "w").write(head + "".join(r.replace("\t-1\t", "\t1\t", 1) for r in rows[-1]))
    # a table without labels
    for name, side in ((f"t{k}.tsv", 1), (f"d{k}.tsv", -1)):
        cells = [r.rstrip("\n").split("\t") for r in rows[side]]
        open(name, "w").write("psm\tscan\tf1\tf2\tpeptide\n" + "".join("\t".join((c[0], c[2], c[4], c[5], c[6])) + "\n" for c in cells))
PY

# One file of each: the rows come in another order than in no file, so the model is the same bit by bit.
neyman train --max-fdr 0.05 all1.pin -o one.model -q --json > one.json
neyman train --max-fdr 0.05 --targets t1.pin --decoys t1.d -o two.model -q --json > two.json
neyman train --max-fdr 0.05 t1.pin --decoys u1.d -o three.model -q --json > three.json
neyman qvalues one.model all1.pin --max-fdr 0.05 -q > one.tsv
neyman qvalues two.model --targets t1.pin --decoys t1.d --max-fdr 0.05 -q > two.tsv
neyman qvalues three.model --targets t1.pin --decoys u1.d --max-fdr 0.05 -q > three.tsv
cmp one.tsv two.tsv
cmp one.tsv three.tsv
test "$(wc -l < one.tsv)" -gt 60
gzip -k t1.d
neyman qvalues two.model --targets - --decoys t1.d.gz --max-fdr 0.05 -q < t1.pin > stdin.tsv
cmp one.tsv stdin.tsv
neyman predict two.model --targets t1.pin --decoys t1.d --scores -q > scores.tsv
test "$(wc -l < scores.tsv)" = 401
neyman convert --targets t1.pin --decoys t1.d both.ney -q > /dev/null
neyman qvalues two.model both.ney --max-fdr 0.05 -q > cache.tsv
cmp one.tsv cache.tsv

# Several, by name and by pattern: a target competes with the decoy of its own run.
neyman train --max-fdr 0.05 all1.pin all2.pin all10.pin -o m -q --json > /dev/null
neyman qvalues m all1.pin all2.pin all10.pin --max-fdr 0.05 --all -q | sort > all.tsv
neyman qvalues m --targets t1.pin --targets t2.pin --targets t10.pin --decoys t1.d --decoys t2.d --decoys t10.d --max-fdr 0.05 --all -q | sort > names.tsv
neyman qvalues m --targets 't*.pin' --decoys 't*.d' --max-fdr 0.05 --all -q | sort > pattern.tsv
cmp all.tsv names.tsv
cmp all.tsv pattern.tsv
neyman qvalues m --targets 't*.pin' --decoys 't*.d' --max-fdr 0.05 --json -q -o x.tsv |
    python3 -c 'import json, sys; r = json.load(sys.stdin)["levels"][0]; assert r["best_targets"] + r["best_decoys"] == 600, r'

# Tables: the file is the label.
neyman train --max-fdr 0.05 --targets t1.tsv --decoys d1.tsv --id psm --keep scan,peptide --spectrum scan -o table.model -q --json > table.json
neyman qvalues table.model --targets t1.tsv --decoys d1.tsv --spectrum scan --max-fdr 0.05 --json -q -o y.tsv > table_q.json
python3 - <<'PY'
import json
one, table = json.load(open("one.json")), json.load(open("table_q.json"))
assert table["positive"] == "target" and table["negative"] == "decoy" and table["n_pos"] == table["n_neg"] == 200, table
assert table["accepted"] > 60, table
PY

# What contradicts the options is refused.
refused() { # exit code, words of the message, command
    code=$1; words=$2; shift 2
    set +e; "$@" > /dev/null 2> err; got=$?; set -e
    test $got = "$code" || { cat err; exit 1; }
    grep -q "$words" err || { cat err; exit 1; }
}
refused 3 "all1.pin:202: found label '-1', expected a target" neyman train --max-fdr 0.05 --targets all1.pin --decoys t1.d -o x
refused 3 "all1.pin:202: found label '-1' after '1' in line 2" neyman train --max-fdr 0.05 --targets t1.pin --decoys all1.pin -o x
refused 2 'needs --decoys' neyman train --max-fdr 0.05 --targets t1.pin -o x
refused 2 'takes the place of DATA' neyman train --max-fdr 0.05 --targets t1.pin --decoys t1.d t2.pin -o x
refused 2 'as many of each' neyman train --max-fdr 0.05 --targets 't*.pin' --decoys t1.d -o x
refused 2 'in the same order' neyman train --max-fdr 0.05 --targets t1.pin --targets t10.pin --decoys t10.d --decoys t1.d -o x
refused 2 'named twice' neyman train --max-fdr 0.05 --targets t1.pin --decoys t1.pin -o x
refused 2 'read only once' neyman train --max-fdr 0.05 --targets - --decoys - -o x
refused 2 'qvalues' neyman qvalues --targets t1.pin --decoys t1.d
# One class alone, or files of one class each as if they were runs: the options are named.
refused 3 'files of decoys alone are named by --decoys' neyman train --max-fdr 0.05 t1.pin -o x
refused 3 'files of decoys alone are named by --decoys' neyman qvalues one.model t1.d -o x
neyman train --max-fdr 0.05 t1.pin t1.d t2.pin t2.d -o x > /dev/null 2> err
grep -q 'targets alone or decoys alone, and rows of two files do not compete: --targets FILES --decoys' err
neyman qvalues one.model t1.pin t1.d -o x > /dev/null 2> err
grep -q 'targets alone or decoys alone' err
for files in "all1.pin all2.pin" "all1.pin t2.pin" "t1.pin --decoys t1.d"; do
    neyman qvalues one.model $files -o x > /dev/null 2> err
    ! grep 'targets alone or decoys alone' err
done
refused 2 'decoys' neyman train --max-fdr 0.05 --targets t1.pin --decoys t1.d -o t1.d
