#!/bin/sh
# Impossible requests are refused at the start with the correct reason.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(2); print "label,who,a,b"; for (i = 1; i <= 240; i++) { y = i % 2 ? -1 : 1
    printf "%d,p%d,%.4g,%.4g\n", y, int(i / 8), rand() + y / 3, rand() } }' > d.csv

# an axis that the method compared with the others does not read: no method is trained first
code=0
neyman compare d.csv --label label --ignore who --max-fpr 0.1 --grid 'depth=1,2 C=0.1:10:3' > out 2> err || code=$?
[ $code = 2 ]
grep -q depth err
! grep -q '\.\.\.' err
# one that it reads and some others do not applies to those that do
neyman compare -q --json d.csv --label label --ignore who --max-fpr 0.1 --grid 'eta=0.5 C=1' --no-extend --refine 0 > eta.json
neyman compare -q --json d.csv --label label --ignore who --max-fpr 0.1 --grid 'C=1' --no-extend --refine 0 > plain.json
python3 - <<'PY'
import json
eta, plain = ({m["method"]: m["matched"] for m in json.load(open(f"{n}.json"))["methods"]} for n in ("eta", "plain"))
assert eta.keys() == plain.keys() and len(eta) > 3, eta
assert all(eta[m] == plain[m] for m in ("threshold-moved", "generative", "perf")), (eta, plain)
PY

# the test rows are the training rows by another name
ln -s d.csv same.csv
ln d.csv hard.csv
for other in same.csv hard.csv ./d.csv; do
    code=0
    neyman compare d.csv --label label --ignore who --max-fpr 0.1 --test $other > out 2> err || code=$?
    [ $code = 2 ]
    grep -q 'names the file that is trained on' err
done

# too little time is no lack of rows
code=0
neyman tune d.csv --label label --ignore who --max-fpr 0.1 --max-time 1e-9 -o m.model --json > out 2> err || code=$?
[ $code = 4 ]
grep -q max-time err
! grep -q 'neyman plan' err out
! grep -q needed out

# with two bounds and groups each bound has half of delta
code=0
neyman train d.csv --label label --group who --max-fpr 0.05 --max-fnr 0.1 -o m.model --json > out 2> err || code=$?
[ $code = 4 ]
python3 - <<'PY'
import json, math
error = json.loads(open("out").read() or open("err").read())
error = error.get("error", error)
assert error["needed"] == math.ceil(math.log(0.05 / 2) / math.log(1 - 0.05)), error
assert f"at least {error['needed']:.0f} must" in error["message"], error
PY
