#!/bin/sh
# A text result begins with at most three sentences (promise, price) and the next command; they state what the
# JSON of the same run states. Figures of the solver are printed with -v only.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(3); print "x,y,kind"
             for (i = 1; i <= 900; i++) { p = i % 3 == 0
                 print rand() + rand() + 0.8 * p "," rand() + 0.3 * p "," (p ? "spam" : "ham") } }' > d.csv
awk 'BEGIN { srand(4); print "x,y,kind"
             for (i = 1; i <= 600; i++) { p = i % 3 == 0
                 print rand() + rand() + 0.8 * p "," rand() + 0.3 * p "," (p ? "spam" : "ham") } }' > test.csv
k=0
both() { # the command twice: as text and as JSON
    k=$((k + 1))
    neyman "$@" > $k.text 2> $k.err
    neyman "$@" --json > $k.json 2> /dev/null
}
both train --max-fpr 0.05 d.csv --label kind -o m1
both train --max-fnr 0.05 --confidence none d.csv --label kind -o m2
both train --max-fpr 0.1 --max-fnr 0.1 d.csv --label kind -o m3
both train d.csv --label kind -o m4
both train --reject-cost 0.2 d.csv --label kind -o m5
both tune --max-fpr 0.05 --grid C=1,10 --folds 2 --refine 0 d.csv --label kind -o m6 --fresh
both tune --max-fpr 0.05 --confidence none --grid C=1,10 --folds 2 --refine 0 d.csv --label kind -o m7 --fresh
both evaluate m1 test.csv
both evaluate m5 test.csv
both evaluate m4 d.csv
neyman predict -q m1 test.csv --scores -o s.tsv > /dev/null
both certify s.tsv --max-fpr 0.1 --positive spam
both certify s.tsv --max-fpr 0.1 --max-fnr 0.1 --positive spam
both certify s.tsv --max-fnr 0.1 --positive spam --model m1 -o 'my model'
python3 - $k <<'PY'
import json, re, sys
percent = lambda share: f"{100 * share:.3g} %"
claim = lambda text: text[:text.index(" (", text.index("confidence"))] + "."
for k in range(1, int(sys.argv[1]) + 1):
    o, text = json.load(open(f"{k}.json")), open(f"{k}.text").read()
    lines = text.split("\n\n")[0].split("\n")
    warnings = ["warning: " + w for w in o.get("warnings", [])]
    head = [l for l in lines if not l.startswith(("warning: ", "Next: "))]
    next_line = [l for l in lines if l.startswith("Next: ")]
    assert head == o["headline"] and 1 <= len(head) <= 3 and len(next_line) <= 1, (k, lines)
    assert lines == head + warnings + next_line, (k, lines)
    assert all(l[0].isupper() and l.endswith(".") for l in head)
    assert not re.search(r"^  (objective|duality gap|iterations|multiplier of the constraint|ramp loss of|starts|support vectors|stopped by) ", text, re.M), k
    if o.get("certified"):
        assert head[0] == claim(o["guarantee"]), (k, head)
    assert "\nOther\n" not in text and not re.search(r"^ *[a-zA-Z0-9]+_\w+  ", text, re.M), (k, text)
    assert not next_line or "headline" not in next_line[0]
load = lambda k: (json.load(open(f"{k}.json")), open(f"{k}.text").read().split("\n"))
train = "on the training rows (optimistic)."
o, t = load(1)
assert t[1] == f"Detects {percent(1 - o['fnr'])} of positives ('spam') {train}", t
assert t[2] == "Next: neyman evaluate m1 TEST  (TEST: labelled rows not used in training; if there are none: neyman cv)", t
o, t = load(2)
assert t[0] == f"Classifies {percent(o['fnr'])} of positives ('spam') as negative {train}", t
assert t[1] == f"Classifies {percent(1 - o['fpr'])} of negatives ('ham') as negative {train}", t
assert t[2].startswith("warning: the bound holds on the training rows only"), t
o, t = load(3)
assert t[0].count("at most") == 1 and t[1] == f"Rejects {percent(o['reject_rate'])} of rows {train}", t
o, t = load(4)
assert t[:2] == [f"Flags {percent(o['fpr'])} of negatives ('ham') as positive {train}",
                 f"Classifies {percent(o['fnr'])} of positives ('spam') as negative {train}"], t
o, t = load(5)
assert t[2] == f"Rejects {percent(o['reject_rate'])} of rows {train}", t
o, t = load(7)
assert t[0] == (f"Flags {percent(o['valid_fpr'])} of negatives ('ham') as positive on the validation rows, which chose the "
                "settings and the threshold (estimate)."), t
def interval(o, key):
    low, high = o[key + "_interval"]
    return f"(95 % interval {100 * low:.3g} to {100 * high:.3g} %)"
o, t = load(8)
assert t[:3] == [f"Flags {percent(o['fpr'])} of negatives ('ham') as positive {interval(o, 'fpr')}.",
                 f"Detects {percent(o['tpr'])} of positives ('spam') {interval(o, 'tpr')}.",
                 f"The model's bound of 5 % on the FPR is {o['fpr_verdict']} by these rows."], t
assert o["fpr_verdict"] == "confirmed" and o["fpr_interval"][1] <= o["fpr_bound"] == 0.05, o
assert t[3] == "Next: neyman predict m1 NEW  (NEW: rows to classify)", t
o, t = load(9)
assert t[2] == f"Rejects {percent(o['reject_rate'])} of rows.", t
o, t = load(10) # no interval, no next step: these rows were trained on
assert t[:2] == [f"Flags {percent(o['fpr'])} of negatives ('ham') as positive, rows used in training (optimistic).",
                 f"Detects {percent(o['tpr'])} of positives ('spam'), rows used in training (optimistic)."], t
o, t = load(11)
assert t[1] == f"Detects {percent(o['tpr'])} of positives ('spam') {interval(o, 'tpr')}, calibration rows.", t
assert t[2] == f"Next: classify scores of at least {o['threshold']:.17g} as positive", t
o, t = load(12)
assert t[1] == f"Rejects {percent(o['reject_rate'])} of the calibration rows, which set the thresholds.", t
o, t = load(13)
assert f"Classifies {percent(1 - o['fpr'])} of negatives ('ham') as negative" in t[1], t
assert "Next: neyman predict 'my model' NEW  (NEW: rows to classify)" in t, t
PY
neyman train --max-fpr 0.05 d.csv --label kind -o m1 -v 2> /dev/null > out
for key in objective 'duality gap' iterations 'multiplier of the constraint' 'ramp loss of negatives (mean)' starts 'support vectors' 'stopped by'; do
    grep -q "^  $key  " out || { echo "-v does not print $key"; exit 1; }
done
# the next command, with its placeholder filled in, runs
sh -c "$(sed -n 's/^Next: \(.*\)  (.*/\1/p' out | sed 's/TEST/test.csv/')" > /dev/null 2>&1
sh -c "$(sed -n 's/^Next: \(.*\)  (.*/\1/p' 13.text | sed 's/NEW/test.csv/')" > /dev/null 2>&1
# a model on standard output leaves the sentence to the messages
neyman train --max-fpr 0.05 d.csv --label kind -o - > m 2> err
grep -q 'certified: At most 5 %' err
if grep -q 'certified: ' 1.err; then echo 'said twice'; exit 1; fi
