#!/bin/sh
# With --json every command prints exactly one JSON object on stdout, errors included, with the keys
# scripts rely on.
set -eu
command -v python3 >/dev/null || exit 77
awk 'BEGIN { srand(5); for (i = 1; i <= 100; i++) { y = i % 2 ? 1 : -1
             print y, "1:" rand() + y, "2:" rand() - y / 3 } }' > d.svm
awk 'BEGIN { srand(6); for (i = 1; i <= 100; i++) { y = i % 2 ? 1 : -1
             print y, "1:" rand() + y, "2:" rand() - y / 3 } }' > new.svm
has() { # keys, then file: all must be there
    python3 -c 'import json,sys
o = json.load(open(sys.argv[2]), parse_constant=lambda c: sys.exit("not JSON: " + c))
missing = [k for k in sys.argv[1].split() if k not in o]
sys.exit("missing: %s" % missing if missing else 0)' "$1" "$2"
}
neyman train d.svm -o m --json > out 2> err
has 'goal method n n_pos n_neg objective dual_objective gap relative_gap converged iterations
     support_vectors threshold fpr fnr rates_on seconds model' out
neyman evaluate m d.svm --json > out
has 'n n_pos n_neg tp fp tn fn rejected fpr fpr_interval fnr fnr_interval fdr fdr_interval error_rate
     error_rate_interval reject_rate reject_rate_interval auc' out
if grep -q '"cost"' out; then exit 1; fi
neyman evaluate m d.svm --cost-fp 2 --json > out
has 'cost' out
neyman predict m d.svm --json --scores > out
has 'n predicted score label' out
neyman predict m d.svm --scores > scores.tsv
python3 -c 'import json # bit for bit what the lines say
rows = [line.split("\t") for line in open("scores.tsv").read().splitlines()[1:]]
o = json.load(open("out"))
assert o["predicted"] == [r[0] for r in rows] and o["score"] == [float(r[1]) for r in rows]
assert o["label"] == [r[2] for r in rows]'
neyman predict m d.svm --json -o p > out
has 'n output' out
test "$(wc -l < p)" -eq 100
neyman info d.svm --json > out
has 'kind format n cols n_pos n_neg stored density low high constant_columns duplicate_rows
     contradictory_rows missing infinite' out
neyman info m --json > out
has 'kind family positive negative cols scaling threshold summary largest_weights' out
neyman convert d.svm d.csv --json > out
has 'n cols output' out
neyman help --json > out
has 'version commands' out

neyman evaluate m new.svm --json > out # an interval holds its rate and is neither a point nor all of [0, 1]
python3 -c 'import json
o = json.load(open("out"))
rates = [k[:-9] for k in o if k.endswith("_interval")]
assert set(rates) >= {"fpr", "fnr", "fdr", "error_rate", "reject_rate", "precision"}, rates
for k in rates:
    low, high = o[k + "_interval"]
    assert 0 <= low <= o[k] <= high <= 1 and 0 < high - low < 0.5, (k, o[k], low, high)'
grep '^1' d.svm > positives.svm
neyman evaluate m positives.svm --json > out # what is not defined is null, never nan
has 'fpr auc' out
python3 -c 'import json; o = json.load(open("out")); assert o["fpr"] is None and o["auc"] is None, o'

printf '1 1:2\n-1 1:\n' > broken.svm
status=0; neyman convert broken.svm broken.ney --json > out 2> err || status=$?
test $status -eq 3
test -s err
python3 -c 'import json; e = json.load(open("out"))["error"]
assert e["code"] == 3 and e["line"] == 2 and e["file"] == "broken.svm" and e["message"], e'
status=0; neyman train d.svm --tool 3 --json > out 2> err || status=$?
test $status -eq 2
has 'error' out
