#!/bin/sh
# A model that is truncated, changed, of a newer version, or another file: exit 3, the file name, the reason.
set -eu
printf 'label,k,a\n1,u,2\n0,v,-1\n1,u,3\n0,u,-2\n' > d.csv
neyman train -q d.csv -o m > out
size=$(wc -c < m)
refuse() {
    for command in "predict bad d.csv" "evaluate bad d.csv" "info bad"; do
        status=0
        # shellcheck disable=SC2086
        neyman $command > out 2> err || status=$?
        test $status -eq 3 || { echo "$1: $command: exit $status" >&2; cat err >&2; exit 1; }
        grep -q 'bad' err
        test -z "$1" || grep -q "$1" err || { echo "no '$1'" >&2; cat err >&2; exit 1; }
        test ! -s out
    done
}
for length in 20 $((size / 2)) $((size - 22)) $((size - 2)) $((size - 1)); do
    head -c "$length" m > bad
    refuse 'truncated'
done
head -n -1 m > bad; refuse 'truncated'
sed 's/^neyman-model [0-9]*$/neyman-model 99/' m > bad; refuse 'version 99'
sed 's/^family linear$/family linear /' m > bad; refuse 'checksum'
sed 's/^ n number 4$/ n number 5/' m > bad; if cmp -s m bad; then exit 1; fi; refuse 'checksum'
sed 's/^thresholds 0 0$/thresholds 1 1/' m > bad; if cmp -s m bad; then exit 1; fi; refuse 'checksum'
{ cat m; echo; } > bad; refuse ''
neyman predict -q m d.csv > out
