#!/bin/sh
# A categorical column becomes one feature per value; the model stores the mapping: a new file may have
# its columns in another order, additional columns, and unknown values.
set -eu
printf 'label,colour,size,n\nyes,red,L,1\nno,blue,S,2\nyes,red,S,3\nno,"light, green",L,0\n' > t.csv
neyman train -q t.csv --scale none -o m > out
grep -q '^category colour blue light,%20green red$' m
grep -q '^category size L S$' m
test "$(neyman predict -q m t.csv | tr '\n' ' ')" = 'yes no yes no '
neyman predict -q m t.csv --scores | cut -f 2 > s1
# The same rows, columns permuted, one added, the label gone.
printf 'n,extra,size,colour\n1,foo,L,red\n2,bar,S,blue\n3,baz,S,red\n0,q,L,"light, green"\n' > p.csv
neyman predict -q m p.csv --scores | cut -f 2 > s2
cmp s1 s2
printf 'n\tsize\tcolour\n1\tL\tred\n2\tS\tblue\n3\tS\tred\n0\tL\tlight, green\n' > p.tsv
neyman predict -q m p.tsv --scores | cut -f 2 > s3
cmp s1 s3
# A value never seen counts as none of the values, and a message says so.
printf 'label,colour,size,n\nyes,purple,L,1\n' > u.csv
neyman predict m u.csv --scores > s4 2> err
grep -q 'u.csv.*1 cell' err
w() { awk -v k="$1" '/^weights/ { on = 1; n = 0; next } on && ++n == k { print $1 }' m; }
awk -v b="$(sed -n 's/^intercept //p' m)" -v L="$(w 4)" -v n="$(w 6)" -v s="$(sed -n 2p s4 | cut -f 2)" \
    'BEGIN { d = b + L + n - s; exit !(d * d < 1e-24) }'
# The beginning of a known value, or more than it, is another value.
printf 'label,colour,size,n\nyes,re,L,1\nyes,redder,L,1\n' > near.csv
neyman predict m near.csv --scores > s5 2> err
grep -q 'near.csv.*2 cell' err
test "$(sed -n 2p s5)" = "$(sed -n 2p s4)"
test "$(sed -n 3p s5)" = "$(sed -n 2p s4)"
# A column the model needs is not there.
printf 'label,size,n\nyes,L,1\n' > short.csv
status=0; neyman predict m short.csv > out 2> err || status=$?
test $status -eq 3
grep -q "short.csv:1: .*'colour'" err
