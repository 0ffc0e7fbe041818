#!/bin/sh
# --kernel auto: linear or rbf, whichever has the smaller loss over the folds, each with its own grid, in one
# table that an interrupted run continues from. The model is the one that the chosen kernel gives alone.
set -eu
command -v python3 > /dev/null || exit 77
# ring: positives surround negatives, which no linear score separates; line: both kernels separate the classes
gen() { awk -v seed="$1" -v n="$2" -v ring="$3" 'BEGIN { srand(seed); print "a,b,kind"
        for (i = 1; i <= n; i++) { p = i % 2; r = (ring ? 1 + p : 1) + rand(); u = 6.2831853 * rand()
            printf "%g,%g,%s\n", r * cos(u) + (ring ? 0 : 9 * p), r * sin(u), p ? "yes" : "no" } }'; }
for set in ring line; do
    gen 1 300 "$(test $set = ring && echo 1 || echo 0)" > $set.csv
    options="--max-fpr 0.1 --confidence none --folds 3 --refine 0 --no-extend --scale auto --label kind $set.csv"
    for kernel in auto linear rbf; do
        grid=$(test $kernel = linear || echo 'gamma=0.1,1')
        # shellcheck disable=SC2086
        neyman tune -q --json --kernel $kernel --grid "C=0.01,1 $grid" $options -o $kernel > $kernel.json
    done
    python3 - $set <<'PY' > chosen
import csv, json, sys
run = {k: json.load(open(k + ".json")) for k in ("auto", "linear", "rbf")}
rows = {k: [{c: r[c] for c in r if c not in ("key", "seconds")} for r in csv.DictReader(open(k + ".tune.tsv"), delimiter="\t")] for k in run}
chosen = run["auto"]["kernel"]
assert chosen == min(("linear", "rbf"), key=lambda k: run[k]["loss"]) == ("rbf" if sys.argv[1] == "ring" else "linear"), chosen
assert "kernel" not in run["rbf"] and run["auto"]["loss"] == run[chosen]["loss"]
assert run["auto"]["points"] == run["linear"]["points"] + run["rbf"]["points"]
order = lambda r: sorted(map(str, r.items()))
for kernel in ("linear", "rbf"):
    own = [r for r in rows["auto"] if r["kernel"] == kernel]
    assert sorted(own, key=order) == sorted(rows[kernel], key=order), kernel
assert len(rows["auto"]) == len(rows["linear"]) + len(rows["rbf"])
print(chosen)
PY
    chosen=$(cat chosen)
    for model in auto "$chosen"; do
        neyman predict -q "$model" $set.csv --scores | cut -f 2 > "$model.scores"
    done
    # the thresholds may differ: without a fold the other kernel can be the choice
    cmp auto.scores "$chosen.scores"
    # a cut table: the rest is found again, and the model is the same
    cp auto whole
    head -n 10 auto.tune.tsv > cut && mv cut auto.tune.tsv
    # shellcheck disable=SC2086
    neyman tune -q --json --kernel auto --grid "C=0.01,1 gamma=0.1,1" $options -o auto > again.json
    grep -q '"reused":.*9,' again.json
    cmp auto whole
done

# train: the small grid, C too; the result says which kernel
neyman train --json --max-fpr 0.1 --kernel auto --label kind ring.csv -o t > t.json 2> err
grep -q '"kernel":.*"rbf"' t.json
grep -q 'kernel linear: expected' err
grep -q 'kernel rbf: expected' err
neyman train -q --max-fpr 0.1 --kernel auto --gamma 0.5 --label kind ring.csv -o t > out
neyman info t --json | grep -q '"gamma":.*0.5,'

refused() {
    status=0; neyman "$@" --label kind ring.csv -o no > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; cat err; exit 1; }
    test ! -e no && test ! -e no.tune.tsv
    grep -q -e "$pattern" err || { cat err; exit 1; }
}
pattern='kernel = auto applies to tuning'
refused train --kernel auto
refused train --kernel auto --max-fpr 0.2 --max-fnr 0.2
refused path --kernel auto --from 1 1 --to 2 2
pattern='C = 3 with kernel = auto'
refused train --kernel auto --max-fpr 0.1 -C 3
pattern='--degree applies to --kernel poly'
refused train --kernel auto --max-fpr 0.1 --degree 2
refused tune --kernel auto --max-fpr 0.1 --grid degree=2
pattern='--kernel applies to --method'
refused tune --kernel auto --max-fpr 0.1 --method online
refused train --kernel auto --max-fpr 0.1 --network 3
refused train --kernel auto --max-fpr 0.1 --method online
refused tune --kernel auto --max-fpr 0.1 --method perf
