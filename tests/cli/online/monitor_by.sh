#!/bin/sh
# monitor --by: each value of a column is tested, also over runs; one of them raises an alarm though
# all rows together do not; a state of other subgroups is refused; the column that predict carries.
set -eu
awk 'BEGIN { srand(8); for (i = 0; i < 2000; i++) print (i % 2 ? 1 : -1), "1:" rand() + 0.8 * (i % 2) }' > d.svm
neyman train -q --max-fpr 0.1 --confidence 0.9 d.svm -o m > out
# 20 % of the negatives of one region are misclassified, 2.5 % of those of the others
awk 'BEGIN { print "label\tscore\tregion"
    for (i = 0; i < 4000; i++) { west = i % 5 == 0
        print "-1\t" (i > 400 && (west ? i % 25 == 20 : i % 40 == 31) ? 9 : -9) "\t" (west ? "the west" : i % 2 ? "east" : "") } }' > all.tsv
status=0; neyman monitor m --by region --json < all.tsv > by.json 2> err || status=$?
test $status -eq 6 && grep -q 'with region = the west' err
neyman monitor m < all.tsv > out # all rows together are within the bound
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import json, math
o = json.load(open("by.json"))
by = {(r["value"], r["rate"]): r for r in o["by"]}
assert set(by) == {("the west", "fpr"), ("east", "fpr"), ("", "fpr")}, by
assert o["alarm"] and "alarm_row" not in o and "of rows with region = the west" in o["verdict"], o["verdict"]
assert o["headline"][0].startswith("Alarm: ")
assert not o["bounds"][0]["alarm"] and by["the west", "fpr"]["alarm"] and not by["east", "fpr"]["alarm"]
assert sum(r["n"] for r in o["by"]) == o["n"] == 4000
assert sum(r["errors"] for r in o["by"]) == o["bounds"][0]["errors"]
# shares of delta: half for all rows, 1 / (2 k (k + 1)) for the k-th value
assert abs(o["bounds"][0]["delta_share"] - 0.05) < 1e-15
for k, r in enumerate(o["by"], 1):
    assert abs(r["delta_share"] - 0.1 / (2 * k * (k + 1))) < 1e-15, r
    assert abs(r["log_needed"] + math.log(r["delta_share"])) < 1e-12
PY
python3 check.py
# the same over four runs
head -n 1 all.tsv > head.tsv
sed 1d all.tsv | split -l 1000 - part.
for part in part.*; do
    status=0
    cat head.tsv "$part" | neyman monitor m --by region --state s --json > run.json 2> err || status=$?
done
test $status -eq 6
python3 - <<'PY'
import json
a, b = json.load(open("by.json")), json.load(open("run.json"))
assert a["by"] == b["by"] and a["bounds"] == b["bounds"], b["by"]
PY
grep -q 'subgroup in an earlier run is permanent' err
# an alarm stays; --stop ends at that of a subgroup
status=0; neyman monitor m --by region --state s --stop < head.tsv > out 2> err || status=$?
test $status -eq 6
status=0; neyman monitor m --by region --stop --json < all.tsv > stop.json 2> err || status=$?
test $status -eq 6
python3 -c 'import json
o = json.load(open("stop.json"))
assert o["n"] == max(r["alarm_row"] or 0 for r in o["by"]) < 4000'
# refused: another column, none, -o, no such column, too many values
refused() { code=$1 text=$2; shift 2; status=0; "$@" < all.tsv > out 2> err || status=$?; test $status -eq "$code" && grep -q -e "$text" err; }
refused 3 'of another --by' neyman monitor m --by label --state s
refused 3 'run with --by' neyman monitor m --state s
refused 2 'cannot be combined with --by' neyman monitor m --by region -o new
refused 3 "no column 'nowhere'" neyman monitor m --by nowhere
awk 'BEGIN { print "label\tscore\tid"; for (i = 0; i < 1200; i++) print "-1\t-9\t" i }' > many.tsv
status=0; neyman monitor m --by id < many.tsv > out 2> err || status=$?
test $status -ne 0 && grep -q 'more than 1000 values' err
# predict carries the column
awk 'BEGIN { srand(3); print "x,y,region"; for (i = 0; i < 900; i++) print rand() + 0.8 * (i % 2) "," i % 2 "," (i % 3 ? "n" : "s") }' > t.csv
neyman train -q --max-fpr 0.2 --confidence 0.9 --label y --id region t.csv -o t > out
sed 's/^\(.*\),n$/\1,m/' t.csv > new.csv
neyman predict t new.csv --scores --id region | neyman monitor t --by region --max-fpr 0.9 > out
grep -q '^ *m ' out && grep -q '^ *s ' out
