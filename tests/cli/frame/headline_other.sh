#!/bin/sh
# The text results of the other commands begin as those of training do: at most three sentences, warnings, the next
# command; the JSON of the same run has the sentences and the figures in them. A model of LIBSVM has threshold 0.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(5); for (i = 1; i <= 400; i++) { p = i % 2
             print (p ? 1 : -1), "1:" rand() + rand() + 0.6 * p, "2:" rand() + 0.3 * p } }' > d.svm
neyman train -q --max-fpr 0.1 d.svm -o m > /dev/null
neyman predict -q m d.svm --scores -o s.tsv > /dev/null
awk 'BEGIN { FS = OFS = "\t" } NR > 1 && $3 == -1 { $2 += 5 } { print }' s.tsv > bad.tsv # every negative is flagged
k=0
both() { # input, expected exit code, then the command, twice: as text and as JSON
    in=$1; want=$2; shift 2; k=$((k + 1)); echo "$1" > $k.name
    status=0; neyman "$@" < "$in" > $k.text 2> $k.err || status=$?
    test $status -eq "$want" || { echo "exit code $status: $*"; cat $k.err; exit 1; }
    neyman "$@" --json < "$in" > $k.json 2> /dev/null || test $? -eq "$want"
}
both /dev/null 0 plan --max-fpr 0.01 --negatives 5000
both /dev/null 0 plan --max-fnr 0.05 --confidence 0.99
both s.tsv 0 monitor m
both bad.tsv 6 monitor m
both /dev/null 0 compare --max-fpr 0.2 --grid C=1 --folds 2 --no-extend --refine 0 d.svm
both /dev/null 0 path d.svm --to 0.1 0.1 -o p.path
both /dev/null 0 roc d.svm --splits 2 --regular 0 --c-max 1 --save-path r.path
both /dev/null 0 pick r.path --cost-fn 2 -o 'p m'
both /dev/null 0 pick p.path --at 0.05 0.05 -o pm
both /dev/null 0 asymmetry d.svm --loss hinge --splits 2 --gamma 0.3,0.5,0.7 --for-cost-fn 2
both /dev/null 0 qvalues --from-scores s.tsv --max-fdr 0.2 -o q.tsv
both /dev/null 0 predict m d.svm --scores -o s2.tsv
python3 - $k <<'PY'
import json, re, sys
for k in range(1, int(sys.argv[1]) + 1):
    o, text, name = json.load(open(f"{k}.json")), open(f"{k}.text").read(), open(f"{k}.name").read().strip()
    lines = text.split("\n\n")[0].split("\n")
    warnings = ["warning: " + w for w in o.get("warnings", [])]
    next_line = [l for l in lines if l.startswith("Next: ")]
    head = [l for l in lines if l not in next_line and l not in warnings]
    assert head == o["headline"] and 1 <= len(head) <= 3 and len(next_line) <= 1, (name, lines, o["headline"])
    assert lines == head + warnings + next_line, (name, lines)
    assert all(l[0].isupper() and l.endswith(".") and len(l) < 400 for l in head), (name, head)
    assert "\nOther\n" not in text, (name, text)
    assert not re.search(r"(^|[\s\[])(-1|nan|inf|[45]\.?\d*e-324)([\s,\]]|$)", text.replace("class -1", "").replace("negative class  -1", "")), (name, text)
load = lambda k: (json.load(open(f"{k}.json")), open(f"{k}.text").read())
o, t = load(1)
assert t.startswith(f"To certify an FPR of at most 1 % with 95 % confidence, hold out at least {o['needed']} negatives."), t
assert f"Of 5000 negatives, hold out about {o['best_holdout']} " in t and f"--holdout {o['best_share']:.3g} " in t, t
o, t = load(3)
bound = o["bounds"][0]
assert t.startswith("No alarm: ") and bound["alarm_row"] is None and not o["alarm"], t
assert f"Misclassified so far: {bound['errors']} of {bound['n']} negatives ({100 * o['fpr']:.3g} %, bound 10 %)." in t, t
o, t = load(4)
assert t.startswith("Alarm: ") and o["bounds"][0]["alarm_row"] == o["alarm_row"] and "Next: neyman monitor m -o NEW" in t, t
o, t = load(5)
assert t.startswith(f"On {o['n_test']} test rows: {o['verdict']}."), t
o, t = load(6)
assert f"{o['n_breakpoints']} breakpoints." in t and "Breakpoints\n" not in t and "Next: neyman pick p.path --at C+ C- -o MODEL" in t, t
o, t = load(7)
assert f"{o['auc_intercept']:.3g} with one classifier, {o['auc_both']:.3g} with all costs" in t, t
o, t = load(8)
assert f"flags {100 * o['fpr']:.3g} % of negatives, detects {100 * (1 - o['fnr']):.3g} % of positives." in t, t
assert "Next: neyman evaluate 'p m' TEST" in t and o["converged"] is True, t
o, t = load(10)
a = o["answers"][0]
assert o["evaluated_on"] == "held-out rows"
if 0 < a["gamma"] < 1:
    assert f"Next: neyman train d.svm --cost-fn {2 * a['gamma']:.3g} --cost-fp {2 * (1 - a['gamma']):.3g} -C 1 -o MODEL" in t, t
o, t = load(11)
assert t.startswith(f"Accepts {o['accepted']} of {o['n_pos']} targets with a q-value (estimated FDR) of at most 20 %."), t
o, t = load(12)
assert t.startswith(f"Classifies {o['predicted_pos']} of {o['n']} rows as positive ('1')."), t
PY
sh -c "$(sed -n 's/^Next: //p' 12.text)" > /dev/null # the next command runs
neyman path d.svm --to 0.1 0.1 -v 2> /dev/null | grep -q '^Breakpoints$'
# a model of LIBSVM: a score of 0 is negative, the threshold is 0
printf 'svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 \n-1 1:2 \n' > lib.model
neyman info lib.model > out
grep -q '^threshold  *0$' out
grep -q '^rule  *positive above the threshold, not at it$' out
neyman evaluate lib.model d.svm --json 2> /dev/null | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert o["threshold"] == 0 and o["threshold_rule"] == "positive above the threshold, not at it", o'
printf '1 1:-0.5\n-1 1:-0.5\n' | neyman predict lib.model - > out # both scores are 0
printf -- '-1\n-1\n' | cmp - out
