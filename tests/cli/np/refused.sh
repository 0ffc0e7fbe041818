#!/bin/sh
# What cannot be certified is exit 4, says what would be needed and writes nothing; what contradicts
# itself is exit 2.
set -eu
awk 'BEGIN { srand(2); for (i = 0; i < 118; i++) print (i % 2 ? 1 : -1), "1:" rand() + (i % 2) }' > d.svm
refuse() {
    want=$1
    shift
    status=0
    neyman train "$@" d.svm -o bad > out 2> err || status=$?
    if test $status -ne "$want" || test -e bad; then
        echo "$*: exit $status"
        cat err
        exit 1
    fi
}
refuse 4 --max-fpr 0.05 --confidence 0.95 # 59 negatives: all would be held out
grep -q '59 negative rows cannot certify max-fpr of 0.05 with confidence 0.95: at least 59 must be held out' err
grep -q 'neyman plan --max-fpr 0.05 --confidence 0.95' err
refuse 4 --max-fpr 0.05 --confidence 0.95 --json
grep -q '"needed":.*59' out
refuse 4 --max-fpr 0.05 # the default is 0.95
grep -q 'confidence 0.95: at least 59 must be held out' err
grep -q 'Add rows, loosen the bound or lower the confidence; or set confidence to none' err
refuse 4 --max-fpr 0.001 --method online
refuse 4 --max-fpr 0 # no option: still a certificate
refuse 2 --max-fpr 0.1 --confidence no
grep -q 'or none' err
refuse 4 --max-fnr 0.001 --confidence 0.9
grep -q '59 positive rows' err
refuse 4 --max-fpr 0 --confidence 0.9
grep -q 'no number of rows can certify max-fpr of 0' err
grep -q 'confidence none' err
refuse 4 --max-fpr 0.1 --confidence 0.9 --holdout 0.2
grep -q 'needs at least 22' err
refuse 2 --max-fpr 0.1 --max-fnr 0.1 --confidence none
refuse 2 --max-fpr 0.1 --cost-fp 2
refuse 2 --max-fpr 1.1
refuse 2 --max-fpr -0.1
refuse 2 --confidence 0.9
refuse 2 --max-fpr 0.1 --confidence 1
refuse 2 --max-fpr 0.1 --confidence none --holdout 0.5
refuse 2 --method uzawa
neyman train -q --max-fpr 0.06 --confidence 0.95 d.svm -o m > out
# less than one row is said to be none
neyman train --max-fpr 0.001 --confidence none d.svm -o m > out 2> err
grep -q 'a rate of 0.001 is less than one row in 59: no training row may be misclassified' err
