#!/bin/sh
# Limiting cases: each gives a model that meets the bound on the training rows, for every
# rate, balance of the classes, overlap and kernel.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(3); for (i = 0; i < 200; i++) { y = i % 2 ? 1 : -1
             print y, "1:" rand() + 2 * (y > 0), "2:" rand() } }' > separable.svm
awk 'BEGIN { srand(4); for (i = 0; i < 200; i++) print (i % 2 ? 1 : -1), "1:" rand(), "2:" rand() }' > noise.svm
awk 'BEGIN { srand(5); for (i = 0; i < 500; i++) { y = i < 10 ? 1 : -1
             print y, "1:" rand() + 0.5 * (y > 0), "2:" rand() } }' > few_positives.svm
awk 'BEGIN { srand(6); for (i = 0; i < 500; i++) { y = i < 490 ? 1 : -1
             print y, "1:" rand() + 0.5 * (y > 0), "2:" rand() } }' > few_negatives.svm
printf '1 1:1\n-1 1:-1\n' > two.svm
printf '1 1:1\n1 1:2\n1 1:0.5\n-1 1:1\n' > one_negative.svm
printf '1 1:1\n-1 1:2\n-1 1:0.5\n-1 1:0\n' > one_positive.svm
printf '1 1:1\n-1 1:1\n1 1:1\n-1 1:1\n' > all_alike.svm
for data in separable noise few_positives few_negatives two one_negative one_positive all_alike; do
    for kernel in linear rbf; do
        for rate in 0 0.0001 0.1 1; do
            for bound in fpr fnr; do
                run=$data.$kernel.$bound.$rate
                neyman train -q --json --threads 1 --kernel $kernel --max-$bound $rate --confidence none $data.svm -o m > "$run.train"
                neyman evaluate -q --json --threads 1 m $data.svm > "$run.eval"
            done
        done
    done
done
python3 - <<'PY'
import glob, json
names = [f[:-6] for f in glob.glob("*.train")]
assert len(names) == 128
for name in names:
    data, kernel, bound, rate = name.split(".", 3)
    o, e, rate = json.load(open(name + ".train")), json.load(open(name + ".eval")), float(rate)
    n = e["tn"] + e["fp"] if bound == "fpr" else e["tp"] + e["fn"]
    wrong = e["fp"] if bound == "fpr" else e["fn"]
    assert wrong / n <= rate and o[bound] == e[bound] == wrong / n, (name, wrong, n)
    assert o["goal"] == "np" and o["method"] == "annealed" and o["converged"] is True, (name, o)
    assert o["max_" + bound] == rate and o["certified"] is False and o["gap"] >= 0, name
    assert o["constraint"] in (("slack",) if rate == 1 else ("active", "discontinuous")), (name, o["constraint"])
    assert (o["lambda"] == 0) == (rate == 1), name
    ramp, row = o["ramp_" + bound], 1 / n
    assert ramp <= (rate if rate >= row else 0.5 * row) + 1e-9, (name, ramp)
    if rate < 1 and data in ("separable", "two"):  # nothing need be given away
        assert (e["fn"] if bound == "fpr" else e["fp"]) == 0, (name, e)
PY
