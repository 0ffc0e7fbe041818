#!/bin/sh
# Matches, peptides and proteins: q-values, files and entrapment against code that shares nothing
# with the program.
set -eu
command -v python3 > /dev/null || exit 77
cat > make.py << 'EOF'
import random, sys
rng = random.Random(int(sys.argv[1]))
shuffles = sys.argv[2] == "shuffled"
def peptide():
    return "".join(rng.choice("ACDEFGHILMNPQSTVWY") for _ in range(rng.randint(6, 9))) + rng.choice("KR")
def decoy_of(p):
    if shuffles:
        inner = list(p[1:-1])
        rng.shuffle(inner)
        return p[0] + "".join(inner) + p[-1]
    return p[:-1][::-1] + p[-1]
base = []
for k in range(400):
    p = peptide()
    proteins = ["P%d" % (k // 4)]
    if k % 10 == 0:
        proteins.append("P%d" % (k // 4 + 1))
    if k % 16 < 8:
        proteins = [n + "b" for n in proteins] + proteins if k % 16 < 4 else proteins
    if 200 <= k < 300:
        proteins = ["trap_" + n for n in proteins]
    base.append((p, decoy_of(p), proteins))
print("SpecId\tLabel\tScanNr\tExpMass\tf1\tf2\tPeptide\tProteins")
for scan in range(1500):
    true = rng.random() < 0.5
    p, d, proteins = rng.choice(base[:200] if true else base)
    other = rng.choice(base)
    up = 2.5 if true else 0
    for label in (1, -1):
        q, names = (p, proteins) if label > 0 else (other[1], ["rev_" + n for n in other[2]])
        x = round(rng.gauss(up if label > 0 else 0, 1), 2)
        print("s%d_%d" % (scan, label), label, scan, 500, x, round(x + rng.gauss(0, .5), 2),
              "K.%s.A" % q, "\t".join(n + "(7)" if rng.random() < .5 else n for n in names), sep="\t")
EOF
cat > check.py << 'EOF'
import csv, json, sys
pairs, group, ratio = sys.argv[1], sys.argv[2] == "group", float(sys.argv[3])
rows = []
for k, line in enumerate(open("a.pin")):
    c = line.rstrip("\n").split("\t")
    if k:
        rows.append(dict(k=k, id=c[0], label=int(c[1]), scan=c[2], peptide=c[6], proteins=c[7:]))
for k, line in enumerate(open("scores.tsv")):
    c = line.rstrip("\n").split("\t")
    if k == 0:
        at = c.index("score")
    else:
        rows[k - 1]["score"] = float(c[at])
def best(rows, key):
    units = {}
    for r in rows:
        units.setdefault(key(r), []).append(r)
    for u in units.values():
        top = max(r["score"] for r in u)
        assert len({r["label"] for r in u if r["score"] == top}) == 1, "a tie of a target and a decoy: another seed"
    return [max(u, key=lambda r: r["score"]) for u in units.values()]
def qvalues(rows):
    q, least, at = {}, 1.0, {}
    for r in rows:
        at.setdefault(r["score"], [0, 0])[r["label"] > 0] += 1
    d, t = sum(r["label"] < 0 for r in rows), sum(r["label"] > 0 for r in rows)
    for s in sorted(at):
        least = min(least, (d + 1) / t if t else 1, 1)
        q[s] = least
        d, t = d - at[s][0], t - at[s][1]
    return q
def core(r):
    return r["peptide"][2:-2]
def unit(r):
    p = core(r)
    if pairs == "shuffled":
        return p[0], "".join(sorted(p[1:-1])), p[-1]
    if pairs == "reversed":
        return min(p[:-1], p[:-1][::-1]), p[-1]
    return p, r["label"]
def names(r):
    out = set()
    for n in r["proteins"]:
        n = n[:-3] if n.endswith("(7)") else n
        out.add(n[4:] if r["label"] < 0 else n)
    return out
psms = best(rows, lambda r: r["scan"])
peptides = best(psms, unit)
signature = {}
for k, r in enumerate(peptides):
    for n in names(r):
        signature.setdefault(n, set()).add(k)
def protein(r):
    units = {frozenset(signature[n]) if group else n for n in names(r)}
    return units.pop() if len(units) == 1 else None
proteins = best([r for r in peptides if protein(r)], protein)
members = {}
for r in peptides:
    members.setdefault((r["label"], protein(r)), set()).add(r["peptide"])
result = json.load(open("out.json"))
found = {l["level"]: l for l in result["levels"]}
for level, winners, targets, decoys in (("match", psms, "psms", "decoy.psms"), ("peptide", peptides, "peptides", "decoy.peptides"),
                                        ("protein", proteins, "proteins", "decoy.proteins")):
    q, l = qvalues(winners), found[level]
    assert l["fdr_control"] == "estimate" and l["fdr_estimate"] == "(D + 1) / T", l
    assert l["best_targets"] == sum(r["label"] > 0 for r in winners), (level, l)
    assert l["best_decoys"] == sum(r["label"] < 0 for r in winners), (level, l)
    assert l["accepted"] == sum(r["label"] > 0 and q[r["score"]] <= 0.05 for r in winners) > 0, (level, l)
    for label, name in ((1, targets), (-1, decoys)):
        own = sorted((r for r in winners if r["label"] == label), key=lambda r: (-r["score"], r["k"]))
        lines = [x.rstrip("\n").split("\t") for x in open(name + ".tsv")]
        assert len(lines) == len(own) + 1, (name, len(lines), len(own))
        head = lines[0]
        at = {h: k for k, h in enumerate(head)}
        for r, c in zip(own, lines[1:]):
            if level == "protein":
                assert head == "ProteinId ProteinGroupId q-value posterior_error_prob peptideIds".split()
                assert c[0].split(",") == r["proteins"], (c, r)
                mine = members[label, protein(r)]
                assert set(c[4].split(" ")) == mine, (c, mine)
            else:
                assert head == "PSMId score q-value posterior_error_prob peptide proteinIds".split()
                assert float(c[1]) == r["score"] and c[4] == r["peptide"] and c[5:] == r["proteins"], (c, r)
            assert float(c[at["q-value"]]) == q[r["score"]], (c, q[r["score"]])
            assert 0 < float(c[at["posterior_error_prob"]]) <= 1
    traps = {e["max_fdr"]: e for e in result["entrapment"] if e["level"] == level}
    assert sorted(traps) == [.001, .005, .01, .05, .1]
    for rate, e in traps.items():
        accepted = [r for r in winners if r["label"] > 0 and q[r["score"]] <= rate]
        trapped = sum(all(n.startswith("trap_") for n in r["proteins"]) for r in accepted)
        assert (e["accepted"], e["accepted_entrapment"]) == (len(accepted), trapped), e
        lower = trapped / len(accepted) if accepted else 0
        assert abs(e["fdp_lower"] - lower) < 1e-12 and abs(e["fdp_combined"] - min(1, lower * (1 + 1 / ratio))) < 1e-12, e
assert found["peptide"]["best_targets"] < found["match"]["best_targets"]
EOF
for how in shuffled reversed; do
    python3 make.py 5 $how > a.pin
    neyman train -q --max-fdr 0.05 a.pin -o m > /dev/null
    neyman predict -q --scores m a.pin -o scores.tsv
    for pairs in auto $how none; do
        for shared in drop group; do
            neyman qvalues -q --json m a.pin --max-fdr 0.05 -o psms.tsv.1 --peptide-pairs $pairs --shared-peptides $shared \
                --results-psms psms.tsv --results-peptides peptides.tsv --results-proteins proteins.tsv \
                --decoy-results-psms decoy.psms.tsv --decoy-results-peptides decoy.peptides.tsv \
                --decoy-results-proteins decoy.proteins.tsv --entrapment trap_ --entrapment-ratio 0.5 > out.json
            used=$pairs
            [ $pairs != auto ] || used=$how
            python3 check.py $used $shared 0.5
        done
    done
done
# mokapot's layout, the curve, and what is refused
neyman qvalues -q m a.pin -o o.tsv --layout mokapot --results-peptides p.tsv --results-proteins r.tsv \
    --entrapment trap_ --entrapment-curve curve.tsv > /dev/null
head -n 1 p.tsv | grep -q "^SpecId	Label	ScanNr	ExpMass	Peptide	mokapot score	mokapot q-value	mokapot PEP	Proteins$"
head -n 1 r.tsv | grep -q "^mokapot protein group	best peptide	mokapot score"
head -n 1 curve.tsv | grep -q "^level	q-value	targets	entrapment	fdp_lower	fdp_combined$"
cut -f 1 curve.tsv | grep -q protein
refused() {
    code=0
    neyman qvalues -q "$@" -o o.tsv > out 2> err || code=$?
}
refused m a.pin --decoy-prefix nothing_ --results-proteins r2.tsv
[ $code -eq 2 ] && grep -q "does not begin with 'nothing_'" err && [ ! -e r2.tsv ]
refused m a.pin --protein nowhere --results-proteins r2.tsv
[ $code -eq 2 ] && grep -q "no column 'nowhere'" err
refused m a.pin --entrapment-ratio 2
[ $code -eq 2 ] && grep -q -- "--entrapment" err
refused m a.pin --results-psms a.pin
[ $code -eq 2 ] && grep -q "which is an input" err
# too few rows for the bound, whatever their scores
awk 'BEGIN { print "score\tlabel"; for (i = 0; i < 98; i++) print i "\t-1"; for (i = 0; i < 300; i++) print 200 + i "\t1" }' > few.tsv
neyman qvalues --from-scores few.tsv --max-fdr 0.01 -o o.tsv > out 2> err
grep -q "98 decoys are too few for a q-value of 0.01: at least 99 are needed" err
echo "98.5	-1" >> few.tsv
neyman qvalues --from-scores few.tsv --max-fdr 0.01 -o o.tsv > out 2> err
! grep -q "too few" err
grep -q "Accepts 300 of 300" out
awk 'BEGIN { print "score\tlabel"; for (i = 0; i < 50; i++) print i "\t" (i % 2 ? 1 : -1); for (i = 0; i < 74; i++) print 200 + i "\t1" }' > few.tsv
neyman qvalues --from-scores few.tsv --compete --max-fdr 0.01 -o o.tsv > out 2> err
grep -q "99 targets are too few for a q-value of 0.01: at least 100 must be accepted" err
# the level that is too small is named, and training gives the number too
awk -F '\t' 'NR == 1 || ($3 < 45)' a.pin > small.pin
neyman qvalues m small.pin --max-fdr 0.05 -o o.tsv --results-proteins r.tsv > out 2> err
grep -q 'target proteins are too few for a q-value of 0.05: at least 20 must be accepted' err
neyman qvalues m small.pin --max-fdr 0.05 -o o.tsv > out 2> err
! grep -q 'target proteins are too few' err
neyman train --max-fdr 0.01 small.pin -o few > out 2> err
grep -q 'targets are too few for an FDR of 0.01: at least 100 must be accepted' out
awk 'BEGIN { print "label,x"; for (i = 0; i < 60; i++) print 1 "," i * i % 97; for (i = 0; i < 60; i++) print -1 "," i * i % 89 }' > noise.csv
neyman train --max-fdr 0.01 noise.csv --label label -o few > out 2> err
grep -q '60 decoys are too few for an FDR of 0.01: at least 99 are needed' out
neyman train --max-fdr 0.05 noise.csv --label label -o few > out 2> err
grep -q 'not separated from the decoys' out
