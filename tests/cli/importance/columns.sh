#!/bin/sh
# info --importance: columns of words are permuted as a whole, a column that the model does not use
# changes nothing, the rates of the rows as they are are those of evaluate, weights are per standard
# deviation, and report --importance lists the same losses.
set -eu
awk 'BEGIN { srand(7); print "class,a,town,noise,constant"
    for (i = 0; i < 600; i++) { y = i % 3 == 0; a = rand() * 4 + 1.2 * y; t = rand() < (y ? 0.7 : 0.3) ? "x" : "y"
        print (y ? "p" : "n") "," a "," t "," rand() ",5" } }' > d.csv
neyman train -q --max-fpr 0.2 --confidence none --label class d.csv -o m > out
neyman info m --importance d.csv --json > i.json
neyman evaluate m d.csv --json > e.json
neyman info m --importance d.csv > text
grep -q "With the cells of column 'town' permuted" text
neyman train -q --max-fpr 0.2 --confidence none --kernel rbf --label class d.csv -o k > out
neyman info k --importance d.csv --json > k.json
neyman report -q k d.csv --importance -o r.html > out
neyman info d.csv --importance d.csv 2> err && exit 1
grep -q 'applies to models' err
neyman info m --importance missing.csv 2> err && exit 1
test $? -ne 0
command -v python3 > found || exit 77
python3 - << 'EOF'
import json, re
i, e, k = (json.load(open(f)) for f in ("i.json", "e.json", "k.json"))
imp = i["importance"]
assert imp["rows"] == 600 and imp["permutations"] == 5
for key in ("fpr", "fnr", "auc"):
    assert abs(imp[key] - e[key]) < 1e-12, key
columns = {c["name"]: c for c in imp["columns"]}
assert list(columns)[:2] == ["town", "a"] and len(columns) == 4, list(columns)
assert columns["a"]["auc_loss"] > 0.05 and columns["a"]["fnr_increase"] + columns["a"]["fpr_increase"] > 0.1
assert columns["town"]["auc_loss"] > 0.02
assert abs(columns["noise"]["auc_loss"]) < 0.02
for name, value in columns["constant"].items():
    assert name == "name" or value == 0, (name, value)
assert "weight_per_deviation" not in columns["a"]  # a column of words has several weights
assert i["warnings"]
page = open("r.html").read()
data = json.loads(re.search('id="neyman-data">(.*?)</script>', page, re.S).group(1))
shown = {f["name"]: f["importance"] for f in data["features"]["list"]}
for c in k["importance"]["columns"]:
    if c["name"] in shown:
        assert c["auc_loss"] == shown[c["name"]], c
assert "a" in shown
EOF
