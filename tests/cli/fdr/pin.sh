#!/bin/sh
# From a PIN file to a list of results: what is written, in which order, by which model; q-values, error
# probabilities and competition are computed again here.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
random.seed(5)
for name in "a.pin", "fresh.pin":
    out = open(name, "w")
    print("SpecId\tLabel\tScanNr\tExpMass\tx\ty\tz\tPeptide\tProteins", file=out)
    for i in range(1500):
        label = 1 if i % 2 else -1
        real = label > 0 and random.random() < 0.4
        scan = i // 2 if i < 1400 else i // 4  # some spectra have more matches
        v = [random.gauss(2 * real, 1) for _ in range(2)] + [random.gauss(0, 1)]
        print(f"id{i}", label, scan, 500 + scan % 7, *v, f"PEP{i}", f"p{i}\tq{i}" if i % 5 == 0 else f"p{i}", sep="\t", file=out)
PY
neyman train --max-fdr 0.05 a.pin -o m --json > train.json 2> err
grep -q 'Accepts [0-9]* of [0-9]* targets at an estimated FDR of 0.05' err
neyman qvalues m a.pin --max-fdr 0.05 > found.tsv 2> said
grep -q '1500 of 1500 rows, or their spectra, were used in training' said
neyman qvalues m a.pin -q --max-fdr 0.05 --all --with-decoys > best.tsv
neyman qvalues m a.pin -q --max-fdr 0.05 --all > targets.tsv
neyman qvalues m a.pin -q --max-fdr 0.05 --no-compete --no-plus-one --all --with-decoys > all.tsv
neyman qvalues m a.pin -q --by ScanNr --no-compete --all --with-decoys > groups.tsv
neyman qvalues m a.pin -q --max-fdr 0.05 --json > best.json
neyman predict -q m a.pin --scores > known.tsv
neyman predict -q m a.pin --qvalues > q.tsv
neyman evaluate -q m a.pin --json > evaluated.json
# another order of columns, and rows that the model does not know
python3 - <<'PY'
with open("moved.pin", "w") as out:
    for n, line in enumerate(open("a.pin").read().splitlines()):
        c = line.split("\t", 8)
        scan = c[2] if n == 0 else str(int(c[2]) + 90000)
        print(c[0], c[1], c[7], c[4], c[5], c[6], scan, c[3], c[8], sep="\t", file=out)
PY
neyman qvalues m moved.pin --all --with-decoys > moved.tsv 2> said
! grep -q 'used in training' said
neyman predict -q m moved.pin --scores > mean.tsv
neyman qvalues m moved.pin -q --json > moved.json # their features are known all the same
sed 's/^id/new/' fresh.pin | awk -F '\t' -v OFS='\t' 'NR > 1 { $3 += 90000 } { print }' > other.pin
neyman qvalues m other.pin -q --json > other.json
neyman qvalues m other.pin -q --no-compete --json > no_compete.json
python3 - <<'PY'
import json
head = "PSMId score q-value posterior_error_prob peptide proteinIds".split()
def read(name):
    lines = open(name).read().splitlines()
    assert lines[0].split("\t") == head, lines[0]
    return [l.split("\t", 5) for l in lines[1:]]
pin = [l.split("\t", 8) for l in open("a.pin").read().splitlines()[1:]]
label = {r[0]: int(r[1]) for r in pin}
spectrum = {r[0]: (r[2], r[3]) for r in pin}
notes = {r[0]: (r[7], r[8]) for r in pin}
def q_values(rows, plus):
    q, least = {}, 1.0
    for s in sorted({s for _, s in rows}):
        d = sum(label[i] < 0 for i, t in rows if t >= s) + plus
        t = sum(label[i] > 0 for i, u in rows if u >= s)
        least = min(least, d / t if t else 1)  # as many decoys as targets, or winners
        q[s] = least
    return q
everything = read("all.tsv")
assert len(everything) == 1500 and all(tuple(r[4:6]) == notes[r[0]] for r in everything)
scores = [(r[0], float(r[1])) for r in everything]
assert [s for _, s in scores] == sorted((s for _, s in scores), reverse=True)
q = q_values(scores, 0)
for r in everything:
    assert abs(float(r[2]) - q[float(r[1])]) < 1e-12
pep = [float(r[3]) for r in everything]
assert pep == sorted(pep) and pep[0] > 0 and pep[-1] == 1
best = read("best.tsv")
assert read("targets.tsv") == [r for r in best if label[r[0]] > 0]
found = read("found.tsv")
assert found == [r for r in best if label[r[0]] > 0 and float(r[2]) <= 0.05]
o = json.load(open("train.json"))
assert o["discoveries"] == len(found) > 150 and o["folds"] == 3 and o["goal"] == "fdr"
assert o["discoveries_svm"] >= o["discoveries_feature"] and o["discoveries"] == o["discoveries_svm"]
of = dict(scores)
top = {}
for i, s in scores:
    top.setdefault(spectrum[i], s)  # best first
assert len(best) == len(top) and all(of[r[0]] == top[spectrum[r[0]]] for r in best)
q = q_values([(r[0], float(r[1])) for r in best], 1)
assert all(abs(float(r[2]) - q[float(r[1])]) < 1e-12 for r in best)
o = json.load(open("best.json"))
assert o["accepted"] == len(found) and o["competition"] == "pairs" and o["fdr_estimate"] == "(D + 1) / T", o
assert o["fdr_control"] == "estimate" and "chosen by its discoveries" in o["fdr_reason"] and o["best_matches"] == len(best)
o = json.load(open("moved.json"))
assert o["fdr_control"] == "estimate" and o["fdr_reason"] == "the model was trained on these rows" and o["scored_out_of_fold"] == 0
o = json.load(open("other.json"))
assert o["fdr_control"] == "theorem" and "pairs are independent" in o["fdr_reason"] and o["scored_out_of_fold"] == 0
o = json.load(open("no_compete.json"))
assert o["fdr_control"] == "estimate" and "depend on each other" in o["fdr_reason"] and "best_matches" not in o
# predict scores the rows it knows as qvalues does, and gives the same q-values; losers have 1
known = [float(l.split("\t")[1]) for l in open("known.tsv").read().splitlines()[1:]]
assert all(known[int(i[2:])] == s for i, s in scores)
given = [float(l.split("\t")[3]) for l in open("q.tsv").read().splitlines()[1:]]
won = {r[0]: float(r[2]) for r in best}
assert given == [won.get(f"id{k}", 1.0) for k in range(1500)]
o = json.load(open("evaluated.json"))
assert o["fpr_interval"] is None and o["auc_interval"] is None and o["rates_on"] == "training rows, out of fold", o
mean = [float(l.split("\t")[1]) for l in open("mean.tsv").read().splitlines()[1:]]
assert sum(mean[int(i[2:])] == s for i, s in scores) < 100  # fold models, not the mean
moved = {r[0]: (float(r[1]), *r[4:6]) for r in read("moved.tsv")}
assert len(moved) == len(top) and all(moved[i] == (mean[int(i[2:])], *notes[i]) for i in moved)
# within a spectrum: one target and one decoy mostly, so with one more decoy q is 1/2 or 1
rows = {r[0]: float(r[2]) for r in read("groups.tsv")}
pair = [i for i in rows if int(i[2:]) < 700]
assert {rows[i] for i in pair} == {0.5, 1.0}
PY
