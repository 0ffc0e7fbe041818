#!/bin/sh
# Wide data: the same model for any number of ranks, more ranks than rows too, and few sums of d numbers: the rows off
# their bounds are solved for in one process instead.
set -eu
. "$CASE_DIR/lib.sh"
awk 'BEGIN { srand(1); for (i = 0; i < 600; i++) { y = rand() < .4 ? 1 : -1; printf "%d", y; c = 0; for (k = 0; k < 20; k++) {
    c += 1 + int(rand() * rand() * 400); if (c > 3000) break; printf " %d:%.3f", c, rand() + (y > 0 && c % 7 == 0 ? .5 : 0) }
    printf "\n" } }' > wide.svm
value() { sed -n "s/^.\"$1\":.\([0-9.e+-]*\),*$/\1/p" "$2"; }
neyman convert -q wide.svm wide.ney > out
neyman train -q wide.ney -C 1 --cost-fp 2 --json -o plain > plain.json
for n in 1 2 3 4; do
    ranks $n train -q wide.ney -C 1 --cost-fp 2 --json --threads 1 -o "model.$n" > "json.$n"
    cmp model.1 "model.$n"
done
grep -q '"converged":.true' json.1
awk -v a="$(value objective plain.json)" -v b="$(value objective json.2)" -v g="$(value gap json.2)" -v h="$(value gap plain.json)" \
    'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= g + h + 1e-9 * a) }'
d=$(awk '{ for (k = 2; k <= NF; k++) { split($k, e, ":"); if (e[1] + 0 > m) m = e[1] + 0 } } END { print m }' wide.svm)
awk -v b="$(value bytes_received json.2)" -v d="$d" 'BEGIN { print b / (16 * d) " vectors"; exit !(b < 16 * d * 250) }'

{ grep -m 1 '^1' wide.svm; head -n 2 wide.svm; } > few.svm
neyman convert -q few.svm few.ney > out
ranks 1 train -q few.ney -o few.1 > out
ranks 4 train -q few.ney -o few.4 > out
cmp few.1 few.4
