#!/bin/sh
# A search on a part of the rows: the table says how many rows each fit learned from, the choice is among points that were
# compared on all rows, and the model is the same for any number of threads and after an interruption.
set -eu
awk 'BEGIN { srand(7); for (i = 1; i <= 240; i++) { p = i % 3 == 0; printf "%d", p ? 1 : -1
             for (j = 1; j <= 4; j++) printf " %d:%.4f", j, rand() + (j < 3 ? 0.5 * p : 0); print "" } }' > data.svm
search() { # of $kernel with the threshold $confidence
    neyman tune --json --max-fpr 0.15 --kernel $kernel --confidence $confidence --folds 3 --grid "$grid" --average 4 "$@" data.svm
}
for run in linear:none linear:0.8 rbf:none auto:none; do
    kernel=${run%:*} confidence=${run#*:} grid='C=0.01:10:4'
    test $kernel = linear || grid="$grid gamma=0.5:2:2"
    search --search-rows 20 --threads 1 -o m > out 2> err
    grep -q 'points were fitted to 40 of' err
    search --search-rows 20 --threads 3 -o m2 > out2 2> err
    cmp m m2
    command -v python3 > /dev/null || exit 77
    python3 - << 'CHECK'
import csv, json
o = json.load(open("out"))
rows = list(csv.DictReader(open("m.tune.tsv"), delimiter="\t"))
assert o["fits"] == len(rows), (o["fits"], len(rows))
parts = [r for r in rows if int(r["rows"]) == 40]
whole = [r for r in rows if int(r["rows"]) > 80]
assert len(parts) + len(whole) == len(rows) and parts and whole and len(whole) < len(rows)
key = lambda r: tuple(r[c] for c in ("method", "kernel", "C", "gamma", "cost_fp"))
loss = {}
for r in whole:
    loss.setdefault(key(r), []).append(float(r["loss"]))
assert {len(v) for v in loss.values()} == {3} # every point that is chosen from has all folds
mean = {k: sum(v) / 3 for k, v in loss.items()}
assert min(abs(v - o["loss"]) for v in mean.values()) < 1e-12, (mean, o["loss"]) # the best point of the best kernel
assert o["points"] == len({key(r) for r in rows})
CHECK
    # what the table does not hold is found again, and what it holds is not
    lines=$(wc -l < m.tune.tsv)
    for kept in $((lines / 2)) "$lines"; do
        head -n "$kept" m.tune.tsv > again.tune.tsv
        search --search-rows 20 -o again > out2 2> err
        cmp m again
        test "$(wc -l < again.tune.tsv)" -eq "$lines"
    done
    grep -q '"fits":.*0,' out2
done
# all rows: on request, where a class has no more than that, and by default where rows are few
kernel=linear confidence=none grid='C=0.01:10:4'
search --search-rows all -o all > out 2> err
search --search-rows 1000 -o large > out 2> err
search -o usual > out 2> err
cmp all large
cmp all usual
if cut -f 15 all.tune.tsv | grep -qx 40; then exit 1; fi
# the time ends during the comparison or before: the choice is what is known
status=0; search --search-rows 20 --max-time 1e-9 -o short > out 2> err || status=$?
test $status -eq 4
# goals and methods without parts
for options in '--max-fdr 0.1' '--reject-cost 0.2' '--method online --max-fpr 0.1'; do
    status=0
    # shellcheck disable=SC2086 # words of a command
    neyman tune $options --search-rows 20 data.svm -o no > out 2> err || status=$?
    test $status -eq 2
    grep -q 'search-rows applies to costs and one bounded rate' err
done
