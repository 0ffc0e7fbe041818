#!/bin/sh
# A score that is not a number is an error that names the row, not a rejection. The model
# determines how missing cells are treated. Unknown labels are not dropped silently.
set -eu
awk 'BEGIN { print "a,b,kind"; for (i = 1; i <= 30; i++)
             print i * 1e-30 "," (i % 2) * 1e-30 "," (i % 2 ? "good" : "bad") }' > tiny.csv
neyman train tiny.csv --label kind -o m -q > out
{ echo a,b,kind; echo 1e-30,0,bad; echo 3e38,3e38,good; } > huge.csv
code() {
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq "$want" || { echo "exit $status, expected $want: $*"; cat err; exit 1; }
}
code 0 predict m huge.csv --scores # features beyond the range of float stop at its end
if grep -q -i 'inf\|nan\|reject' out; then exit 1; fi
code 0 evaluate m huge.csv
{ echo a,b,kind; echo 1e-30,,bad; echo 3e-30,1e-30,good; } > holes.csv
for command in predict evaluate qvalues; do
    code 2 $command m holes.csv --missing keep
    grep -q 'has no option --missing' err
done

{ echo a,b,kind; echo 1e-30,0,bad; echo 3e-30,1e-30,ugly; } > odd.csv
code 0 predict m odd.csv --scores
grep -q "warning: odd.csv:3: .*'ugly'" err
head -n 1 out | grep -q 'label$' # the header is written before the second row is looked at
test "$(cut -f 3 out | tail -n 2 | tr '\n' ,)" = bad,,
{ echo a,b,kind; echo 1e-30,0,bad; echo 3e-30,1e-30,; } > odd.csv
code 0 predict m odd.csv --scores
grep -q 'warning: odd.csv:3: ' err
test "$(cut -f 3 out | tail -n 2 | tr '\n' ,)" = bad,,
{ echo a,b,kind; echo 1e-30,0,ugly; echo 3e-30,1e-30,bad; } > odd.csv
code 0 predict m odd.csv --scores
grep -q "warning: odd.csv:2: .*'ugly'.*no column of labels" err
if head -n 1 out | grep -q label; then exit 1; fi
code 0 predict m odd.csv
test ! -s err
cut -d, -f1,2 tiny.csv > none.csv
code 0 predict m none.csv --scores
test ! -s err
