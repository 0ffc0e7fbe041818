#!/bin/sh
# An option acts or is refused: every option of every command has a run here that it changes, or is
# named with the reason why it needs none; and the runs in which it would be ignored are refused.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import json, os, random, re, shlex, subprocess, sys

random.seed(3)
part, parts = map(int, os.environ.get("NEY_TEST_PART", "1/1").split("/"))
mine = lambda entries: list(entries)[part - 1::parts]  # of runs that several tests share

def write(name, lines):
    with open(name, "w") as f:
        f.write("\n".join(lines) + "\n")

# ---- data: a table, its rows as svmlight, a PIN file, scores, a mixture
rows = []
for i in range(240):
    y = i % 5 < 2
    rows.append((y, [round(random.gauss(1.2 * y, 1), 4), round(random.gauss(0.6 * y, 1), 4), i // 3 % 40]))
header = "a,b,c,answer,w,id,kind"
table = [header] + [f"{x[0]},{x[1]},{x[2]},{'yes' if y else 'no'},{1 + i % 3},r{i},{i % 4}"
                    for i, (y, x) in enumerate(rows)]
write("d.csv", table)
write("holes.csv", [table[0]] + ["," + line.split(",", 1)[1] if i % 9 == 4 else line for i, line in enumerate(table[1:])])
write("bare.csv", table[1:])
write("plain.csv", ["a,b,c,label"] + [f"{x[0]},{x[1]},{x[2]},{int(y)}" for y, x in rows])
write("d.svm", [f"{1 if y else -1} 1:{x[0]} 2:{x[1]} 3:{x[2]}" for y, x in rows])
for name, side in (("pos.svm", True), ("neg.svm", False)):
    write(name, [f"1 1:{x[0]} 2:{x[1]} 3:{x[2]}" for y, x in rows if y == side])
write("three.csv", ["label,a,b"] + [f"{'cab'[i % 3]},{x[0]},{x[1]}" for i, (y, x) in enumerate(rows)])
write("xx.csv", ["label,a"] + [f"{int(y)},{'xx' if i % 7 == 0 else i % 5}" for i, (y, x) in enumerate(rows)])
write("two.csv", ["label|a;b;c"] + [f"{int(y)}|{x[0]};{x[1]};{x[2]}" for y, x in rows])
write("amb.csv", ["label;a"] + [f"{int(y)};{1 + i % 9},{100 + i % 7}" for i, (y, x) in enumerate(rows)])
write("semi.tsv", [f"{int(y)} {i % 9},{i % 10}" for i, (y, x) in enumerate(rows)])
write("slip.svm", ["1 1:1", "-1 2:1", "1 1:x"])
write("long.svm", ["1 1:1", "-1 2:1"] + ["#" + 1100000 * "x"])
write("long.tsv", [f"{int(y)}\t{x[0]}" for y, x in rows] + ["1\t1" + 1100000 * " "])
write("zero.svm", [f"{1 if y else -1} 0:{x[0]} 1:{x[1]} 2:{x[2]}" for y, x in rows])
write("two.svm", [f"{1 if y else -1} 1:{x[0] + (9 if i % 3 else 0)} 2:{x[1]}" for i, (y, x) in enumerate(rows)])
write("s.tsv", ["label\tscore\tother\tpatient"] + [f"{int(y)}\t{x[0]}\t{1 - int(y)}\t{i // 2}" for i, (y, x) in enumerate(rows)])
write("s3.tsv", ["label\tscore\tpatient"] + [f"{1 if y else -1}\t{x[0]}\t{i % 2}" for i, (y, x) in enumerate(rows)])
write("mon.tsv", ["label\tscore\tother"] + [f"{1 if y else -1}\t{x[0]}\t{1 if i % 4 else -1}" for i, (y, x) in enumerate(rows)])
write("sm.tsv", [f"{1 if y else -1} {i % 9},{i % 10}" for i, (y, x) in enumerate(rows)])
write("lab.tsv", ["label\tscore"] + [f"{'abc'[i % 3]}\t{x[0]}" for i, (y, x) in enumerate(rows)])
write("d.pin", ["SpecId\tLabel\tScanNr\tf1\tf2\tcharge\tPeptide\tProteins"] +
      [f"p{i}\t{1 if y else -1}\t{i // 2}\t{x[0]}\t{x[1]}\t{i % 2}\tPEP{i}\tQ{i}" for i, (y, x) in enumerate(rows)])
peptides = ["".join(random.choice("ACDEFGHIL") for _ in range(6)) for _ in range(60)]
searched = []
for i in range(120):
    for y in (1, -1):
        k = random.randrange(60)
        core, name = (peptides[k], f"P{k // 3}") if y > 0 else (peptides[k][::-1], f"rev_P{k // 3}")
        names = name + ("" if k % 2 else "\t" + name + "b")
        x = [round(random.gauss(1.5 * (y > 0 and i % 2), 1), 4) for _ in range(2)]
        searched.append(f"s{i}\t{y}\t{i}\t{x[0]}\t{x[1]}\tK.{core}K.A\t{names}")
write("l.pin", ["SpecId\tLabel\tScanNr\tf1\tf2\tPeptide\tProteins"] + searched)
gauss = lambda m: [{"weight": 1, "mean": [m, 0], "cov": [[1, 0], [0, 1]]}]
json.dump({"p_pos": 0.4, "positive": gauss(1), "negative": gauss(0)}, open("mix.json", "w"))

def run(line, stdin=None):
    return subprocess.run(["neyman"] + shlex.split(line), capture_output=True, text=True,
                          stdin=open(stdin) if stdin else subprocess.DEVNULL)

def must(line):
    r = run(line)
    assert r.returncode == 0, (line, r.stderr)

must("train -q d.svm -o m")
must("train -q plain.csv -o t")
must("train -q --kernel rbf d.svm -o k")
must("train -q --reject-cost 0.2 d.svm -o r")
must("train -q --conformal d.svm -o q")
must("train -q --calibrate 0.3 d.svm -o pr")
must("train -q d.csv --label answer --id id -o ti")
must("train -q --max-fpr 0.2 --confidence none --method online --epochs 2 d.svm -o o")
must("train -q --max-fpr 0.2 --confidence none --network 2 --epochs 2 d.svm -o n")
must("train -q --max-fdr 0.2 d.pin -o f")
must("train -q --max-fdr 0.2 l.pin -o l")
must("roc -q d.svm --splits 2 --regular 0 --c-max 1 --save-path p")
must("convert -q d.csv d.ney --label answer --id id --group id")
must("predict -q r d.svm --scores -o rs.tsv")

# ---- the options of every command
options = {(c["name"], o["name"]): o for c in json.loads(run("help --json").stdout)["commands"]
           for o in c["options"]}

# Options of training are compared with a table, and with models, in tests/unit/test_request.c; here
# only what a command itself does about them. Resources and messages change no result.
exempt = {(c, o) for (c, o), row in options.items()
          if row["set"] == "General" or (row["set"] == "Training" and c in ("train", "tune", "compare", "update", "cv"))}
exempt |= {(c, "cache") for c in ("path", "roc")} | {("qvalues", "memory")} # cli.fdr.memory
exempt |= {("train", "score")} # of score files: refused below

# (command, option, value, the rest of the line): the run must differ from the one without it.
# A dash for the value is a flag.
ACTS = """
tune     grid        "C=1:2:2"      | d.svm -o x.m --refine 0 --no-extend
tune     folds       3              | d.svm -o x.m --grid C=0.01:1:3 --refine 0 --no-extend
tune     criterion   auc            | d.svm -o x.m --grid C=0.01:1:3 --refine 0 --no-extend
tune     at          0.5            | d.svm -o x.m --grid C=0.001:1:3 --refine 0 --no-extend --criterion pauc
tune     no-extend   -              | d.svm -o x.m --grid C=0.0001:0.0002:2 --refine 0
tune     refine      2              | d.svm -o x.m --grid C=0.01:1:3 --no-extend
tune     average     1              | d.svm -o x.m --grid C=0.01:1:8 --refine 0 --no-extend --max-fpr 0.2 --confidence none --method annealed
tune     search-rows 3              | d.svm -o x.m --grid C=0.0000001:1000:12 --refine 0 --no-extend --folds 2 --cost-fp 3
tune     table       x.tsv          | d.svm -o x.m --grid C=1 --refine 0
tune     valid       zero2.svm      | d.svm -o x.m --grid C=0.01:1:3 --refine 0 --no-extend
tune     scale       minmax         | d.svm -o x.m --grid C=1 --refine 0
train    scale       minmax         | d.svm -o x.m
train    output      y.m            | d.svm -o x.m
train    protein     c              | plain.csv -o x.m --max-fdr 0.2
tune     protein     c              | plain.csv -o x.m --max-fdr 0.2 --grid C=1 --refine 0 --folds 2
cv       repeats     2              | d.svm --folds 2
cv       tune        -              | d.svm --folds 2 --max-fpr 0.2 --confidence none --kernel rbf
cv       scale       minmax         | d.svm --folds 2
cv       folds       3              | d.svm
cv       grid        C=0.00001      | d.svm --tune --refine 0 --no-extend --folds 2
cv       criterion   auc            | d.svm --tune --grid C=0.00001:1:3 --refine 0 --no-extend --folds 2 --cost-fp 3
cv       at          0.9            | d.svm --tune --grid C=0.000001:1:4 --refine 0 --no-extend --folds 2 --criterion pauc --max-fpr 0.2 --confidence none
cv       no-extend   -              | d.svm --tune --grid C=0.0000001:0.0000002:2 --refine 0 --folds 2 --max-fpr 0.2 --confidence none
cv       refine      2              | d.svm --tune --grid C=0.00001:1:2 --no-extend --folds 2 --max-fpr 0.2 --confidence none
cv       average     2              | d.svm --tune --grid C=0.01:1:4 --refine 0 --no-extend --max-fpr 0.2 --confidence none --folds 2
cv       search-rows 3              | d.svm --tune --grid C=0.0000001:1000:12 --refine 0 --no-extend --folds 2 --cost-fp 3
compare  search-rows 3              | d.svm --grid C=0.0000001:1000:12 --refine 0 --no-extend --folds 2 --cost-fp 3
compare  test        zero2.svm      | d.svm --grid C=1 --refine 0 --max-fpr 0.3 --confidence none --folds 2
compare  share       0.5            | d.svm --grid C=1 --refine 0 --max-fpr 0.3 --confidence none --folds 2
compare  cv          3              | d.svm --grid C=1 --refine 0 --max-fpr 0.3 --confidence none --folds 2
compare  scale       minmax         | d.svm --grid C=1 --refine 0 --max-fpr 0.3 --confidence none --folds 2
compare  output      x.tsv          | d.svm --grid C=1 --refine 0 --max-fpr 0.3 --confidence none --folds 2
compare  grid        C=0.001        | d.svm --refine 0 --no-extend --folds 2
compare  folds       3              | d.svm --grid C=0.01:1:3 --refine 0 --no-extend
compare  criterion   auc            | d.svm --grid C=0.001:1:3 --refine 0 --no-extend --folds 2 --cost-fp 3
compare  at          0.9            | d.svm --grid C=0.00001:1:4 --refine 0 --no-extend --folds 2 --criterion pauc
compare  no-extend   -              | d.svm --grid C=0.0001:0.0002:2 --refine 0 --folds 2
compare  refine      2              | d.svm --grid C=0.01:1:3 --no-extend --folds 2
compare  average     2              | d.svm --grid C=0.01:1:4 --refine 0 --no-extend --max-fpr 0.2 --confidence none --folds 2
path     from        "1 0"          | d.svm --to 1 1 -v
path     to          "0.2 0.1"      | d.svm --to 1 1 -v
path     output      x.path         | d.svm --to 0.1 0.1 -v
path     scale       minmax         | d.svm --to 0.1 0.1 -v
path     kernel      rbf            | d.svm --to 0.1 0.1 -v
path     gamma       2              | d.svm --to 0.1 0.1 --kernel rbf -v
path     degree      2              | d.svm --to 0.1 0.1 --kernel poly --scale minmax -v
path     coef0       1              | d.svm --to 0.1 0.1 --kernel poly --scale minmax -v
roc      valid       zero2.svm      | d.svm --regular 0 --c-max 1
roc      test        zero2.svm      | d.svm --splits 2 --regular 0 --c-max 1
roc      output      x.tsv          | d.svm --splits 2 --regular 0 --c-max 1
roc      save-path   x.path         | d.svm --splits 2 --regular 0 --c-max 1
roc      plot        x.svg          | d.svm --splits 2 --regular 0 --c-max 1
roc      scale       minmax         | d.svm --splits 2 --regular 0 --c-max 1
roc      c-max       2              | d.svm --splits 2 --regular 0
roc      splits      3              | d.svm --regular 0 --c-max 1
roc      seed        2              | d.svm --splits 2 --regular 0 --c-max 1
roc      regular     1              | d.svm --splits 2 --c-max 1
roc      cost-fn     30             | d.svm --splits 2 --regular 0 --c-max 1
roc      cost-fp     30             | d.svm --splits 2 --regular 0 --c-max 1
roc      kernel      rbf            | d.svm --splits 2 --regular 0 --c-max 1
roc      gamma       2              | d.svm --splits 2 --regular 0 --c-max 1 --kernel rbf
roc      degree      2              | d.svm --splits 2 --regular 0 --c-max 1 --kernel poly --scale minmax
roc      coef0       1              | d.svm --splits 2 --regular 0 --c-max 1 --kernel poly --scale minmax
pick     cost-fn     100            | p -o x.m --cost-fp 1
pick     cost-fp     100            | p -o x.m --cost-fn 1
pick     max-fpr     0.1            | p -o x.m
pick     max-fnr     0.1            | p -o x.m
pick     at          "0.3 0.2"    | p -o x.m
pick     no-fingerprint -           | p -o x.m --cost-fn 1
pick     output      y.m            | p -o x.m --cost-fn 1
asymmetry loss       erf            | mix.json
asymmetry gamma      0.2,0.3        | mix.json
asymmetry for-cost-fn 5             | mix.json
asymmetry for-cost-fp 5             | mix.json
asymmetry plot       x.svg          | mix.json
asymmetry output     x.tsv          | mix.json
asymmetry save-mixture x.json       | d.svm
asymmetry C          0.001          | d.svm --loss hinge --splits 2 --gamma 0.3,0.5
asymmetry splits     3              | d.svm --loss hinge --gamma 0.3,0.5
asymmetry scale      unit           | d.svm
asymmetry components 2              | d.svm
asymmetry max-components 1          | two.svm
asymmetry ridge      0.5            | d.svm
asymmetry max-rows   50             | d.svm
asymmetry seed       2              | d.svm --max-rows 50
predict  output      x.tsv          | m d.svm
predict  scores      -              | m d.svm
predict  qvalues     -              | m d.svm
predict  seen        -              | m d.svm
predict  reject-label maybe         | r d.svm
predict  conformal   -              | q d.svm
predict  line-buffered -            | m slip.svm
predict  confidence  0.5            | q d.svm --conformal
predict  probability -              | pr d.svm
predict  calibration platt          | pr d.svm --probability
predict  only        positive       | m d.svm
predict  digits      3              | m d.svm --scores
predict  jsonl       -              | m d.svm
report   from-scores s.tsv          | -o x.m
report   output      y.m            | m d.svm -o x.m
report   empty       -              | -o x.m
report   threshold   1              | m d.svm -o x.m
report   thresholds  "-1,1"         | m d.svm -o x.m
report   max-fpr     0.3            | m d.svm -o x.m
report   max-fnr     0.3            | m d.svm -o x.m
report   cost-fn     3              | m d.svm -o x.m
report   cost-fp     3              | m d.svm -o x.m
report   prevalence  0.01           | m d.svm -o x.m
report   importance  -              | m d.svm -o x.m
report   test        zero2.svm      | p -o x.m
report   no-rows     -              | m d.svm -o x.m
evaluate from-scores s.tsv          |
evaluate threshold   1              | m d.svm
evaluate thresholds  "-1,1"         | m d.svm
evaluate cost-fn     3              | m d.svm
evaluate cost-fp     3              | m d.svm
evaluate reject-cost 0.3            | r d.svm
evaluate reject-cost-fn 0.3         | r d.svm
evaluate reject-cost-fp 0.3         | r d.svm
evaluate partial     0.2            | m d.svm
evaluate curve       roc            | m d.svm
evaluate output      x.tsv          | m d.svm --curve roc
evaluate plot        x.svg          | m d.svm
evaluate conformal   -              | q d.svm
evaluate confidence  0.5            | q d.svm --conformal
evaluate prevalence  0.01           | m d.svm
evaluate by          id             | ti d.csv
evaluate by          patient        | --from-scores s.tsv
monitor  max-fpr     0.1            | m < s2.tsv
monitor  max-fnr     0.1            | m < s2.tsv
monitor  confidence  0.5            | m --max-fpr 0.1 < s2.tsv
monitor  state       x.state        | m --max-fpr 0.1 < s2.tsv
monitor  stop        -              | m --max-fpr 0.01 < s2.tsv
monitor  output      x.m            | m --max-fpr 0.2 --window 30 --state z.state < s2.tsv
monitor  window      20             | m --max-fpr 0.2 -o x.m < s2.tsv
monitor  by          patient        | m --max-fpr 0.1 < s3.tsv
roc      title       Words          | d.svm --splits 2 --regular 0 --c-max 1 --plot x.svg
roc      size        89x70mm        | d.svm --splits 2 --regular 0 --c-max 1 --plot x.svg
asymmetry title       Words          | mix.json --plot x.svg
asymmetry size        89x70mm        | mix.json --plot x.svg
evaluate title       Words          | m d.svm --plot x.svg
evaluate size        89x70mm        | m d.svm --plot x.svg
compare  plot        x.svg          | d.svm --grid C=1
compare  title       Words          | d.svm --grid C=1 --plot x.svg
compare  size        89x70mm        | d.svm --grid C=1 --plot x.svg
tune     plot        x.svg          | d.svm -o x.m --grid C=1,2
tune     title       Words          | d.svm -o x.m --grid C=1,2 --plot x.svg
tune     size        89x70mm        | d.svm -o x.m --grid C=1,2 --plot x.svg
qvalues  plot        x.svg          | --from-scores s.tsv
qvalues  title       Words          | --from-scores s.tsv --plot x.svg
qvalues  size        89x70mm        | --from-scores s.tsv --plot x.svg
path     plot        x.svg          | d.svm --to 1 1
path     title       Words          | d.svm --to 1 1 --plot x.svg
path     size        89x70mm        | d.svm --to 1 1 --plot x.svg
plan     plot        x.svg          | --max-fpr 0.1
plan     title       Words          | --max-fpr 0.1 --plot x.svg
plan     size        89x70mm        | --max-fpr 0.1 --plot x.svg
monitor  plot        x.svg          | m --max-fpr 0.1 < s3.tsv
monitor  title       Words          | m --max-fpr 0.1 --plot x.svg < s3.tsv
monitor  size        89x70mm        | m --max-fpr 0.1 --plot x.svg < s3.tsv
monitor  drift       -              | pr --confidence 0.9 < s3.tsv
monitor  reference   s3.tsv         | pr --drift < s3.tsv
certify  max-fpr     0.2            | s.tsv --max-fnr 0.3
certify  max-fnr     0.2            | s.tsv --max-fpr 0.3
certify  confidence  0.6            | s.tsv --max-fpr 0.3
certify  label       other          | s.tsv --max-fpr 0.3
certify  positive    0              | s.tsv --max-fpr 0.3
certify  group       patient        | s.tsv --max-fpr 0.3
plan     max-fpr     0.1            |
plan     max-fnr     0.1            |
plan     confidence  0.8            | --max-fpr 0.1
plan     power       0.7            | --max-fpr 0.1
plan     negatives   1000           | --max-fpr 0.1
plan     positives   1000           | --max-fnr 0.1
plan     train-loss  0.1            | --max-fpr 0.1 --negatives 1000
qvalues  from-scores s.tsv          |
qvalues  max-fdr     0.9            | --from-scores s.tsv
qvalues  all         -              | --from-scores s.tsv
qvalues  with-decoys -              | --from-scores s.tsv --all
qvalues  spectrum    charge         | f d.pin --all
qvalues  by          charge         | f d.pin --all
qvalues  output      x.tsv          | --from-scores s.tsv
qvalues  rows        -              | --from-scores s.tsv --json --all
qvalues  results-psms x.tsv         | l l.pin --json
qvalues  decoy-results-psms x.tsv   | l l.pin --json
qvalues  results-peptides x.tsv     | l l.pin --json
qvalues  decoy-results-peptides x.tsv | l l.pin --json
qvalues  results-proteins x.tsv     | l l.pin --json
qvalues  decoy-results-proteins x.tsv | l l.pin --json
qvalues  layout      mokapot        | l l.pin --json --results-psms x.tsv
qvalues  peptide-pairs none         | l l.pin --json
qvalues  shared-peptides group      | l l.pin --json
qvalues  peptide     SpecId         | l l.pin --json
qvalues  protein     SpecId         | l l.pin --json --entrapment s1
qvalues  decoy-prefix rev_P         | l l.pin --json
qvalues  entrapment  P1             | l l.pin --json
qvalues  entrapment-ratio 0.5       | l l.pin --json --max-fdr 0.9 --entrapment P1
qvalues  entrapment-curve x.tsv     | l l.pin --json --entrapment P1
qvalues  fdr-convention all         | --from-scores s.tsv --all
qvalues  compete     -              | --from-scores s.tsv --all
qvalues  no-compete  -              | f d.pin --all
qvalues  no-plus-one -              | --from-scores s.tsv --all
predict  explain     2              | m d.svm
card     purpose     foo            | m d.svm
card     by          id             | ti d.csv
card     output      x.md           | m d.svm
info     columns     -              | d.svm
info     importance  d.svm          | m
info     max-fpr     0.3            | d.svm
info     max-fnr     0.3            | d.svm
info     confidence  0.8            | d.svm
convert  to          csv            | d.svm -
convert  shards      2              | d.csv s-%d.ney --label answer
export   format      json           | m
export   name        foo            | m --format c
export   header      x.h            | m --format c -o x.c
export   output      x.out          | m --format json
update   output      y.m            | o d.svm -o x.m --epochs 1
certify  rest        -              | lab.tsv --positive a --max-fpr 0.3
certify  negative    b,c            | lab.tsv --positive a --max-fpr 0.3
monitor  score       other          | m --max-fpr 0.1 < mon.tsv
monitor  label       3              | m --max-fpr 0.1 < mon.tsv
monitor  delimiter   space          | m --max-fpr 0.1 --decimal , < sm.tsv
monitor  decimal     ,              | m --max-fpr 0.1 --delimiter space < sm.tsv
certify  max-columns 3              | s.tsv --max-fpr 0.3
certify  max-line    1              | long.tsv --max-fpr 0.3
help     all         -              | train
help     man         -              |
help     commands    -              |
help     completion  bash           |
train    format      tsv            | d.pin --label Label -o x.m --ignore SpecId,Peptide,Proteins
train    label       answer         | d.csv -o x.m
train    positive    no             | d.csv --label answer -o x.m
train    decoys      neg.svm        | pos.svm -o x.m
train    targets     pos.svm        | -o x.m --decoys neg.svm
train    weight      w              | d.csv --label answer -o x.m --ignore id
train    id          id             | d.csv --label answer -o x.m
train    group       c              | d.csv --label answer -o x.m --ignore id --max-fpr 0.4
train    ignore      a              | d.csv --label answer -o x.m
train    keep        c              | d.csv --label answer -o x.m --ignore id
train    words       kind           | d.csv --label answer -o x.m --ignore id
train    rest        -              | three.csv -o x.m --positive c --ignore b
train    negative    a,b            | three.csv -o x.m --positive c
train    na          xx             | xx.csv -o x.m --missing mean
train    delimiter   pipe           | two.csv -o x.m
train    decimal     ,              | amb.csv -o x.m
evaluate score       other          | --from-scores s.tsv
evaluate delimiter   space          | --from-scores semi.tsv --decimal ,
evaluate decimal     ,              | --from-scores semi.tsv --delimiter space
certify  delimiter   space          | semi.tsv --decimal , --max-fpr 0.3
certify  decimal     ,              | semi.tsv --delimiter space --max-fpr 0.3
certify  score       other          | s.tsv --max-fpr 0.3
train    missing     mean           | holes.csv --label answer -o x.m --ignore id
train    no-header   -              | bare.csv --label c4 --ignore c6 -o x.m
train    zero-based  -              | zero.svm -o x.m
train    max-categories 5           | d.csv --label answer -o x.m
train    max-columns 2              | d.svm -o x.m
train    max-line    1              | long.svm -o x.m
""".strip().splitlines()

# Reading is the same in every command that takes the option; qvalues states its default by these.
reading = {o for (c, o), row in options.items() if c == "train" and row["set"] == "Data"}
exempt |= {(c, o) for (c, o) in options if o in reading and c != "train" and options[c, o]["set"] == "Data"}
exempt |= {("qvalues", "size-correct"), ("qvalues", "plus-one"), ("tune", "fresh"), ("tune", "output"),
           ("certify", "model"), ("certify", "output")}  # the last two: one needs the other

# The command line, the option that it must refuse, and what the option applies to.
REFUSED = """
train d.svm -o x.m --gamma 2                                | gamma | --kernel rbf
train d.svm -o x.m --kernel rbf --degree 2                  | degree | --kernel poly
train d.svm -o x.m --kernel rbf --coef0 1                   | coef0 | --kernel poly or sigmoid
train d.svm -o x.m --epochs 2                               | epochs | --method online
train d.svm -o x.m --max-fpr 0.1 --kernel rbf --network 3   | kernel | --method annealed, uzawa, convex, generative or chebyshev
train d.svm -o x.m --features 3 --max-fdr 0.1               | features | not to --max-fdr
train d.svm -o x.m --eta 2                                  | eta | --max-fpr
train d.svm -o x.m --method online --eta 2                  | eta | --max-fpr
train d.svm -o x.m --max-fpr 0.1 --at-k 3                   | at-k | --method perf
train d.svm -o x.m --delta0 0.4                             | delta0 | --rule bartlett-wegkamp
train d.svm -o x.m --max-fpr 0.1 --loss sigmoid             | loss | --method online
train d.svm -o x.m --holdout 0.3                            | holdout | --confidence or --conformal
train d.svm -o x.m --max-fpr 0.1 --method online --checkpoint-every 5 | checkpoint-every | --checkpoint
train d.svm -o x.m --max-fpr 0.1 --method perf --cost-fp 2  | cost-fp | --method convex
train d.svm -o x.m --max-fpr 0.1 --method generative --cost-fn 2 | cost-fn | --method convex
train d.svm -o x.m --max-fpr 0.1 --method generative --max-iter 2 | max-iter | --method annealed, uzawa, convex, perf or online
train d.svm -o x.m --max-fpr 0.1 --method online --tol 0.1  | tol | --method annealed, uzawa, convex or perf
train d.svm -o x.m --seed 5                                 | seed | random choices
train d.svm -o x.m --confidence 0.9                         | confidence | --max-fpr
train d.svm -o x.m --method uzawa                           | method uzawa | --max-fpr
train d.svm -o x.m --label answer                            | label | tables
train d.svm -o x.m --ignore a                               | ignore | tables
train d.svm -o x.m --no-header                              | no-header | CSV and TSV
train d.csv -o x.m --label answer --zero-based               | zero-based | svmlight
train d.csv -o x.m --label answer --score a                  | score | score files
train pos.svm -o x.m --decoys neg.svm --positive 1          | positive | --decoys
qvalues --from-scores s.tsv --decoys neg.svm                | decoys | MODEL DATA
train d.svm -o x.m --na xx                                   | na | tables
evaluate --from-scores s.tsv --na xx                         | na | MODEL DATA
train d.ney -o x.m --words kind                             | words | tables
train d.ney -o x.m --max-fpr 0.2 --confidence none --method online --memory 0.0001 --words kind | words | tables
train d.svm -o x.m --protein x                            | protein | max-fdr
tune d.svm -o x.m --protein x --grid C=1                  | protein | max-fdr
tune d.svm -o x.m -C 5                                      | C | chosen by the grid
tune d.svm -o x.m --valid zero2.svm --folds 3               | folds | cross-validation
tune d.svm -o x.m --at 0.2                                  | at | --criterion pauc
tune d.svm -o x.m --average 3                               | average | --max-fpr
tune d.svm -o x.m --grid gamma=1,2                          | gamma | --kernel rbf
compare d.svm --test zero2.svm --share 0.4                  | share | not to --test
compare d.svm --cv 2 --share 0.4                            | share | or --cv
compare d.svm --eta 2                                       | eta | --max-fpr
update o d.svm -o x.m --batch 4                             | batch | --network
update o d.svm -o x.m --rule bartlett-wegkamp               | rule | --reject-cost
path d.svm --to 1 1 --gamma 2                               | gamma | --kernel rbf
roc d.svm --kernel rbf --degree 2                           | degree | --kernel poly
roc d.svm --valid zero2.svm --splits 3                      | splits | half splits
roc d.svm --valid zero2.svm --seed 3                        | seed | half splits
asymmetry mix.json --C 2                                    | C | --loss hinge on DATA
asymmetry d.svm --splits 3                                  | splits | --loss hinge on DATA
asymmetry mix.json --components 2                           | components | DATA
asymmetry d.svm --loss hinge --ridge 0.1                    | ridge | --loss square or erf
asymmetry d.svm --components 2 --max-components 2           | max-components | --components leaves
asymmetry mix.json --scale unit                             | scale | DATA
asymmetry mix.json --label x                                | label | DATA
asymmetry mix.json --seed 3                                 | seed | DATA
asymmetry mix.json --save-mixture x.json                    | save-mixture | DATA
predict m d.svm --confidence 0.9                            | confidence | --conformal
predict pr d.svm --calibration platt                        | calibration | --probability
predict m d.svm --only positive --json                      | only | add -o FILE
predict m d.svm --digits 3                                  | digits | --scores
predict m d.svm --line-buffered -o x.tsv                        | line-buffered | standard output
predict m d.svm --reject-label maybe                        | reject-label | reject rows
predict m d.svm --label x                                   | label | tables
report --from-scores s.tsv -o x.m --max-fpr 0.1             | max-fpr | --threshold
report --from-scores s.tsv -o x.m --no-rows                 | no-rows | --threshold
report --from-scores s.tsv -o x.m --format csv              | format | MODEL DATA
report --from-scores s.tsv -o x.m --importance              | importance | MODEL DATA
report --empty -o x.m --prevalence 0.1                      | prevalence | a page with data
evaluate m d.svm --confidence 0.9                           | confidence | --conformal
evaluate m d.svm --output x.tsv                             | output | --curve
evaluate m d.svm --curve roc --partial 0.1                  | partial | the summary
evaluate m d.svm --curve roc --threshold 1                  | threshold | risk-coverage
evaluate m d.svm --curve roc --cost-fn 2                    | cost-fn | the summary
evaluate m d.svm --reject-cost 0.1                          | reject-cost | reject rows
evaluate r d.svm --reject-cost 0.1 --reject-cost-fn 0.1 --reject-cost-fp 0.1 | reject-cost | both
evaluate --from-scores s.tsv --zero-based                   | zero-based | MODEL DATA
evaluate --from-scores s.tsv --format csv                   | format | MODEL DATA
qvalues --from-scores s.tsv --rows                          | rows | --json
qvalues --from-scores s.tsv --all --json                    | all | the rows written
qvalues --from-scores s.tsv --results-psms x.tsv            | results-psms | MODEL DATA
qvalues l l.pin --entrapment-ratio 2                        | entrapment-ratio | --entrapment
qvalues --from-scores s.tsv --spectrum x                    | spectrum | MODEL DATA
qvalues f d.pin --spectrum charge --no-compete              | spectrum | compete
plan --max-fpr 0.1 --train-loss 0.1                         | train-loss | --negatives
export m --format json --name foo                           | name | --format c
export m --format onnx --header x.h -o x.onnx                | header | --format c
info m --label x                                            | label | data
card m --by id                                              | by | DATA
card m d.svm --json -o x.md                                 | output | Markdown
info m --max-fpr 0.1                                        | max-fpr | data
info d.svm --importance d.svm                              | importance | models
info k --columns                                            | columns | linear models
info p --columns                                            | columns | data
help --all                                                  | all | the page of a COMMAND
help --man --commands                                       | man | manual pages
help train --commands                                       | commands | all commands
monitor m --max-fpr 0.1 --window 5                          | window | -o
monitor m --max-fpr 0.1 --reference s2.tsv                  | reference | --drift
""".strip().splitlines()

# Options that a command no longer has, because it never read them.
UNKNOWN = """
path d.svm --to 1 1 --max-fdr 0.1
path d.svm --to 1 1 --network 3
path d.svm --to 1 1 --checkpoint x
roc d.svm --reject-cost 0.2
roc d.svm --conformal
compare d.svm --max-fdr 0.1
compare d.svm --checkpoint x
update o d.svm -o x.m --kernel rbf
update o d.svm -o x.m --C 3
predict m d.svm --missing mean
predict m d.svm --words a
evaluate m d.svm --ignore a
evaluate m d.svm --weight w
qvalues f d.pin --max-categories 3
""".strip().splitlines()

# a list that is given in several parts is one list
one, two = run("train d.pin --max-fdr 0.1,0.2 -o one.m"), run("train d.pin --max-fdr 0.1 --max-fdr 0.2 -o two.m")
assert one.returncode == two.returncode == 0 and open("one.m", "rb").read() == open("two.m", "rb").read(), two.stderr

TWICE = {"train d.svm -o x.m -C 1 -C 2": "-C is given twice", "train d.svm -o x.m --C 1 -C 2": "-C is given twice",
         "plan --max-fpr 0.1 --max-fpr 0.2": "--max-fpr is given twice",
         "train d.svm -o x.m --resume=true --resume=false": "--resume is given twice",
         "predict m d.svm -q -v": "exclude each other"}

must("predict -q m d.svm --scores -o s2.tsv")
write("zero2.svm", open("d.svm").read().splitlines()[:120])
failures = []

def outputs(line):
    for f in ("x.m", "y.m", "x.tsv", "x.path", "x.svg", "x.json", "x.out", "x.state", "z.state", "x.m.tune.tsv", "y.m.tune.tsv"):
        if os.path.exists(f):
            os.remove(f)
    line, _, stdin = line.partition("<")
    r = run(line, stdin.strip() or None)
    text = re.sub(r'("?seconds"?:? +)[-+.e0-9]+', r"\1", r.stdout)
    made = {}
    for f in ("x.m", "y.m", "x.tsv", "x.path", "x.svg", "x.json", "x.out", "x.state"):
        if os.path.exists(f):
            made[f] = open(f, "rb").read()
    return r, (r.returncode, text, sorted(made.items()))

tested = {tuple(shlex.split(entry.partition("|")[0])[:2]) for entry in ACTS}
for entry in mine(ACTS):
    words, _, rest = entry.partition("|")
    command, option, value = shlex.split(words)[:3]
    given = f"--{option}" + ("" if value == "-" else f"={shlex.quote(value)}")
    if option == "output" and "-o x.m" in rest:
        rest = rest.replace("-o x.m", "{}")
        without, with_ = rest.format("-o x.m"), rest.format(f"-o {value}")
    elif f"--{option} " in rest:
        without, with_ = rest, re.sub(rf"--{option} \S+ \S+", given, rest)
    else:
        head, mark, stdin = rest.partition("<")
        without, with_ = rest, f"{head} {given} {mark} {stdin}"
    _, before = outputs(f"{command} {without}")
    r, after = outputs(f"{command} {with_}")
    if r.returncode not in (0, 6) and not (option in ("max-categories", "max-columns", "max-line", "line-buffered") and r.returncode == 3):
        failures.append(f"{command} {with_}: exit {r.returncode}: {r.stderr}")
    elif before == after:
        failures.append(f"{command} {with_}: no difference")

for key in sorted(options):
    if key not in tested and key not in exempt:
        failures.append(f"{key[0]} --{key[1]}: no run shows that it acts; add one here")
for key in sorted(tested | exempt):
    if key not in options:
        failures.append(f"{key[0]} --{key[1]}: no such option any more")

for entry in mine(REFUSED):
    line, option, where = (part.strip() for part in entry.split("|"))
    r = run(line)
    if r.returncode != 2 or f"--{option} " not in r.stderr or where not in r.stderr:
        failures.append(f"{line}: exit {r.returncode}, expected --{option} ... {where}: {r.stderr}{r.stdout[:200]}")
for line in mine(UNKNOWN):
    r = run(line)
    if r.returncode != 2 or "has no option" not in r.stderr:
        failures.append(f"{line}: exit {r.returncode}: {r.stderr}")
for line, text in mine(TWICE.items()):
    r = run(line)
    if r.returncode != 2 or text not in r.stderr:
        failures.append(f"{line}: exit {r.returncode}: {r.stderr}")

# A list goes on where it is given again; a flag may be repeated; a default may be stated.
must("train -q -q d.csv --label answer --ignore id --ignore kind -o x.m")
listed = open("x.m").read()
must("train -q d.csv --label answer --ignore id,kind -o x.m")
assert listed == open("x.m").read()
must("train -q d.svm -o x.m --epochs 0 --eta 1 --cost-fn 1 --confidence 0.95")

for f in failures:
    print(f)
print(f"{len(mine(ACTS))} of {len(ACTS)} runs that differ, {len(REFUSED) + len(UNKNOWN) + len(TWICE)} refused, "
      f"{len(options)} options of {len({c for c, _ in options})} commands")
sys.exit(bool(failures))
PY
python3 check.py
