#!/bin/sh
# The commands that the demonstration prints, run unchanged, give the output that it shows.
set -eu
root=$(CDPATH= cd -- "$CASE_DIR/../../.." && pwd)
mkdir scripts
cp "$root/scripts/demo.sh" scripts
ln -s "$root/data" data
sh scripts/demo.sh > shown 2> err
escape=$(printf '\033')
sed "s/$escape\[[01]m//g" shown > plain
sed -n 's/^\$ //p' plain > commands
test "$(grep -c neyman commands)" -ge 4
cp data/spambase-*.csv.gz .
while read -r line; do
    sh -c "$line" 2> err2
done < commands > again
result() { grep -v -e '^\$ ' -e '^# ' -e '^ *seconds' -e '^$' "$1"; }
result plain > want
result again > got
diff want got
