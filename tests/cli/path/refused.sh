#!/bin/sh
# Lines that cannot be followed and points that cannot be picked are refused with the reason; no file is left.
set -eu
awk 'BEGIN { srand(7); for (i = 1; i <= 40; i++) { y = i % 2 ? -1 : 1
    print y, "1:" rand() + y / 3, "2:" rand() } }' > a.svm
# refuse CODE WORDS COMMAND...
refuse() {
    code=$1 words=$2
    shift 2
    status=0
    neyman "$@" > out 2> err || status=$?
    if [ $status -ne "$code" ] || ! grep -q -e "$words" err; then
        echo "neyman $*: exit $status, expected $code and '$words':" >&2
        cat err >&2
        exit 1
    fi
}
refuse 2 'path needs --to C+ C-' path a.svm
refuse 2 'needs two values' path a.svm --to 1
refuse 2 'expected two numbers' path a.svm --to 1 x
refuse 2 'a cost is below 0' path a.svm --to 1 -1
refuse 2 'semidefinite' path a.svm --to 1 1 --kernel sigmoid -o p.path
test ! -e p.path
neyman path -q a.svm --to 1 1 -o p.path > out
neyman path -q a.svm --to 1,1 > comma
neyman path -q a.svm --to=1,1 > joined
grep -v seconds comma > c1; grep -v seconds joined > c2
cmp c1 c2
refuse 2 'none of the 1 lines goes through' pick p.path --at 1 2 -o m
refuse 3 'has no choices' pick p.path --cost-fn 2 -o m
refuse 2 'one of' pick p.path --cost-fn 2 --at 1 1 -o m
refuse 2 'one of' pick p.path -o m
refuse 3 'not a path' pick a.svm --at 1 1 -o m
test ! -e m
sed 's/^kernel 0/kernel 1/' p.path > bad.path
refuse 3 'damaged' pick bad.path --at 1 1 -o m
head -n 20 p.path > cut.path
refuse 3 'truncated' pick cut.path --at 1 1 -o m
refuse 2 '\.svg' roc a.svm --plot x.gif
