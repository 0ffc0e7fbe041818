#!/bin/sh
# The experiments of a paper where no data set can be had: what is missing is named, and the page has the experiments that need none.
set -eu
python=/usr/bin/python3
"$python" -c 'import numpy, scipy, matplotlib, sklearn' 2> /dev/null || exit 77
test "${NEY_TEST_SHARE:-1}" -eq 1 || exit 0 # nothing of the program is new in it
mkdir empty
NEYMAN=$(command -v neyman) NEY_SHARED=$PWD/empty NEY_PAPERS_DIR=$PWD/store \
    "$python" -B "$NEY_SOURCE/bench/papers/papers.py" rej --quick --jobs 1 2> messages > out
grep -q 'no data of pima, spambase, .* are left out' messages
grep '^## Figure' store/quick/rej.md > figures
printf '## Figure %s\n' '1: expected losses' '2: double hinge' '3: double hinge, other thresholds' '6: reject rate, synthetic data' \
    '8: error against reject rate' > expected
cmp figures expected
