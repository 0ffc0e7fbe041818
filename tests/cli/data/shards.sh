#!/bin/sh
# Shards hold the rows of the whole in order, or whole groups; all are written, or none.
set -eu
gzip -dc "$DATA/wdbc-train.csv.gz" | awk -F, -v OFS=, 'NR == 1 { print $0, "patient"; next } { print $0, "p" int(NR / 3) % 40 }' > all.csv
neyman convert -q all.csv all.ney --label diagnosis --group patient > out
neyman convert -q all.csv plain.ney --label diagnosis --ignore patient > out
neyman convert -q plain.ney plain.csv > out
for n in 1 3 8; do
    rm -f part-*
    neyman convert all.csv 'part-%03d.ney' --shards $n --label diagnosis --ignore patient --json > json
    grep -q "\"shards\":.$n" json
    test "$(find . -name 'part-*' | wc -l)" -eq $n
    neyman convert -q part-000.ney joined.csv > out
    wc -l < joined.csv > sizes
    for k in $(seq 1 $((n - 1))); do
        neyman convert -q "part-00$k.ney" one.csv > out
        wc -l < one.csv >> sizes
        tail -n +2 one.csv >> joined.csv
    done
    test $(($(sort -n sizes | tail -n 1) - $(sort -n sizes | head -n 1))) -le 1
    cmp plain.csv joined.csv
done
# a cache is split as it is; groups stay together
rm part-*
neyman convert -q all.ney 'part-%d.ney' --shards 4 > out
neyman train -q all.csv --label diagnosis --group patient --cost-fn 1 -o model > out
for k in 0 1 2 3; do
    neyman predict -q model "part-$k.ney" --scores --group patient | tail -n +2 | awk -F'\t' '{ print $NF }' | sort -u > "groups.$k"
    test -s "groups.$k"
done
test "$(cat groups.* | sort | uniq -d | wc -l)" -eq 0
test "$(cat groups.* | wc -l)" -eq 40

# refusals
refused() { # CODE PATTERN COMMAND...
    code=$1 pattern=$2
    shift 2
    status=0
    neyman "$@" > out 2> err || status=$?
    test $status -eq "$code" || { cat err >&2; exit 1; }
    grep -q -e "$pattern" err
}
refused 2 "has no number" convert all.csv part.ney --shards 2 --label diagnosis
refused 2 "writes caches" convert all.csv 'p-%d.csv' --shards 2 --label diagnosis
refused 2 'has 427 rows, expected one at least for each of 500' convert plain.ney 'p-%d.ney' --shards 500
refused 2 '^neyman: plain.csv: has 427 rows' convert plain.csv 'p-%d.ney' --shards 500 --label diagnosis
mkdir folder-0
refused 1 '^neyman: folder-1/p.ney: cannot be written' convert plain.ney 'folder-%d/p.ney' --shards 2
test -z "$(ls folder-0)"
mkdir folder-1
neyman convert -q plain.csv 'folder-%d/p.ney' --shards 2 --label diagnosis > out
test "$(ls folder-0 folder-1 | grep -c '^p.ney$')" -eq 2
refused 1 "No such file" convert none.csv 'p-%d.ney' --shards 2
mkdir 'p-3.ney'
refused 1 'p-3.ney' convert plain.ney 'p-%d.ney' --shards 5
rmdir p-3.ney
test "$(find . -name 'p-*' | wc -l)" -eq 0 # no shard, and nothing temporary
# a shard cannot be an input, by its name, a symbolic link or a hard link
cp plain.ney s-0001.ney
ln -s all.csv t-1.ney
cp all.csv before.csv
refused 2 "OUT would overwrite 's-0001.ney', which is an input (IN)" convert s-0001.ney 's-%04d.ney' --shards 2
refused 2 "OUT would overwrite 't-1.ney', which is an input (IN)" convert all.csv 't-%d.ney' --shards 2 --label diagnosis
cmp plain.ney s-0001.ney
cmp all.csv before.csv
neyman convert -q s-0001.ney 's-%04d.ney' --shards 1 > out
