#!/bin/sh
# Files of another kind than expected: the message names the kind.
set -eu
refuse() {
    status=0; neyman train "$1" -o m.out > out 2> err || status=$?
    test $status -eq 3 || { echo "$1: exit $status" >&2; cat err >&2; exit 1; }
    grep -q -e "$2" err || { echo "$1: no '$2'" >&2; cat err >&2; exit 1; }
    test ! -s out
}
printf 'label,a\n1,2\n0,1\n' > good.csv
describe() { # info, which describes what it can, has the same reason
    refuse "$1" "$2"
    status=0; neyman info "$1" > out 2> err || status=$?
    test $status -eq 3
    grep -q -e "$2" err || { echo "info $1: no '$2'" >&2; cat err >&2; exit 1; }
}
# Files of other programs: what they are, and the next step.
printf 'PAR1\025\004\000' > f.csv;                describe f.csv 'f.csv: is a Parquet file.*pandas.read_parquet'
printf 'ARROW1\000\000x' > f;                     describe f 'is an Arrow (Feather) file'
printf '\211HDF\r\n\032\n' > f;                   describe f 'is an HDF5 file'
printf 'SQLite format 3\000x' > f;                describe f 'is an SQLite database'
printf '\200\004\225x\000' > f;                   describe f 'is a pickle'
printf 'X\n\000\000\000\003' > f;                  describe f 'is an R object'
printf '\320\317\021\340\241\261' > f;            describe f 'document of Excel'
printf 'BZh91AY&SY\000' > f.csv.bz2;              describe f.csv.bz2 'is a bzip2 file.*bunzip2'
printf '\3757zXZ\000\000' > f;                    describe f 'is an xz file.*unxz'
printf '%%PDF-1.7\n' > f;                         describe f 'is a PDF'
printf '  {\n "a": 1}\n' > f.json;                describe f.json 'is JSON.*pandas.read_json'
printf '[{"a": 1}]\n' > f.json;                   describe f.json 'is JSON'
printf '\357\273\277<!DOCTYPE html>\n<p>404\n' > f; describe f 'is an HTML page'
printf '<?xml version="1.0"?>\n' > f;             describe f 'is XML'
printf '@RELATION x\n@data\n1,2\n' > f.arff;      describe f.arff 'is an ARFF file.*--no-header'
gzip -c f.json > f.json.gz;                        describe f.json.gz 'is JSON'
# A spreadsheet is a zip archive: a central directory with one empty member.
name='[Content_Types].xml'
{ printf 'PK\003\004\024\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\023\000\000\000%s' "$name"
  printf 'PK\001\002\024\000\024\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\023\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000%s' "$name"
  printf 'PK\005\006\000\000\000\000\001\000\001\000\101\000\000\000\061\000\000\000\000\000'; } > book.xlsx
describe book.xlsx 'zip archive without arrays.*spreadsheet'
# Texts that begin alike are data.
for first in PAR1 BZh ARROW1 RDX3 '[id]' '{x}' '[1]' '<b>'; do
    printf '%s,label\n1,x\n2,y\n' "$first" > like.csv
    neyman train -q like.csv -o m > out || { echo "$first" >&2; exit 1; }
done
printf 'label,a\r1,2\r0,1\r' > cr.csv;             refuse cr.csv 'CR alone'
printf 'label a b\n1 2 3\n' > spaces.txt;          refuse spaces.txt 'bars or tabs between fields'
printf 'label,a\n' > head.csv;                     refuse head.csv 'a header but no rows'
neyman train -q good.csv -o m > out
refuse m 'is a model, expected data'
gzip -c m > m.gz;                                  refuse m.gz 'is a model, expected data'
neyman convert -q good.csv good.ney
gzip -c good.ney > packed.ney.gz;                  refuse packed.ney.gz 'compressed cache: unpack it'
status=0; neyman train - -o m.out < good.ney > out 2> err || status=$?
test $status -eq 3
grep -q 'not from standard input' err
