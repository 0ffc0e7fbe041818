#!/bin/sh
# cv: every row is tested once per repeat, by a model of the other folds; groups stay together; the seed draws the folds.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(5); for (i = 1; i <= 600; i++) { y = rand() < 0.4
             print (y ? "yes" : "no") "," rand() + rand() + 0.8 * y "," rand() "," int((i - 1) / 4) } }' > rows
{ echo kind,a,b,who; cat rows; } > d.csv
neyman cv -q --json --label kind --ignore who --folds 5 d.csv > cost.json
neyman cv -q --json --label kind --ignore who --folds 5 --threads 1 d.csv > again.json
neyman cv -q --json --label kind --ignore who --folds 5 --seed 2 d.csv > seed.json
neyman cv -q --json --label kind --ignore who --folds 5 --repeats 2 d.csv > twice.json
neyman cv -q --json --label kind --group who --folds 5 d.csv > group.json
neyman cv -q --json --label kind --ignore who --max-fpr 0.2 --folds 3 d.csv > np.json
neyman cv -q --json --label kind --ignore who --max-fpr 0.2 --folds 3 -C 1 d.csv > np1.json
neyman cv -q --json --label kind --ignore who --max-fpr 0.2 --folds 2 --tune --grid C=1 d.csv > np_tune.json
neyman cv -q --json --label kind --ignore who --tune --grid C=0.1,1 --folds 2 d.csv > tune.json
neyman cv --label kind --ignore who --folds 2 d.csv --log-every 0.000001 --log-time > text 2> messages
grep -q 'neyman: \[0\.[0-9]* s\] positive: yes' messages
grep -q 's elapsed' messages
if grep -q "$(printf '\033')" text messages; then exit 1; fi
# An identifier is no feature.
neyman cv -q --json --label kind --id who --folds 5 d.csv > id.json
grep -v seconds id.json > a; grep -v seconds cost.json > b
cmp a b
# Missing cells: what train takes, cv and compare take; what it refuses, they refuse, and info says all that is wrong.
awk -F, 'NR % 7 == 0 { $2 = "" } 1' OFS=, d.csv > gap.csv
for command in 'cv --folds 2' 'compare --folds 2'; do
    neyman $command -q --label kind --ignore who gap.csv > out 2> message && exit 1 || test $? = 3
    grep -q "gap.csv:.*column 'a' is missing here" message
    grep -q "^Try 'neyman info gap.csv'" message
    if neyman train --trees 1 --label kind --ignore who gap.csv -o trees.model > out 2> message; then
        neyman $command -q --trees 2 --label kind --ignore who gap.csv > out
    fi
done
if neyman cv --label kind --grid C=1 d.csv > out 2> message; then exit 1; else test $? = 2; fi
if neyman cv --label kind --max-fpr 0.001 d.csv > out 2> message; then exit 1; else test $? = 4; fi
python3 - <<'PY'
import json
load = lambda f: json.load(open(f + ".json"))
cost, again, seed, twice, group, np, tune = map(load, ("cost", "again", "seed", "twice", "group", "np", "tune"))
for o in (cost, again):
    del o["seconds"]
assert cost == again and cost["fnr"] != seed["fnr"]
assert len(cost["folds"]) == 5 and sum(f["n_pos"] for f in cost["folds"]) == cost["n_pos"]
for key, size in (("fpr", "n_neg"), ("fnr", "n_pos")):
    mean = sum(f[key] * f[size] for f in cost["folds"]) / cost[size]
    assert abs(cost[key] - mean) < 1e-9
    low, high = cost[key + "_interval"]
    assert low < mean < high
assert len(twice["folds"]) == 10 and twice["repeats"] == 2
first = {(f["fold"], f["fpr"], f["fnr"]) for f in cost["folds"]}
assert first <= {(f["fold"], f["fpr"], f["fnr"]) for f in twice["folds"]}
assert all((f["n_pos"] + f["n_neg"]) % 4 == 0 for f in group["folds"])
assert np["fpr"] < 0.2 + 0.05 and "not of a model trained on all rows" in np["interval_kind"]
assert len(tune["folds"]) == 2
# where train would choose C and cv does not, it is said beside the rates
one, tuned = load("np1"), load("np_tune")
assert "Their C is 1" in np["headline"][1] and np["headline"][:1] == one["headline"] and one["fnr"] == np["fnr"]
assert all(len(r["headline"]) == 1 for r in (one, tuned, cost))
PY
