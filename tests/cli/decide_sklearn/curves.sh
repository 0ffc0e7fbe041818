#!/bin/sh
# Curves and areas against scikit-learn's roc_curve, precision_recall_curve, det_curve and
# roc_auc_score, by whichever python has it.
set -eu
for python in python3 /usr/bin/python3; do
    code=0
    "$python" "$NEY_SOURCE/tests/support/sklearn_scores.py" || code=$?
    if [ "$code" -ne 77 ] && [ "$code" -ne 127 ]; then
        exit "$code"
    fi
done
echo "no python3 with scikit-learn" >&2
exit 77
