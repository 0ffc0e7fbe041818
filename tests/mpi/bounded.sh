#!/bin/sh
# One bounded rate, few columns: the model has the same bits for any number of processes, by Newton steps on the
# constrained problem, and the objective is that of one process within 1 %.
set -eu
. "$CASE_DIR/lib.sh"
neyman convert -q "$DATA/spambase-train.csv.gz" one.ney --label type --positive spam > out
value() { sed -n "s/^.\"$1\":.\([0-9.e-]*\),*$/\1/p" "$2"; }
for options in '--max-fpr 0.05 --confidence none' '--max-fnr 0.1' '--max-fpr 0.1 --max-fnr 0.1'; do
    # shellcheck disable=SC2086 # words
    neyman train -q one.ney $options -C 0.01 --json -o plain > plain.json
    for n in 1 2 3 4; do
        # shellcheck disable=SC2086
        ranks $n train -q one.ney $options -C 0.01 --json -o "model.$n" > "json.$n" 2> err
        test ! -s err || { cat err >&2; exit 1; }
        cmp model.1 "model.$n"
    done
    test "$(value starts json.2)" = "$(value starts plain.json)"
    test "$(value threshold json.1)" = "$(value threshold json.3)"
    awk -v a="$(value objective plain.json)" -v b="$(value objective json.2)" 'BEGIN { exit !(a > 0 && b < 1.01 * a && b > 0.99 * a) }'
done

# a limit that one process reaches is one for all: the model is written and marked
status=0
ranks 3 train -q one.ney --max-fpr 0.05 --confidence none -C 0.01 --max-time 0.001 --json -o limited > json.limited || status=$?
test $status -eq 5
grep -q '"stop":."time' json.limited
test -s limited
