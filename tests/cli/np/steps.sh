#!/bin/sh
# Every outer step is reported: with -v as text, with --json as an array. Both methods agree, and limits
# hold for the complete run.
set -eu
command -v python3 > /dev/null || exit 77
train=$(find "$DATA" -name 'spambase*train*' 2> /dev/null | head -n 1)
test -n "$train" || exit 77
options="--kernel rbf --label type --positive spam --max-fpr 0.02 --confidence none"
for method in annealed uzawa; do
    # shellcheck disable=SC2086 # a list of options
    neyman train -v --json $options --method $method "$train" -o $method.model > $method.json 2> $method.log
done
# shellcheck disable=SC2086
status=0; neyman train --json $options --max-iter 500 "$train" -o short.model > short.json 2> err || status=$?
test $status -eq 5
grep -q 'not converged (iterations)' err
# shellcheck disable=SC2086
status=0; neyman train --json $options --max-time 0.05 "$train" -o late.model > late.json 2> err || status=$?
test $status -eq 5
# Off a terminal, lines of progress with the time that is left.
# shellcheck disable=SC2086
neyman train $options --max-iter 20 --max-time 1000 --log-every 0.000001 "$train" -o limited.model > out 2> err || test $? -eq 5
grep -q '^neyman: training .* s elapsed  at most \(1000\|9[0-9][0-9]\) s left$' err
# shellcheck disable=SC2086
neyman train $options --max-iter 20 --log-every 0.000001 "$train" -o limited.model > out 2> err || test $? -eq 5
if grep -q 'at most' err; then exit 1; fi
neyman info short.model | grep -q 'stopped by *iterations'
python3 - <<'PY'
import json
a, u, s = (json.load(open(n + ".json")) for n in ("annealed", "uzawa", "short"))
for o in a, u:
    steps = o["steps"]
    assert [t["step"] for t in steps] == list(range(1, len(steps) + 1))
    assert sum(t["iterations"] for t in steps) == o["iterations"]
    last = steps[-1]
    assert last["lambda"] == o["lambda"] and last["changed"] == 0
    if o is u:
        assert last["objective"] == o["objective"] and last["ramp_fpr"] == o["ramp_fpr"]
    else:  # the intercept may be moved to P = A after the last step, within 0.995 A <= P <= A, for 1e-6 of the objective
        assert abs(last["objective"] / o["objective"] - 1) < 1e-5, (last, o["objective"])
        assert -1e-12 <= o["ramp_fpr"] - last["ramp_fpr"] <= 0.005 * 0.02 + 1e-12, (last, o["ramp_fpr"])
    assert open(o["method"] + ".log").read().count(" step ") == len(steps)
    assert 0.019 < o["ramp_fpr"] <= 0.02 and o["fpr"] <= 0.02 and o["constraint"] == "active"
    assert steps[0]["lambda"] == o["n_neg"] / o["n_pos"]
assert abs(a["fnr"] - u["fnr"]) < 0.02 and abs(a["objective"] / u["objective"] - 1) < 0.02
# four starts against one: on this set the work is 1/1.1 to 1/1.3 of Uzawa's (bench/results/np.md), where one start took less than half
assert a["iterations"] < u["iterations"], (a["iterations"], u["iterations"])
assert a["starts"] >= 4 and u["starts"] == 1
assert s["iterations"] == 500 and s["fpr"] <= 0.02 and s["converged"] is False
PY
