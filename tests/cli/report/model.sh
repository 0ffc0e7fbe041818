#!/bin/sh
# The model in a report: weights per standard deviation, permutation importance that finds the
# feature that matters, q-values of a model that bounds the FDR.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import json, math, random, re, subprocess

def run(*args, code=0):
    r = subprocess.run(["neyman", *args], capture_output=True, text=True)
    assert r.returncode == code, (args, r.returncode, r.stderr)
    return r.stdout

def page(*args):
    run("report", *args, "-o", "r.html", "-q")
    text = open("r.html", encoding="utf-8").read()
    return json.loads(re.search(r'id="neyman-data">(.*?)</script>', text, re.S).group(1))

random.seed(9)
def table(name, n):
    rows = [(i % 2, [random.gauss(2 * (i % 2), 1), 100 * random.gauss(0.5 * (i % 2), 1), random.gauss(0, 1)]) for i in range(n)]
    with open(name, "w") as f:
        f.write("strong,weak,none,y\n")
        f.writelines(",".join(map(str, x)) + f",{y}\n" for y, x in rows)
    return rows
table("a.csv", 400)
rows = table("b.csv", 300)

# Scaled by the standard deviation: the weights of the model. Not scaled: times that of these rows.
run("train", "-q", "--label", "y", "a.csv", "-o", "m")
weights = {w["name"]: w["weight"] for w in json.loads(run("info", "m", "--columns", "--json"))["weights"]}
got = page("m", "b.csv")
assert got["features"]["kind"] == "weight"
assert {f["name"]: f["weight"] for f in got["features"]["list"]} == weights
sizes = [abs(f["weight"]) for f in got["features"]["list"]]
assert sizes == sorted(sizes, reverse=True) and got["features"]["list"][0]["name"] == "strong"
assert got["model"]["family"] == "linear" and got["model"]["summary"]["goal"] == "cost"
run("train", "-q", "--label", "y", "--scale", "none", "--C", "0.01", "a.csv", "-o", "m")
weights = {w["name"]: w["weight"] for w in json.loads(run("info", "m", "--columns", "--json"))["weights"]}
for f in page("m", "b.csv")["features"]["list"]:
    x = [r[1][["strong", "weak", "none"].index(f["name"])] for r in rows]
    mean = sum(x) / len(x)
    deviations = [math.sqrt(sum((v - mean) ** 2 for v in x) / (len(x) - d)) for d in (0, 1)]
    want = [weights[f["name"]] * d for d in deviations]
    assert min(abs(f["weight"] - w) for w in want) <= 1e-4 * abs(want[0]), (f, want)

# Permutations, of a kernel model too; the same numbers each time.
run("train", "-q", "--label", "y", "--kernel", "rbf", "a.csv", "-o", "k")
assert "features" not in page("k", "b.csv")
first = page("k", "b.csv", "--importance")["features"]
assert first["kind"] == "permutation" and first == page("k", "b.csv", "--importance")["features"]
strong, weak = [next(f for f in first["list"] if f["name"] == n) for n in ("strong", "weak")]
assert first["list"][0] == strong and strong["importance"] > 0.15 and weak["importance"] < strong["importance"] / 2
assert 0 < strong["deviation"] < 0.1
auc = json.loads(run("evaluate", "k", "b.csv", "--json"))["auc"]
assert strong["importance"] <= auc - 0.4

# Sparse rows are permuted as dense ones are.
run("convert", "-q", "a.csv", "a.svm", "--label", "y")
run("convert", "-q", "b.csv", "b.svm", "--label", "y")
run("train", "-q", "--kernel", "rbf", "--scale", "standard", "a.svm", "-o", "s")
sparse = page("s", "b.svm", "--importance")["features"]
assert abs(sparse["list"][0]["importance"] - strong["importance"]) < 1e-6

# q-values: as many targets as 'qvalues' accepts.
with open("d.pin", "w") as f:
    f.write("SpecId\tLabel\tScanNr\tf1\tf2\tPeptide\tProteins\n")
    for i in range(600):
        true = i % 2 == 0 and i % 3 > 0
        f.write(f"p{i}\t{1 if i % 2 == 0 else -1}\t{i // 2}\t{random.gauss(4 * true, 1)}\t{random.gauss(2 * true, 1)}\tPEP{i}\tQ{i}\n")
run("train", "-q", "--max-fdr", "0.05", "d.pin", "-o", "f")
got = page("f", "d.pin")
d = got["discoveries"]
assert d["q"] == sorted(d["q"]) and d["accepted"] == sorted(d["accepted"])
want = json.loads(run("qvalues", "f", "d.pin", "--max-fdr", "0.05", "--json"))
assert max(a for q, a in zip(d["q"], d["accepted"]) if q <= 0.05) == want["accepted"]
assert d["fdr_estimate"] == want["fdr_estimate"] and d["fdr_control"] == want["fdr_control"]
assert got["rows"]["rates_on"] == "training rows, scored out of fold"
assert all(r["id"].startswith("p") for r in got["near"])
PY
python3 check.py
