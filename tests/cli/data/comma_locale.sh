#!/bin/sh
# Tables, missing cells, categories, caches and models are the same bytes under a locale of decimal commas.
set -eu
comma=${NEY_TEST_LOCALE:-}
if test -z "$comma"; then
    command -v localedef > /dev/null || exit 77
    mkdir locales
    localedef -i de_DE -f UTF-8 "$PWD/locales/de_DE.UTF-8" > log 2>&1 || true
    test -e locales/de_DE.UTF-8/LC_NUMERIC || exit 77
    LOCPATH=$PWD/locales; export LOCPATH
    comma=de_DE.UTF-8
fi
LC_ALL=C awk 'BEGIN { print "label,a,b,k"
    for (i = 1; i <= 50; i++) print i % 2 "," (i % 7) / 8 - i % 2 "," (i % 9 ? i / 16 : "") "," (i % 3 ? "u" : "v") }' > d.csv
run() {
    neyman train d.csv --missing mean -o "$1.model" -q > "$1.out"
    neyman predict -q "$1.model" d.csv --scores > "$1.scores"
    neyman convert -q d.csv --missing mean "$1.ney"
    neyman convert -q "$1.ney" "$1.svm"
    neyman convert -q d.csv --missing mean "$1.tsv"
    neyman info --json "$1.ney" | grep -v '"file"' > "$1.info"
}
(LC_ALL=C; export LC_ALL; run plain)
(LC_ALL=$comma; export LC_ALL; run comma)
for what in model scores ney svm tsv info; do
    cmp plain.$what comma.$what
done
grep -q '0\.' plain.scores
