#!/bin/sh
# What is recognised in a table is said; what has two readings or none is refused, with the next step.
set -eu
. "$NEY_SOURCE/tests/support/refuse.sh"
say() {
    want=$1; shift
    neyman "$@" -o m > out 2> err || { cat err; exit 1; }
    grep -q -- "$want" err || { echo "$*: no '$want' in:"; cat err; exit 1; }
    rm -f m
}
# 1,234 has two readings; another column or an option decides.
printf 'label;a\n1;1,234\n0;2,345\n1;3,000\n0;1,001\n' > two.csv
refuse 'two.csv:2: column .a. holds .1,234.*--decimal . or --decimal ,' train two.csv
say 'decimal comma' train two.csv --decimal ,
say "',', a space or an apostrophe between thousands" train two.csv --decimal .
printf 'label;a;b\n1;1,234;0,5\n0;2,345;1,5\n1;3,000;2\n0;1,001;7\n' > comma.csv
say "column 'a' is read as numbers with a decimal comma" train comma.csv
printf 'label;a;b\n1;1,234;0.5\n0;2,345;1.5\n1;3,000;2\n0;1,001;7\n' > point.csv
say "column 'a' is read as numbers with ',', a space or an apostrophe between thousands" train point.csv
printf 'label;a;b\n1;1.234;0,5\n0;2.345;1,5\n1;3.000;2\n0;1.001;7\n' > dots.csv
say "column 'a' is read as numbers with '.', a space or an apostrophe between thousands" train dots.csv
printf 'label;a;b\n1;0.234;0,5\n0;2.345;1,5\n1;3.000;2\n0;1.001;7\n' > zero.csv
neyman train -q zero.csv -o m > out
grep -q '^number a$' m
rm m
# A model keeps the form: new rows are read in the same way, or refused.
neyman train -q comma.csv -o keep > out
printf 'a;b\n1,5;2,5\n' > new.csv
neyman predict -q keep new.csv > out
printf 'a;b\n1.5;2.5\n' > new.csv
status=0; neyman predict -q keep new.csv > out 2> err || status=$?
[ $status -eq 3 ]
grep -q "new.csv:2:.*'1.5' in column 'a'" err
neyman predict -q keep new.csv --decimal . > out
# Other forms.
printf 'label,a,d,p,t\n1,$1.5,2024-01-05,10%%,12:30\n0,$3,2024-02-29,20 %%,01:00:01\n1,$5.25,2023-12-31,30.5%%,23:59\n0,$7,1969-12-31,1%%,00:00\n' > f.csv
say "column 'a' is read as amounts of money.*'\$1.5'" train f.csv
grep -q "column 'd' is read as dates" err
grep -q "column 'p' is read as percentages" err
grep -q "column 't' is read as times" err
printf 'label,a\n1,10%%\n0,5\n1,7%%\n0,2\n' > mix.csv
refuse "mix.csv:2: column 'a' holds '10%' among numbers in another form" train mix.csv
printf 'label,d\n1,2024-02-29\n0,2024-02-30\n' > day.csv
refuse "day.csv:3: column 'd' holds '2024-02-30', which is not a number, among 1 numbers" train day.csv
# Words for missing cells.
for word in NULL null N/A n/a NaN nan None - . '#N/A' NA '?' ''; do
    printf 'label,a\n1,2\n0,%s\n1,4\n0,3\n' "$word" > gap.csv
    refuse "gap.csv:3:.*missing" train gap.csv
    neyman train -q --missing mean gap.csv -o m > out
    rm m
done
printf 'label,a\n1,2\n0,unknown\n1,4\n0,gone\n' > gap.csv
refuse "holds 'unknown'.*--na" train gap.csv
neyman train -q --missing mean --na unknown --na gone gap.csv -o m > out
printf 'a\ngone\n2\n' > new.csv
neyman predict -q m new.csv > out
rm m
# A class may be called '-'; a label is missing only where it is empty, NA or ?.
printf 'label,a\n+,2\n-,1\n+,4\n-,3\n' > sign.csv
say 'positive: +' train sign.csv --positive +
# Columns without a name, and a header that is a row.
printf ',label,a,,b,\n0,1,2,7,1,\n1,0,3,8,1,\n2,1,4,9,2,\n3,0,1,7,3,\n' > index.csv
# A column of words that differ from row to row: an id, or dates in a form that is not recognised.
awk 'BEGIN { print "label,when,name,kind"; for (i = 0; i < 60; i++) print (i % 2 ? "y" : "n") "," 1 + i % 12 "/" 1 + i % 28 "/2024,u" i ",k" i % 3 }' > words.csv
say "warning: words.csv: column 'name' has 60 different words in 60 rows, each of which is a feature: leave it out" train words.csv
grep -q "column 'when' has .* dates in another form than 2024-03-25.*--ignore" err
if grep -q "column 'kind' has" err; then exit 1; fi
# Dates are warned of where they are few too; three numbers that are no date are not.
awk 'BEGIN { print "label,day,seen,version,part"; for (i = 0; i < 60; i++) print (i % 2 ? "y" : "n") "," 1 + i % 4 ".03.2024," 1 + i % 4 "/3/24 13:05," i % 4 ".1.7," i % 4 "-112-5" }' > few.csv
say "column 'day' has 4 dates.*such as '1.03.2024'" train few.csv
grep -q "column 'seen' has 4 dates" err
if grep -q "column '\(version\|part\)' has" err; then exit 1; fi
neyman train --id name --ignore when words.csv -o m > out 2> err
if grep -q -e 'different words' -e 'dates in' err; then exit 1; fi
say 'index.csv:1: column 1 has no name: it is left out' train index.csv
grep -q 'column 4 has no name: it is called c4' err
grep -q 'column 6 has no name: it is left out' err
printf '1,2,3\n0,3,4\n1,2,5\n0,5,5\n' > bare.csv
say 'bare.csv:1: the header holds numbers.*--no-header' train bare.csv --label 1
printf '39, Private, 77516, <=50K\n50, Self, 83311, <=50K\n38, Private, 215646, >50K\n53, Self, 234721, >50K\n' > adult.csv
say 'adult.csv:1: the header holds numbers.*--no-header' train adult.csv --label '<=50K'
refuse "no column 'income'.* if line 1 is a row, state --no-header" train adult.csv --label income
printf 'label,2019,2020,2021\n1,2,3,3\n0,3,4,2\n1,2,5,1\n0,5,5,4\n' > years.csv
neyman train years.csv -o m > out 2> err
if grep -q 'no-header' err; then exit 1; fi
rm m
printf 'label,a,a\n1,2,3\n0,3,4\n1,2,5\n0,5,5\n' > twice.csv
say 'repeats a name' train twice.csv
printf '\377\376l\0a\0' > wide.csv
refuse 'UTF-16.*iconv' train wide.csv
# Ignored columns accumulate.
printf 'label,a,b,c\n1,2,3,1\n0,3,4,1\n1,2,5,2\n0,5,5,3\n' > abc.csv
neyman train -q abc.csv --ignore a --ignore b -o m > out
[ "$(grep -c '^number [abc]$' m)" -eq 1 ]
rm m
# Options that name nothing.
for option in '--delimiter ;;' '--delimiter 5' '--decimal x'; do
    status=0; neyman train abc.csv $option -o m > out 2> err || status=$?
    [ $status -eq 2 ]
    grep -q 'expected' err
done
