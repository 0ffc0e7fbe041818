#!/bin/sh
# What 'report' writes into its page: valid JSON that cannot end its script, the figures of
# 'evaluate', hashes that sha256sum agrees with, and the rows of the data.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import base64, hashlib, json, random, re, struct, subprocess

def run(*args, code=0):
    r = subprocess.run(["neyman", *args], capture_output=True, text=True)
    assert r.returncode == code, (args, r.returncode, r.stderr)
    return r

def page(file):
    text = open(file, encoding="utf-8").read()
    assert text.count("</script>") == 4 and text.count("<script") == 4, file
    data = re.search(r'<script type="application/json" id="neyman-data">(.*?)</script>', text, re.S).group(1)
    assert not re.search("[<>&]", data)
    scores = re.search(r'<script type="text/plain" id="neyman-scores">(.*?)</script>', text, re.S).group(1)
    return json.loads(data), base64.b64decode(scores)

random.seed(5)
names = ["</script><script>alert(1)</script>", "it's \"a & b\" <!-- \U0001F600"]
rows = [(i % 3 == 0, random.gauss(1.5 * (i % 3 == 0), 1)) for i in range(900)]
with open("d.csv", "w") as f:
    f.write("x,who,pat,y\n")
    for i, (y, x) in enumerate(rows):
        f.write(f'{x},<b>r{i}</b>,{i // 4},"{names[y].replace(chr(34), chr(34) * 2)}"\n')
train = ["train", "-q", "--max-fpr", "0.2", "--method", "convex", "--label", "y", "--positive", names[1], "--ignore", "pat", "--id", "who"]
head = open("d.csv").read().splitlines()
open("a.csv", "w").write("\n".join(head[:451]) + "\n")
open("b.csv", "w").write("\n".join(head[:1] + head[451:]) + "\n")
run(*train, "a.csv", "-o", "m")
out = json.loads(run("report", "m", "b.csv", "--id", "who", "-o", "r.html", "--json").stdout)
data, packed = page("r.html")
want = json.loads(run("evaluate", "m", "b.csv", "--json").stdout)
info = json.loads(run("info", "m", "--json").stdout)

assert out["bytes"] == len(open("r.html", "rb").read()) and out["n"] == want["n"]
assert data["rows"]["positive"] == names[1] and data["rows"]["negative"] == names[0]
assert data["threshold"]["high"] == want["threshold"] and data["threshold"]["origin"] == "model"
claim, = data["claims"]
assert (claim["rate"], claim["max_rate"], claim["confidence"]) == ("fpr", 0.2, 0.95)
assert claim["calibration_rows"] == info["certificate"]["fpr_n"]
assert data["guarantee"].startswith("At most 20 % of negatives") and str(int(info["certificate"]["fpr_n"])) in data["guarantee"]
low, high = want["fpr_interval"]
assert out["verdict"] == ("confirmed" if high <= 0.2 else "refuted" if low > 0.2 else "open")

# Hashes of files and certificates.
facts = {p["name"]: p["value"] for p in data["provenance"]}
for name, file in (("Data", "b.csv"), ("Model", "m")):
    assert facts[name] == file and facts[f"{name}, SHA-256"] == hashlib.sha256(open(file, "rb").read()).hexdigest()
assert facts["Hash of the scores that certify the FPR"] == info["certificate"]["fpr_hash"]
assert "--id who" in facts["Options"]

# Rows: the nearest by distance, the largest errors, with ids.
scores = [float(l.split("\t")[1]) for l in run("predict", "m", "b.csv", "--scores").stdout.splitlines()[1:]]
t = want["threshold"]
order = sorted(range(len(scores)), key=lambda i: (abs(scores[i] - t), i))
assert [r["row"] for r in data["near"]] == [i + 1 for i in order[:20]]
wrong = [i for i in range(len(scores)) if (scores[i] >= t) != rows[450 + i][0]]
wrong.sort(key=lambda i: (-abs(scores[i] - t), i))
assert [r["row"] for r in data["worst"]] == [i + 1 for i in wrong[:20]]
for r in data["near"] + data["worst"]:
    i = r["row"] - 1
    assert r["id"] == f"<b>r{450 + i}</b>" and r["score"] == scores[i]
    assert r["label"] == names[rows[450 + i][0]] and r["decision"] == names[scores[i] >= t]

