#!/bin/sh
# --method ramp: the ramp loss at given costs. The objective is recomputed from the model, gross label errors do not turn the
# boundary, costs act, and bounded rates are refused.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py << 'END'
import json, random, subprocess

r = random.Random(5)
rows = [(y, r.gauss(1.2 * y, 1), r.gauss(0, 1)) for y in (1, -1) for _ in range(60)]
rows += [(-1, r.gauss(5, 0.3), r.gauss(0, 1)) for _ in range(20)]  # far on the wrong side
with open("d.svm", "w") as out:
    for y, a, b in rows:
        out.write(f"{y} 1:{a:.4f} 2:{b:.4f}\n")


def neyman(*words, code=0):
    done = subprocess.run(["neyman", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout


def fit(*options):
    """Reported figures, 1/2 |w|^2, and (label, score) of the rows."""
    info = json.loads(neyman("train", "-q", "--json", "d.svm", "-o", "m", "--tol", "1e-6", *options))
    neyman("export", "-q", "m", "--format", "json", "-o", "m.json")
    w = json.load(open("m.json")).get("weights")
    score = [line.split("\t") for line in neyman("predict", "-q", "--scores", "m", "d.svm").splitlines()]
    at = score[0].index("score")
    return info, sum(v * v for v in w) / 2 if w else None, [(y, float(c[at])) for (y, _, _), c in zip(rows, score[1:])]


def objective(half, scores, C, cost_fn=1, cost_fp=1, eta=1):
    return half + C * sum((cost_fn if y > 0 else cost_fp) * min(1, max(0, (eta - y * f) / (2 * eta))) for y, f in scores)


def errors(scores):
    return sum((f >= 0) != (y > 0) for y, f in scores)


ramp, half, scores = fit("--method", "ramp", "-C", 2)
hinge, half_hinge, hinge_scores = fit("-C", 2)
assert ramp["converged"] and ramp["method"] == "ramp" and ramp["goal"] == "cost", ramp
assert abs(ramp["objective"] - objective(half, scores, 2)) < 1e-4 * ramp["objective"], ramp["objective"]
assert objective(half, scores, 2) < objective(half_hinge, hinge_scores, 2)
assert errors(scores) + 3 <= errors(hinge_scores), (errors(scores), errors(hinge_scores))

# the costs of both classes, and eta
info, half, scores = fit("--method", "ramp", "-C", 0.5, "--cost-fn", 3, "--cost-fp", 7, "--eta", 0.4)
assert abs(info["objective"] - objective(half, scores, 0.5, 3, 7, 0.4)) < 1e-4 * info["objective"], info["objective"]
few = {key: fit("--method", "ramp", "--cost-fn", fn, "--cost-fp", fp)[0] for key, fn, fp in (("fn", 20, 1), ("fp", 1, 20))}
assert few["fn"]["fnr"] < few["fp"]["fnr"] and few["fn"]["fpr"] > few["fp"]["fpr"], few

# a kernel; C scales with the costs; a limit of steps
a, b = (fit("--method", "ramp", "--kernel", "rbf", *o)[0] for o in (("-C", 4), ("-C", 2, "--cost-fn", 2, "--cost-fp", 2)))
assert abs(a["objective"] - b["objective"]) < 1e-9 * a["objective"] and a["support_vectors"] > 0
neyman("train", "-q", "d.svm", "-o", "m", "--method", "ramp", "--kernel", "rbf", "--max-iter", 1, code=5)
neyman("train", "-q", "d.svm", "-o", "m", "--method", "ramp", "--max-fpr", 0.1, code=2)
neyman("train", "-q", "d.svm", "-o", "m", "--method", "ramp", "--reject-cost", 0.1, code=2)
END
python3 check.py
