#!/bin/sh
# The experiments of the papers on a small made set: statistics, a page with its pictures, a second run from the store.
set -eu
python=/usr/bin/python3
"$python" -c 'import numpy, scipy, matplotlib, sklearn' 2> /dev/null || exit 77
papers=$NEY_SOURCE/bench/papers
"$python" -B "$NEY_SOURCE/tests/cli/papers/check_lab.py" "$papers" 2> messages

mkdir data
"$python" - << 'END'
import gzip, random
r = random.Random(1)
for name in ("pima", "spambase"):
    with gzip.open(f"data/{name}.train.svm.gz", "wt") as out:
        for i in range(120):
            y = 1 if i % 3 else -1
            out.write(f"{y:+d} 1:{r.gauss(y, 1):.4f} 2:{r.gauss(0, 1):.4f}\n")
END
NEYMAN=$(command -v neyman) NEY_SHARED=$PWD/data NEY_PAPERS_DIR=$PWD/store
export NEYMAN NEY_SHARED NEY_PAPERS_DIR
run() {
    "$python" -B "$papers/papers.py" roc --quick --jobs 1 "$@" 2> messages
    # the last column of the list has processor seconds
    sed 's/| [0-9]* |$/| s |/' store/quick/roc.md
}
run > first
grep -q '^## Table 1: one asymmetry against all asymmetries$' store/quick/roc.md
grep -q 'Propositions against Monte Carlo.*reproduced' store/quick/roc.md
test "$(grep -c '^\*\*Verdict: ' store/quick/roc.md)" -ge 10
for picture in $(sed -n 's/^!\[.*\](\(.*\))$/\1/p' store/quick/roc.md); do
    grep -q '</svg>' "store/quick/$picture"
done

# what is stored is not computed again; what is missing is
test "${NEY_TEST_SHARE:-1}" -eq 1 || exit 0 # nothing of the program is new in it
rm store/quick/roc/figure5-2.json
touch -d '2020-01-01' store/quick/roc/*.json
run > second
cmp first second
test "$(find store/quick/roc -name '*.json' -newermt '2021-01-01' | wc -l)" -eq 1
run --render > third
cmp first third
