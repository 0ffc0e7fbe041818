#!/bin/sh
# Columns without scaling at 1e6, 1e10 and an offset: the path is exact. Where
# precision is not sufficient, path and pick end with exit code 5 and the residual.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(3); print "label,a,b,c"; for (i = 1; i <= 90; i++) { y = i % 3 ? -1 : 1
    u = rand() + y / 4; v = rand() + y / 4; w = int(3 * rand())
    printf "%d,%.7g,%.7g,%.7g\n", y, u, v, w } }' > plain.csv
for by in "1 1e6 0" "1e6 1e6 0" "1 1e10 0" "1 1 1e6" "1e-8 1e8 0"; do
    set -- $by
    awk -F, -v OFS=, -v a="$1" -v b="$2" -v c="$3" \
        'NR > 1 { $2 = sprintf("%.9g", a * $2); $3 = sprintf("%.9g", b * $3); $4 += c } 1' plain.csv > large.csv
    neyman path -q --json large.csv --label label --scale none --to 10 10 -o large.path > large.json
    neyman pick -q --json large.path --at 10 10 -o large.model > pick.json
    neyman train -q --json large.csv --label label --scale none -C 10 -o trained.model > train.json || [ $? = 5 ]
    python3 - <<'PY'
import json
path, pick, train = (json.load(open(f)) for f in ("large.json", "pick.json", "train.json"))
assert path["converged"] is True and "warnings" not in path
assert path["largest_kkt_residual"] <= 1e-6 and pick["kkt_residual"] <= 1e-6 and path["n_breakpoints"] > 10
assert abs(pick["objective"] / path["breakpoints"][-1]["objective"] - 1) < 1e-9
assert train["dual_objective"] * (1 - 1e-9) <= pick["objective"] <= train["objective"] * (1 + 1e-9), (pick, train)
PY
done

code=0
neyman path -q --json plain.csv --label label --kernel rbf --gamma 0.01 --to 1e15 1e15 -o far.path > far.json || code=$?
[ $code = 5 ]
code=0
neyman pick -q --json far.path --at 1e15 1e15 -o far.model > pick.json || code=$?
[ $code = 5 ]
python3 - <<'PY'
import json
far, pick = json.load(open("far.json")), json.load(open("pick.json"))
assert far["converged"] is False and far["largest_kkt_residual"] > 1e-6
assert f'{far["largest_kkt_residual"]:.3g}' in far["warnings"][0]
assert pick["kkt_residual"] > 1e-6 and pick["converged"] in (0, False) and "not solved exactly" in pick["warnings"][0]
PY
