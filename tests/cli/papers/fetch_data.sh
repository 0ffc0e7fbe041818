#!/bin/sh
# scripts/fetch_data.sh with a folder as mirror: a set is fetched once, checked and converted; another content is refused.
set -eu
command -v curl > /dev/null && command -v python3 > /dev/null || exit 77
fetch() {
    NEY_DATA_MIRROR=file://$PWD/mirror sh "$NEY_SOURCE/scripts/fetch_data.sh" "$@"
}

# the published file has neither header nor names: 57 numbers, then 1 for spam
mkdir mirror
gzip -dc "$DATA/spambase-train.csv.gz" "$DATA/spambase-test.csv.gz" | grep -v '^make,' |
    sed 's/,nonspam$/,0/; s/,spam$/,1/' > mirror/spambase.data
test "$(wc -l < mirror/spambase.data)" -eq 4601
fetch out spambase
for part in train:2300 valid:1151 test:1150; do
    test "$(gzip -dc "out/spambase.${part%:*}.svm.gz" | wc -l)" -eq "${part#*:}"
done
neyman info out/spambase.train.svm.gz --json > info.json
python3 -c '
import json
d = json.load(open("info.json"))
assert d["n"] == 2300 and d["n_pos"] == 1394 and d["n_neg"] == 906, d'

# fetched before: the mirror is not needed
mv mirror/spambase.data kept
rm out/spambase.*
fetch out spambase
test -s out/spambase.test.svm.gz

# one cell changed, one row missing, nothing there, an unknown name
refused() {
    rm -rf bad
    code=0
    fetch bad "$2" 2> message || code=$?
    test "$code" -eq 1 && grep -q "$1" message && test -z "$(ls bad/*.svm.gz 2> /dev/null)"
}
sed '7s/^[^,]*/0.77/' kept > mirror/spambase.data
refused 'sha256 .* expected' spambase
sed 1d kept > mirror/spambase.data
refused 'expected 4\|expected 1813\|expected 2788' spambase
rm mirror/spambase.data
refused 'cannot fetch' spambase
code=0
fetch bad nothing 2> message || code=$?
test "$code" -eq 1 && grep -q 'unknown set nothing' message

# missing cells are left out, columns dropped, [-1, 1]: three rows of the format of breast, which are not the set
printf '1,5,1,1,1,2,1,3,1,1,2\n2,8,?,10,1,7,1,9,7,1,4\n3,8,10,10,8,7,10,9,7,1,4\n' > mirror/breast-cancer-wisconsin.data
refused 'positives 1, expected 444; negatives 1, expected 239' breast
