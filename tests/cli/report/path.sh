#!/bin/sh
# A path in a report: rates of every choice on the test rows, and commands that take just that
# classifier out of the path.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import json, random, re, shlex, subprocess

def run(*args, code=0):
    r = subprocess.run(["neyman", *args], capture_output=True, text=True)
    assert r.returncode == code, (args, r.returncode, r.stderr)
    return r

random.seed(4)
def rows(name, n):
    with open(name, "w") as f:
        for i in range(n):
            y = i % 3 == 0
            f.write(f"{1 if y else -1} 1:{random.gauss(y, 1)} 2:{random.gauss(-y, 1.5)} 3:{random.gauss(0, 1)}\n")
rows("a.svm", 150)
rows("v.svm", 100)
rows("t.svm", 120)
run("roc", "-q", "a.svm", "--valid", "v.svm", "--kernel", "rbf", "--gamma", "0.3", "--c-max", "10", "--regular", "1", "--save-path", "my path")
run("report", "my path", "--test", "t.svm", "-o", "r.html", "-q")
text = open("r.html", encoding="utf-8").read()
page = json.loads(re.search(r'id="neyman-data">(.*?)</script>', text, re.S).group(1))
path = page["path"]
assert page["source"] == "path" and page["rows"]["n"] == 120 and len(path["choices"]) > 3
assert path["lines"] and all(len(line["from"]) == 2 for line in path["lines"])

taken = 0
for choice in path["choices"]:
    assert 0 <= choice["test_fpr"] <= 1 and 0 <= choice["test_tpr"] <= 1
    if choice["command"] is None:
        continue
    line = shlex.split(choice["command"])
    assert line[:3] == ["neyman", "pick", "my path"], line
    run(*line[1:], "-q")
    got = json.loads(run("evaluate", "picked.model", "t.svm", "--json").stdout)
    assert (got["fpr"], got["tpr"]) == (choice["test_fpr"], choice["test_tpr"]), (choice, got["fpr"], got["tpr"])
    taken += 1
assert taken >= len(path["choices"]) - 2, (taken, len(path["choices"]))

# Points of the line of asymmetries, taken by their costs.
a = path["asymmetry"]
assert len(a["fpr"]) > 3
for i in range(0, len(a["fpr"]), max(1, len(a["fpr"]) // 6)):
    run("pick", "my path", "--at", repr(a["c_plus"][i]), repr(a["c_minus"][i]), "-o", "picked.model", "-q")
    got = json.loads(run("evaluate", "picked.model", "t.svm", "--json").stdout)
    assert (got["fpr"], got["tpr"]) == (a["fpr"][i], a["tpr"][i])

# The page is about the cheapest classifier; with other costs about another.
run("pick", "my path", "--cost-fn", "1", "--cost-fp", "1", "-o", "picked.model", "-q")
got = json.loads(run("evaluate", "picked.model", "t.svm", "--json").stdout)
assert page["threshold"]["high"] == got["threshold"]
run("report", "my path", "--test", "t.svm", "--cost-fn", "20", "-o", "r.html", "-q")
other = json.loads(re.search(r'id="neyman-data">(.*?)</script>', open("r.html").read(), re.S).group(1))
assert other["path"]["chosen"] != path["chosen"] or other["threshold"] != page["threshold"]

# A path without choices; rows that were trained on; refusals.
run("path", "-q", "a.svm", "--to", "2", "2", "-o", "line")
run("report", "line", "--test", "t.svm", "-o", "r.html", "-q")
bare = json.loads(re.search(r'id="neyman-data">(.*?)</script>', open("r.html").read(), re.S).group(1))
assert bare["path"]["choices"] == [] and bare["path"]["chosen"] == [2, 2]
run("report", "my path", "--test", "a.svm", "-o", "r.html", "-q")
seen = json.loads(re.search(r'id="neyman-data">(.*?)</script>', open("r.html").read(), re.S).group(1))
assert seen["rows"]["rates_on"], seen["rows"]
assert "PATH --test" in run("report", "my path", "t.svm", "--test", "t.svm", "-o", "x.html", code=2).stderr
assert run("report", "a.svm", "--test", "t.svm", "-o", "x.html", code=3).stderr
PY
python3 check.py
