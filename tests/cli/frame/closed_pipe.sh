#!/bin/sh
# A reader that closes the pipe early is not an error: every command that prints ends without a message,
# with its usual exit code and with its files written.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { for (i = 1; i <= 60000; i++) print (i % 2 ? 1 : -1), "1:" i % 7 - 3 * (i % 2) }' > d.svm
head -n 200 d.svm > few.svm
neyman train few.svm -o m -q > out
{ neyman predict m d.svm --scores 2> err; echo $? > code; } | head -n 1 > first
grep -q '^predicted' first
test ! -s err
test "$(cat code)" -eq 0
cat > check.py <<'PY'
import os, re, subprocess, sys

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

rows = [(1 if i % 3 else -1, i % 7 + 3 * (i % 3 > 0), i % 5) for i in range(300)]
write("d.csv", "a,b,label\n" + "".join(f"{a},{b},{y}\n" for y, a, b in rows))
write("s.tsv", "label\tscore\n" + "".join(f"{y}\t{a + b / 10}\n" for y, a, b in rows))
write("mix.json", '{"p_pos": 0.5, "positive": [{"weight": 1, "mean": [1], "cov": [[1]]}],'
                  ' "negative": [{"weight": 1, "mean": [0], "cov": [[1]]}]}')
subprocess.run("neyman train -q few.svm -o b --max-fpr 0.5 --method online --epochs 2 && neyman roc -q few.svm "
               "--save-path p", shell=True, check=True, stdout=subprocess.DEVNULL)
COMMANDS = """
--help
--version
help
help train
help --man
help --completion bash
help --commands
plan --max-fpr 0.05
train few.svm -o x.m
train few.svm -o -
train few.svm -o - --kernel rbf --max-iter 1
tune few.svm -o x.m --fresh --grid C=1,2
update b few.svm -o x.m
update b few.svm -o - --confidence none
compare few.svm --grid C=1
cv few.svm --folds 2
predict m d.svm
predict m d.svm --scores
predict m d.svm -o x.tsv
evaluate m d.svm
evaluate m d.svm --curve roc
evaluate --from-scores s.tsv
report --from-scores s.tsv -o x.html
report m d.svm -o -
card m d.svm
evaluate --from-scores none.tsv
qvalues --from-scores s.tsv
qvalues --from-scores s.tsv --all --with-decoys
certify s.tsv --max-fpr 0.1
certify s.tsv --max-fpr 0.0001
monitor b --max-fpr 0.1
path few.svm --to 1 1
roc few.svm
pick p --cost-fn 1 --cost-fp 2 -o x.m
pick p --cost-fn 1 --cost-fp 2 -o -
asymmetry mix.json
info d.svm
info m
info d.csv --columns
info p
convert d.svm - --to csv
convert d.csv x.svm
export m --format c
export m --format json
nothing
""".strip().splitlines()

def run(words, closed):
    if closed:
        r, out = os.pipe()
        os.close(r)
    else:
        out = os.open(os.devnull, os.O_WRONLY)
    stdin = open("s.tsv") if words[0] == "monitor" else subprocess.DEVNULL
    p = subprocess.run(["neyman", *words], stdout=out, stderr=subprocess.PIPE, stdin=stdin)
    os.close(out)
    return p.returncode, re.sub(rb"[0-9.e-]+ s\b", b"", p.stderr)

r, out = os.pipe()  # messages go to a closed pipe as well: the model is written
os.close(r)
subprocess.run(["neyman", "train", "few.svm", "-o", "m2"], stdout=out, stderr=out, check=True)
os.close(out)
assert open("m").read() == open("m2").read()
seen = {line.split()[0] for line in COMMANDS}
names = subprocess.run(["neyman", "help", "--commands"], capture_output=True, text=True, check=True).stdout.split()
missing = [n for n in names if n not in seen]
assert not missing, missing
for line in COMMANDS:
    unfinished = "--max-iter" in line
    for extra in ([], ["--json"]):
        words = line.split() + extra
        if extra and "-" in words:
            continue
        quiet, broken = run(words, False), run(words, True)
        assert quiet == broken, (words, quiet, broken)
        assert broken[0] != 1 or "none.tsv" in line, (words, broken)
        assert (broken[0] == 5) == unfinished, (words, broken)
PY
python3 check.py
