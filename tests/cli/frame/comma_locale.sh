#!/bin/sh
# A locale that writes 0,5 for 0.5 changes nothing, neither what is read nor what is printed.
set -eu
comma=${NEY_TEST_LOCALE:-$(locale -a 2> /dev/null | grep -i -E '^(de|fr|nl|es|it|pl|ru)_.*utf-?8$' | head -n 1)}
test -n "$comma" || exit 77
awk 'BEGIN { for (i = 1; i <= 50; i++) print (i % 2 ? 1 : -1), "1:" (i % 7) / 4 - i % 2, "2:0.25" }' > d.svm
run() {
    neyman train d.svm -C 0.5 -o "$1.model" -q --json | grep -v -e seconds -e '"model"' > "$1.train"
    neyman predict "$1.model" d.svm --scores > "$1.scores"
    neyman evaluate "$1.model" d.svm | grep -v -e seconds -e "^Next: neyman predict $1.model NEW" > "$1.table"
}
LC_ALL=C; export LC_ALL
run plain
LC_ALL=$comma
run comma
for what in model train scores table; do
    cmp plain.$what comma.$what
done
