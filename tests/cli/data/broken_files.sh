#!/bin/sh
# Every kind of broken file: exit 3, the file and line, nothing on stdout, nothing written, no
# temporary file left.
# shellcheck disable=SC2059
set -eu
mkdir out
# refuse NAME PLACE WORDS [OPTIONS]: the file NAME is refused at PLACE with a message that has WORDS.
refuse() {
    name=$1 place=$2 words=$3
    shift 3
    for command in "train -o out/m" "convert"; do
        status=0
        if test "$command" = convert; then
            neyman convert "$@" "$name" out/c.svm > stdout 2> err || status=$?
            neyman convert "$@" "$name" out/c.ney >> stdout 2>> err || true
        else
            # shellcheck disable=SC2086
            neyman $command "$@" "$name" > stdout 2> err || status=$?
        fi
        test $status -eq 3 || { echo "$name: exit $status, expected 3" >&2; cat err >&2; exit 1; }
        grep -q -F -- "$name$place" err || { echo "$name: no place $place" >&2; cat err >&2; exit 1; }
        grep -q -e "$words" err || { echo "$name: no '$words'" >&2; cat err >&2; exit 1; }
        test ! -s stdout
        test -z "$(ls -A out)"
    done
}
good='1 1:1\n-1 1:2\n'
printf "$good"'1 3:1 2:1\n' > order.svm;       refuse order.svm :3:7: ascend
printf "$good"'1 1:x\n' > value.svm;           refuse value.svm :3:5: 'a number'
printf "$good"'1 5\n' > colon.svm;             refuse colon.svm :3:3: 'index:value'
printf "$good"'1 0:1\n' > zero.svm;            refuse zero.svm :3:3: 'from 1'
printf "$good"'1 2147483648:1\n' > wide.svm;   refuse wide.svm :3:3: 2147483648
printf "$good"'1 1:1e39\n' > large.svm;        refuse large.svm :3:5: '3.4e38'
printf "$good"'1 1:inf\n' > inf.svm;           refuse inf.svm :3:5: finite
printf "$good"'1 cost:-1 1:1\n' > cost.svm;    refuse cost.svm :3: weight
printf "$good"'7 1:1\n' > third.svm;           refuse third.svm :3: 7
printf "$good"'2:1\n' > mixed.svm;             refuse mixed.svm :3: label
printf 'label,a\n1,2\n0,3,4\n' > long.csv;     refuse long.csv :3: '3 fields, expected 2'
printf 'label,a\n1,2\n0\n' > short.csv;        refuse short.csv :3: '1 field, expected 2'
printf 'label,a\n1,2\n0,"3\n' > quote.csv;     refuse quote.csv :3:3: 'never closed'
printf 'label,a\n1,2\n0,"3"x\n' > after.csv;   refuse after.csv :3: 'closing quote'
printf 'label,a\n1,2\n0,\n' > gap.csv;         refuse gap.csv :3: missing
printf 'label,a,w\n1,2,-1\n0,1,1\n' > w.csv;   refuse w.csv :2: weight --weight w
printf 'label\ta\n1\t2\n0\t1\t3\n' > long.tsv; refuse long.tsv :3: '3 fields, expected 2'
printf 'label,t\n1,"a\nb"\n0,"c\nd\n' > lines.csv; refuse lines.csv :4: 'never closed'
head='SpecId\tLabel\tScanNr\ts\tPeptide\tProteins\n'
printf "$head"'a\t1\t1\t2\tP\tQ\nb\t-1\t2\n' > short.pin; refuse short.pin :3: fields
printf "$head"'a\t1\t1\t2\tP\tQ\nb\t-1\t2\t?\tP\tQ\n' > gap.pin; refuse gap.pin :3: missing
{ awk 'BEGIN { for (i = 0; i < 20000; i++) print i % 2 " 1:" i }'; printf '1 1:2\0\n'; } > late.svm
refuse late.svm :20001: expected
printf '%s' '' > empty.svm;                    refuse empty.svm : 'no rows'
printf '\377\376a\0' > wide.txt;               refuse wide.txt : UTF-16
printf '1 1:1\n\0\0\0\n' > nul.svm;            refuse nul.svm : NUL
printf "$good" | gzip > cut.full
head -c 20 cut.full > cut.svm.gz;              refuse cut.svm.gz : 'end early'
{ head -c 14 cut.full; printf '\377\377\377\377'; tail -c +19 cut.full; } > bad.svm.gz
refuse bad.svm.gz : gzip
