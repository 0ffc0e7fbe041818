#!/bin/sh
# Tables as R, databases, spreadsheets and loggers write them: read as they are meant, or refused with the next step.
set -eu
. "$NEY_SOURCE/tests/support/refuse.sh"
rows() { # 40 rows: FORMAT of awk with a, b, the label and the number of the row
    awk -v format="$1" 'BEGIN { for (i = 1; i <= 40; i++) { printf format, i, (i * 7) % 13, (i * 5) % 11, i % 3 ? "no" : "yes" } }'
}
same() { # FILE OPTIONS...: the rows of plain.csv
    neyman convert -q "$@" --label y out.svm > said
    cmp plain.svm out.svm || { echo "$*: other rows"; exit 1; }
}
{ echo a,b,y; rows '%.0s%s,%s,%s\n'; } > plain.csv
neyman convert -q plain.csv --label y plain.svm > said

# write.table() of R: the header does not name the column of row names; quoted words, also between spaces.
{ printf '"a"\t"b"\t"y"\n'; rows '"%s"\t%s\t%s\t"%s"\n'; } > r.tsv
{ printf '"a" "b" "y"\n'; rows '"%s" %s %s "%s"\n'; } > r.txt
{ printf 'a,b,y\n'; rows 'row%s,%s,%s,%s\n'; } > r.csv
same r.tsv
same r.csv
same r.txt --delimiter space
neyman train r.tsv --label y -o m > out 2> err
grep -q 'r.tsv:1: column 1 has no name (rows have one field more than the header): it is left out' err
neyman predict -q m r.tsv > from_r
neyman predict -q m plain.csv > from_plain
cmp from_r from_plain
neyman info r.tsv --label y | grep -q '^40 rows with 2 features'
cp r.tsv more.tsv
neyman train -q r.tsv more.tsv --label y -o m > out # both headers are passed over
rm m
# With an equal field in front, and with one row, the lines are broken.
{ printf 'a,b,y\n'; rows '%.0s7,%s,%s,%s\n'; } > broken.csv
refuse 'broken.csv:2: found 4 fields, expected 3' train broken.csv --label y
printf 'a,b,y\n1,2,3,yes\n' > broken.csv
refuse 'broken.csv:2: found 4 fields, expected 3' train broken.csv --label y
{ printf 'score\tlabel\n'; rows '%s\t%s.5\t%.0s%s\n'; } > scores.tsv # scores with names of rows
neyman evaluate -q --from-scores scores.tsv > out

# Words that databases and other programs write for missing cells, in features and in labels.
for word in '\N' NaT NULL NaN; do
    { echo a,b,y; printf '%s,1,no\n' "$word"; rows '%.0s%s,%s,%s\n'; } > gap.csv
    refuse "gap.csv:2:.*column 'a' is missing here" train gap.csv --label y
    { echo a,b,y; rows '%.0s%s,%s,%s\n'; printf '1,2,%s\n' "$word"; } > gap.csv
    refuse 'gap.csv:42: found no label, expected one as in line 2: take out rows without one' train gap.csv --label y
    refuse 'gap.csv:42: found no label' train gap.csv --label y --positive yes --rest
done
printf 'y,a\n-,1\n+,2\n-,1\n+,3\n' > signs.csv # a class may be called so
neyman train -q signs.csv -o m > out
rm m

# Rows without a cell behind the last row, as spreadsheets write them.
{ cat plain.csv; echo ,,; } > tail.csv
refuse 'tail.csv:42: all 3 cells of this row are empty: take out' train tail.csv --label y
refuse 'tail.csv:42: found no label, expected one as in line 2: take out rows without one' train tail.csv --label y --missing mean

# Lines above the header.
for title in '# made by a logger' 'Report,,'; do
    { echo "$title"; cat plain.csv; } > title.csv
    refuse "there is no column 'y'.*if line 1 is not the header, take out the lines above" train title.csv --label y
done
{ echo 'Report of May'; cat plain.csv; } > title.csv
refuse 'title.csv:1: .*take out lines above the header' train title.csv --label y

