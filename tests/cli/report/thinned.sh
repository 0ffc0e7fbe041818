#!/bin/sh
# More than 10^6 distinct scores: at most 10^6 thresholds are kept, and no rate is farther than 2e-6
# from that of the kept threshold above it. Separated classes are the hardest: no step serves both.
set -eu
awk 'BEGIN { for (i = 0; i < 1100003; i++) print (i < 299999 ? 1 : 0) "\t" 2000000 - i }' > scores.tsv
neyman report -q --json --from-scores scores.tsv --threshold 1650000.5 -o page.html > out.json
command -v python3 > /dev/null || exit 77
python3 - << 'EOF'
import base64, json, re, struct
out = json.load(open("out.json"))
assert out["n"] == 1100003
assert 0 < out["threshold_gap"] <= 2e-6, out
# One count per cell of 299,999 positives; two of 800,004 negatives, and the last point.
assert abs(out["thresholds"] - (299999 + 400002)) <= 3, out
packed = base64.b64decode(re.search('id="neyman-scores">([^<]*)<', open("page.html").read()).group(1))
kept, n_pos, n_neg, distinct, gap = struct.unpack("<Idddd", packed[4:40])
assert (kept, distinct, gap) == (out["thresholds"], 1100003, out["threshold_gap"])
EOF
