#!/bin/sh
# Without cairo everything works but charts, which are refused before the work: the program loads it when a chart is drawn.
set -eu
mkdir broken
echo 'not a library' > broken/libcairo.so.2
awk 'BEGIN { srand(5); for (i = 0; i < 200; i++) { y = i % 2; print (y ? 1 : -1), "1:" rand() + 0.7 * y } }' > d.svm
LD_LIBRARY_PATH=$PWD/broken${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
neyman --help > out
neyman train -q d.svm -o m > out
code=0
neyman evaluate m d.svm --plot x.svg > out 2> err || code=$?
[ $code = 2 ]
grep -q 'a chart cannot be drawn: libcairo was not found: install cairo' err
[ ! -s out ]
[ ! -e x.svg ]