# A quote within quotes.
printf 'a,y\n"x \\"y\\" z",1\n' > quote.csv
refuse 'quote.csv:2:.*a quote within quotes is written twice' train quote.csv --label y

# Columns that are no features: counters, ids, codes, columns without values. All of the latter are named at once.
awk 'BEGIN { print "n,user_id,zip,a,y"; for (i = 1; i <= 60; i++) { printf "%s,%s,%05d,%s,%s\n", i, i * i, i * 300, i % 7, i % 3 ? "no" : "yes" } }' > ids.csv
neyman train ids.csv --label y -o m > out 2> err
grep -q "column 'n' counts the rows (from 1 to 60), and is a feature: leave it out with --ignore" err
grep -q "column 'user_id' differs in all 60 rows, as an id does" err
grep -q "column 'zip' has numbers with zeros in front (such as '0.*--words" err
neyman train ids.csv --label y --id user_id --ignore n --words zip -o m > out 2> err
! grep -q 'counts the rows\|differs in all\|zeros in front' err
neyman info ids.csv --label y | grep -q 'zip .*zeros in front; for categories: --words zip'
rm m
{ echo 'a,e,b,f,y'; rows '%.0s%s,,%s,,%s\n'; } > holes.csv
refuse "holes.csv:2: 2 columns have no values in any row, only missing cells: leave them out with --ignore 'e,f'" train holes.csv --label y
same holes.csv --ignore e,f

# Hours of one digit, names of zones, a space in front of a zone, and dates among dates and times, whose seconds are kept.
printf 'y;t;d\n1;9:05;2024-05-17 13:45:10 UTC\n0;10:15;2024-05-17 15:45:10 +0200\n1;23:59:01,5;2024-05-17T13:45:11,5Z\n0;0:00;2024-05-17\n' > times.csv
neyman convert -q times.csv times.svm > said
printf '1 1:32700 2:1715953510\n0 1:36900 2:1715953510\n1 1:86341.5 2:1715953511.5\n0 2:1715904000\n' > expected
cmp expected times.svm
{ echo d,a,y; rows '%s-MAY-2024,%s,%.0s%s\n'; } > months.csv
neyman train months.csv --label y -o m > out 2> err
grep -q "column 'd' has 40 dates in another form than 2024-03-25" err

# A class that is called as the pooled one.
printf 'y,a\nrest,1\nb,2\nc,3\n' > rest.csv
status=0; neyman train rest.csv --positive rest --rest -o m > out 2> err || status=$?
[ $status -eq 2 ]
grep -q 'what the pooled negative labels are called' err

# Words in Latin-1: said, and kept in arrays.
printf 'c,y\nM\374nchen,ja\nUlm,nein\nM\374nchen,nein\nUlm,ja\n' > latin.csv
neyman convert latin.csv latin.npz --label y --json > out 2> err
grep -q "holds words that are not UTF-8 (such as 'M.*nchen').*iconv" err
printf 'c,y\nM\303\274nchen,ja\nUlm,nein\nM\303\274nchen,nein\nUlm,ja\n' > utf8.csv
neyman convert utf8.csv utf8.npz --label y --json > out 2> err
! grep -q 'UTF-8' err
cmp latin.npz utf8.npz || { # the type of the names is as long as their bytes
    for f in latin utf8; do
        LC_ALL=C tr -d '\000' < $f.npz | LC_ALL=C grep -q "$(printf 'M\374nchen')"
    done; }
# Weights with a decimal comma.
printf 'y;a;w\n1;1,5;0,75\n0;2,5;1,25\n1;2;2\n0;3,1;1\n' > comma.csv
printf 'y;a;w\n1;1.5;0.75\n0;2.5;1.25\n1;2;2\n0;3.1;1\n' > point.csv
for f in comma point; do
    neyman convert -q $f.csv $f.svm --label y --weight w > said
done
cmp comma.svm point.svm
rm -f m
sed 's/1,25/1,234/' comma.csv > both.csv
refuse "both.csv:3:.*'1,234' in column 'w', expected a weight (if the comma is the decimal mark: --decimal ,)" train both.csv --weight w
neyman train -q both.csv --weight w --decimal , -o m > out
