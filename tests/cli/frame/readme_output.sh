#!/bin/sh
# The commands of the README that are shown with their output ("$ neyman ...") give this output, up to "...".
set -eu
ln -s "$DATA" data
awk '/^    \$ neyman / { n++; file = n ".sh"; sub(/^    \$ /, ""); print > file; file = n ".expected"; next }
     /^    \.\.\.$/ { file = "" }
     !/^    / { file = "" }
     file { sub(/^    /, ""); print > file }' "$NEY_SOURCE/README.md"
test -s 1.sh
for command in *.sh; do
    expected=${command%.sh}.expected
    sh -eu "$command" > out 2> err
    head -n "$(wc -l < "$expected")" out | cmp - "$expected"
done
