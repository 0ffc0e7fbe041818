#!/bin/sh
# q-values against their definition, both conventions, competed and not, with ties; the filter, the
# order, the summary and its interval; which estimate is covered by the theorem.
set -eu
command -v python3 >/dev/null || exit 77
awk 'BEGIN { srand(9); print "label,score,name"; for (i = 1; i <= 900; i++) { y = i % 3 ? 1 : -1
             print y "," int(60 * rand() + 40 * (y > 0 && rand() < 0.6)) / 16 ",r" i } }' > s.csv
i=0
for options in '--no-plus-one --compete' '--fdr-convention all --no-plus-one' '--size-correct --plus-one' '' '--fdr-convention all --compete'; do
    i=$((i + 1))
    echo "$options" > $i.options
    neyman qvalues --from-scores s.csv $options --all --with-decoys -q > $i.all
    neyman qvalues --from-scores s.csv $options --max-fdr 0.1 -q > $i.some
    neyman qvalues --from-scores s.csv $options --max-fdr 0.1 -o $i.file -q > $i.table
    cmp $i.file $i.some
    neyman qvalues --from-scores s.csv $options --max-fdr 0.1 --json --rows -q > $i.json
done
neyman qvalues --from-scores s.csv --json -q > plain.json
if grep -q '"rows"' plain.json; then exit 1; fi
python3 - <<'PY'
import json, re, subprocess
rows = [line.split(",") for line in open("s.csv").read().splitlines()[1:]]
score = [float(r[1]) for r in rows]
target = [r[0] == "1" for r in rows]
T, D = sum(target), len(rows) - sum(target)
for i in range(1, 6):
    options = open(f"{i}.options").read()
    def fdr(t):
        extra = "--no-plus-one" not in options
        d = sum(s >= t and not y for s, y in zip(score, target)) + extra
        a = sum(s >= t and y for s, y in zip(score, target))
        false = d if "--compete" in options else T * d / (D + extra)
        below = a + false if "all" in options else a
        return min(1, false / below) if a else 1
    at = {t: fdr(t) for t in set(score)}
    q = [min(v for t, v in at.items() if t <= s) for s in score]
    head, *lines = open(f"{i}.all").read().splitlines()
    assert head == "row\tscore\tlabel\tq"
    got = [line.split("\t") for line in lines]
    assert sorted(int(r[0]) for r in got) == list(range(1, 901))
    order = sorted(range(900), key=lambda k: (-score[k], k))
    assert [int(r[0]) - 1 for r in got] == order
    for r in got:
        k = int(r[0]) - 1
        assert float(r[1]) == score[k] and r[2] == rows[k][0] and abs(float(r[3]) - q[k]) < 1e-14
    some = open(f"{i}.some").read().splitlines()[1:]
    assert some == [l for l, r in zip(lines, got) if r[2] == "1" and float(r[3]) <= 0.1]
    o = json.load(open(f"{i}.json"))
    assert o["accepted"] == len(some) and o["n"] == 900 and o["n_pos"] == T and o["n_neg"] == D
    assert o["rows"]["row"] == [int(l.split("\t")[0]) for l in some]
    assert o["rows"]["q"] == [float(l.split("\t")[3]) for l in some]
    plain = {"--no-plus-one --compete": "D / T", "--fdr-convention all --no-plus-one": "n+ D / (n+ D + n- T)",
             "--fdr-convention all --compete": "(D + 1) / (D + 1 + T)"}
    assert o["fdr_estimate"] == plain.get(options.strip(), "n+ (D + 1) / ((n- + 1) T)"), o["fdr_estimate"]
    assert o["fdr_control"] == ("estimate" if options.strip() in plain else "theorem") and o["fdr_reason"]
    if some:
        t = o["threshold"]
        assert t == min(float(l.split("\t")[1]) for l in some)
        assert abs(o["fdr"] - fdr(t)) < 1e-14 and o["fdr"] <= 0.1
        assert o["accepted_decoys"] == sum(s >= t and not y for s, y in zip(score, target))
        low, high = o["fdr_interval"]
        assert 0 <= low <= o["fdr"] <= high <= 1
        assert re.search(rf"^  accepted targets  +{len(some)}$", open(f"{i}.table").read(), re.M)
assert len(open("1.some").read().splitlines()) > 20
PY
awk 'BEGIN { print "label\tscore"; for (i = 1; i <= 50; i++) { print "0\t" i; print "1\t" i } }' > hopeless.tsv
neyman qvalues --from-scores hopeless.tsv > out 2> err
test "$(wc -l < out)" -eq 1
grep -q 'warning: no target has a q-value of at most 0.01' err
neyman qvalues --from-scores hopeless.tsv --json -q > out
grep -q '"threshold":.*null' out && grep -q '"fdr":.*null' out
# noise is not accepted, however few the decoys; options that exclude each other are refused
awk 'BEGIN { srand(3); print "label\tscore"; for (i = 0; i < 10100; i++) print (i < 100 ? 0 : 1) "\t" rand() }' > noise.tsv
for options in '' '--fdr-convention all' '--size-correct'; do
    neyman qvalues --from-scores noise.tsv --max-fdr 0.05 $options --json -q > out
    grep -q '"accepted":	0,' out
done
refuse() { code=0; neyman qvalues --from-scores noise.tsv "$@" > out 2> err || code=$?; [ $code = 2 ] || { cat err; exit 1; }; }
refuse --compete --size-correct; grep -q 'equally many' err
refuse --compete --no-compete
refuse --plus-one --no-plus-one
refuse --by score
refuse --group score