# The packed curve: as many points as distinct scores, and the sums of the classes.
magic, n, n_pos, n_neg, distinct, gap = struct.unpack("<4sIdddd", packed[:40])
assert (magic, n, n_pos, n_neg, distinct, gap) == (b"NSC1", len(set(scores)), want["n_pos"], want["n_neg"], len(set(scores)), 0)

# Without rows; groups; scores with a bound; two thresholds.
run("report", "m", "b.csv", "--no-rows", "-o", "r.html", "-q")
data, _ = page("r.html")
assert "near" not in data and "worst" not in data and "<b>r" not in open("r.html").read()
run("report", "m", "b.csv", "--group", "pat", "-o", "r.html", "-q")
data, _ = page("r.html")
grouped = json.loads(run("evaluate", "m", "b.csv", "--group", "pat", "--json").stdout)
assert data["rows"]["unit"] == "group" and data["rows"]["n_groups"] == grouped["n_groups"]
for rate in ("fpr", "fnr", "tpr"):
    assert data["group_rates"][rate]["value"] == grouped[rate]
    assert [data["group_rates"][rate][k] for k in ("low", "high")] == grouped[f"{rate}_interval"]
verdict = json.loads(run("report", "m", "b.csv", "--group", "pat", "-o", "r.html", "--json").stdout)["verdict"]
assert verdict is None and "fpr_verdict" not in grouped  # the bound is about rows, the rates are means over groups
run("predict", "-q", "m", "b.csv", "--scores", "-o", "s.tsv")
# The worst of two bounds.
for bounds, worst in ((("1e-9", "0.999"), "refuted"), (("0.999", "0.999"), "confirmed"), ((str(want["fpr"]), "0.999"), "open")):
    told = run("report", "m", "b.csv", "--max-fpr", bounds[0], "--max-fnr", bounds[1], "-o", "r.html", "--json").stdout
    assert json.loads(told)["verdict"] == worst, (bounds, told)
run("report", "--from-scores", "s.tsv", "--positive", names[1], "--thresholds", "-1,2", "--max-fnr", "0.5", "-o", "r.html", "-q")
data, _ = page("r.html")
assert data["threshold"] == {"low": -1, "high": 2, "center": 0, "origin": "option"} and data["claims"][0]["confidence"] is None
run("report", "m", "a.csv", "-o", "r.html", "-q")
data, _ = page("r.html")
assert data["rows"]["rates_on"] == "those that the model was trained on"
both = json.loads(run("report", "m", "a.csv", "-o", "r.html", "--json").stdout)
assert both["verdict"] is None

# Refused.
open("one.tsv", "w").write("label\tscore\n1\t2\n1\t3\n")
assert "both classes" in run("report", "--from-scores", "one.tsv", "-o", "x.html", code=3).stderr
assert "exclude each other" in run("report", "m", "b.csv", "--threshold", "1", "--thresholds", "1,2", "-o", "x.html", code=2).stderr
assert "LOW at most HIGH" in run("report", "m", "b.csv", "--thresholds", "3,2", "-o", "x.html", code=2).stderr
assert "no file to read" in run("report", "--empty", "m", "b.csv", "-o", "x.html", code=2).stderr
assert "needs MODEL DATA" in run("report", "-o", "x.html", code=2).stderr
assert "--output" in run("report", "m", "b.csv", code=2).stderr
run("report", "m", "b.csv", "-o", "b.csv", code=2)

# On standard output the page alone.
assert run("report", "--empty", "-o", "-").stdout.startswith("<!doctype html>")
PY
python3 check.py
