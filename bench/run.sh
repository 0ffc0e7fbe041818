#!/bin/sh
# Run the benchmarks, or those named: bench/run.sh [read ...]. Peers that are not installed are left out.
set -eu
cd "$(dirname "$0")"
python=python3
for candidate in /usr/bin/python3 python3; do # scikit-learn may live in the system's Python only
    if "$candidate" -c 'import sklearn' 2> /dev/null; then
        python=$candidate
        break
    fi
done
[ $# -gt 0 ] || set -- read decide svm np online
for name in "$@"; do
    "$python" "$name.py"
done
