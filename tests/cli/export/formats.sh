#!/bin/sh
# export: what it writes and where, what it refuses and why; info on what it wrote.
set -eu
printf '1 1:1 2:3\n-1 1:-2 2:1\n1 1:2 2:2\n-1 1:-1\n' > d.svm
neyman train -q d.svm -o m > out
neyman export m --format libsvm > a
neyman export m --format libsvm -o b > out
cmp a b
grep -q '^output *b$' out
test "$(sed -n 1p a)" = 'svm_type c_svc'
grep -q '^label 1 -1$' a
neyman export m --format liblinear > c
test "$(sed -n 1p c)" = 'solver_type L2R_L1LOSS_SVC_DUAL'
for file in b c; do
    neyman info --json $file > j
    grep -q '"kind":[[:space:]]*"model"' j
    grep -q '"family":[[:space:]]*"linear"' j
    neyman info --json - < $file > k
    cmp j k
    neyman evaluate -q $file d.svm > out
done
neyman export m --format json -o j > out
for key in format version family positive negative cols scaling threshold features weights intercept; do
    grep -q "\"$key\":" j || { echo "no $key" >&2; exit 1; }
done
neyman export --json m --format libsvm -o b > out
grep -q '"output":' out

# a kernel model, from a file of LIBSVM
printf 'svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 2:2 \n-1 1:-2 \n' > k
neyman info k > out
grep -q '^kernel *rbf$' out
grep -q '^support vectors *2$' out
neyman predict -q k d.svm > out
test "$(tr '\n' ' ' < out)" = '1 -1 1 -1 '
neyman export k --format json > j
grep -q '"support":' j

refuse() {
    code=$1; says=$2; shift 2
    status=0
    neyman export "$@" > out 2> err || status=$?
    test $status -eq "$code" || { echo "$*: exit $status" >&2; cat err >&2; exit 1; }
    grep -q -e "$says" err || { echo "no '$says'" >&2; cat err >&2; exit 1; }
    test "$1" = --json || test ! -s out
}
refuse 2 'format' m
refuse 2 'pmml' m --format pmml
refuse 2 'share' --json m --format libsvm
refuse 2 'LIBSVM' k --format liblinear -o no
printf 'label,a\nspam,1\nham,0\nspam,2\nham,-1\n' > w.csv
neyman train -q w.csv -o w > out
refuse 2 'whole number' w --format libsvm -o no
neyman train -q --scale unit d.svm -o u > out
refuse 2 'unit length' u --format libsvm -o no
refuse 3 'cannot be opened\|not a model' d.svm --format libsvm -o no
sed 's/^nr_class 2/nr_class 3/' k > three
refuse 3 'three:4: .*3 classes' three --format libsvm
test ! -e no
