#!/bin/sh
# predict answers rows as they come: a line is written before the next row is sent, for every family
# and format. The bytes do not depend on how the rows come, and an error leaves the lines before it.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import gzip, json, random, subprocess

random.seed(5)
rows = [(i % 2, [round(random.gauss(i % 2, 1), 3) for _ in range(3)]) for i in range(150)]
svm = [f"{1 if y else -1} " + " ".join(f"{k + 1}:{v}" for k, v in enumerate(x)) for y, x in rows]
csv = ["a,b,c,id,label"] + [f"{x[0]},{x[1]},{x[2]},r{i},{'yes' if y else 'no'}" for i, (y, x) in enumerate(rows)]
pin = ["SpecId\tLabel\tScanNr\tf1\tf2\tf3\tPeptide\tProteins"] + \
      [f"s{i}\t{1 if y else -1}\t{i}\t{x[0]}\t{x[1]}\t{x[2]}\tP{i}\tQ" for i, (y, x) in enumerate(rows)]
for name, lines in (("d.svm", svm), ("d.csv", csv), ("d.pin", pin)):
    open(name, "w").write("\n".join(lines) + "\n")
    gzip.open(name + ".gz", "wt").write("\n".join(lines) + "\n")

def neyman(*words, **more):
    return subprocess.run(("neyman",) + words, capture_output=True, text=True, **more)

def must(*words, **more):
    r = neyman(*words, **more)
    assert r.returncode == 0, (words, r.stderr)
    return r.stdout

models = {"linear": ["d.svm"], "rbf": ["--kernel", "rbf", "d.svm"], "reject": ["--reject-cost", "0.3", "d.svm"],
          "network": ["--network", "3", "--max-fpr", "0.3", "--confidence", "none", "--epochs", "2", "d.svm"],
          "features": ["--features", "8", "--max-fpr", "0.3", "--confidence", "none", "--epochs", "2", "d.svm"],
          "table": ["d.csv", "--id", "id"], "folds": ["--max-fdr", "0.3", "d.pin"], "conformal": ["--conformal", "d.svm"]}

def converse(words, lines, header):
    """Send a line, wait for its answer, send the next."""
    p = subprocess.Popen(["neyman", "predict"] + words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    answers = []
    for k, line in enumerate(lines):
        p.stdin.write(line + "\n")
        p.stdin.flush()
        if k >= header:
            for _ in range(2 if "--scores" in words and k == header else 1):
                answers.append(p.stdout.readline())
    p.stdin.close()
    assert p.stdout.read() == "" and p.wait() == 0
    return "".join(answers)

for name, words in models.items():
    must("train", "-q", "-o", name, *words)
    data = next(w for w in words if w.startswith("d."))
    lines = {"d.svm": svm, "d.csv": csv, "d.pin": pin}[data]
    header = data != "d.svm"
    for more in [[], ["--scores"]]:
        expected = must("predict", "-q", name, data, *more)
        assert expected.count("\n") == len(rows) + (more != [])
        for buffered in [[], ["--line-buffered"]]:
            assert converse(["-q", name, "-"] + more + buffered, lines, header) == expected, (name, more)
            assert must("predict", "-q", name, data + ".gz", *more, *buffered) == expected
            packed = subprocess.run(["neyman", "predict", "-q", name, "-"] + more + buffered,
                                    input=open(data + ".gz", "rb").read(), capture_output=True)
            assert packed.stdout.decode() == expected
        must("predict", "-q", name, data, "-o", "out", *more)
        assert open("out").read() == expected
        whole = json.loads(must("predict", "-q", name, data, "--json", *more))
        column = lambda k: [l.split("\t")[k] for l in expected.splitlines()[more != []:]]
        assert whole["predicted"] == column(0)
        assert not more or whole["score"] == [float(v) for v in column(1)]
p = must("predict", "-q", "conformal", "d.svm", "--conformal")
assert p == must("predict", "-q", "conformal", "d.svm", "--conformal", "--line-buffered")
assert p.splitlines()[0] == "predicted\tscore\tlabel\tp_pos\tp_neg\tset"

# A cache, and rows that a model does not label.
must("convert", "-q", "d.svm", "d.ney")
assert must("predict", "-q", "linear", "d.ney", "--scores") == must("predict", "-q", "linear", "d.svm", "--scores")
open("mixed.svm", "w").write("-1 1:1\n5 1:1\n6 1:1\n7 1:1\n1 1:1\n")
r = neyman("predict", "linear", "mixed.svm", "--scores")
assert [l.split("\t")[2] for l in r.stdout.splitlines()] == ["label", "-1", "", "", "", "1"]
assert "mixed.svm:2: found label '5'" in r.stderr and "column label is empty" in r.stderr

# An error: what was answered stays, a file does not appear.
open("slip.svm", "w").write("\n".join(svm[:5] + ["1 1:x"]) + "\n")
r = neyman("predict", "linear", "slip.svm")
assert r.returncode == 3 and r.stdout == "" and "slip.svm:6:" in r.stderr
r = neyman("predict", "linear", "slip.svm", "--line-buffered")
assert r.returncode == 3 and r.stdout == must("predict", "-q", "linear", "-", input="\n".join(svm[:5]))
r = neyman("predict", "linear", "slip.svm", "-o", "none")
assert r.returncode == 3 and neyman("info", "none").returncode == 1
r = neyman("predict", "linear", "-", input="1 1:1\n1 1:\x001\n")
assert r.returncode == 3 and "NUL" in r.stderr, r.stderr

# evaluate reads batch by batch too: the same figures from a pipe.
for name, data in (("linear", "d.svm"), ("table", "d.csv"), ("folds", "d.pin")):
    a, b = (json.loads(must("evaluate", name, path, "--json", input=text))
            for path, text in ((data, ""), ("-", open(data).read())))
    assert {**a, "seconds": 0, "next": 0} == {**b, "seconds": 0, "next": 0}, (a, b)
r = neyman("evaluate", "linear", "mixed.svm")
assert r.returncode == 3 and "mixed.svm:2:" in r.stderr
PY
python3 check.py
