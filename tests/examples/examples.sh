#!/bin/sh
# Every program of examples/, linked with the shared library: their output against that of the program, or
# against what must be so.
set -eu
command -v python3 > /dev/null || exit 77
awk 'BEGIN { srand(5); print "kind,a,b,c"
             for (i = 1; i <= 600; i++) { p = i % 3 == 0
                 print (p ? "spam" : "ham") "," 50 * rand() + 40 * p "," rand() + 0.3 * p "," int(9 * rand()) } }' |
    sed 's/^kind/label/' > d.csv
ran=''
example() {
    ran="$ran $1"
    name=$1
    shift
    "$NEY_EXAMPLES/$name" "$@"
}

# train: the tree of `train --json`, and the model's bytes
example train d.csv 0.1 m > tree.json 2> err
grep -q "^At most 10 % of negatives ('ham') are flagged as positive, with 95 % confidence" err
neyman train -q --json --max-fpr 0.1 -C 1 d.csv -o program > program.json
cmp m program
python3 - <<'PY'
import json
mine, other = json.load(open("tree.json")), json.load(open("program.json"))
for tree in (mine, other):
    tree.pop("seconds")
    for step in tree["steps"]:
        step.pop("seconds")
other.pop("model")
assert mine == other, [k for k in set(mine) | set(other) if mine.get(k) != other.get(k)]
PY
if example train missing.csv 0.1 none 2> err; then exit 1; fi
grep -q 'missing.csv: ' err

# predict_memory and stream: the scores of `predict --scores`, digit by digit
cut -d, -f2- d.csv | sed 1d | tr ',' ' ' > numbers
sed 1d d.csv > rows
for options in '--max-fpr 0.1' '--kernel rbf --scale minmax' '--scale unit --kernel poly --degree 2' \
    '--max-fpr 0.2 --network 3 --epochs 2' '--max-fpr 0.2 --features 50 --epochs 2' '--reject-cost 0.3'; do
    # shellcheck disable=SC2086 # options are words
    neyman train -q $options d.csv -o m > /dev/null
    neyman predict -q --scores --reject-label none m d.csv 2> /dev/null > scores.tsv ||
        neyman predict -q --scores m d.csv > scores.tsv
    awk -F '\t' 'NR > 1 { print ($1 == "spam" ? 1 : $1 == "ham" ? -1 : 0), $2 }' scores.tsv > expected
    example predict_memory m 3 < numbers > got
    example stream m < d.csv > streamed
    cmp got streamed
    example serve m 3 < numbers > served
    cmp got served
    python3 - <<'PY'
got, expected = ([line.split() for line in open(f)] for f in ("got", "expected"))
assert len(got) == len(expected) == 600
assert all(a[0] == b[0] and float(a[1]) == float(b[1]) for a, b in zip(got, expected))
PY
done
printf 'label,a,b,c\nham,1,2,3\nham,1,oops,3\n' > bad.csv
if example stream m < bad.csv > out 2> err; then exit 1; fi
grep -q '^line 3: ' err

# serving/: a pipe that stays open, and an exported model, give the answers of `predict`
neyman train -q --max-fpr 0.1 d.csv -o m > /dev/null
neyman predict -q --scores m d.csv > scores.tsv
awk -F '\t' 'NR > 1 { print $1, $2 }' scores.tsv > expected
cut -d, -f2- d.csv | sed 1d > cells
python3 -B "$NEY_SOURCE/examples/serving/pipe.py" m "$(head -n 1 d.csv | cut -d, -f2-)" < cells > answers
cmp answers expected
if python3 -B "$NEY_SOURCE/examples/serving/pipe.py" m a,b,c 2> err < bad.csv; then exit 1; fi
cc=$(command -v cc || command -v gcc || command -v clang || true)
if [ -n "$cc" ]; then
    neyman export -q m --format c -o model.c --header model.h
    "$cc" -O2 -ffp-contract=off -I. -o exported "$NEY_SOURCE/examples/serving/exported.c" model.c -lm
    ./exported < numbers > answers
    python3 - <<'PY'
got, expected = ([line.split() for line in open(f)] for f in ("answers", "expected"))
assert len(got) == 600 and all(a[0] == b[0] and float(a[1]) == float(b[1]) for a, b in zip(got, expected))
PY
fi

# certify_scores: the threshold of `certify`
awk -F '\t' '$3 == "ham" { print $2 }' scores.tsv > negatives
example certify_scores 0.05 0.9 < negatives > out
(printf 'label\tscore\n'; sed 's/^/ham\t/' negatives; printf 'spam\t9\n') > file.tsv
neyman certify -q --json file.tsv --max-fpr 0.05 --confidence 0.9 --positive spam > certify.json
python3 - <<'PY'
import json
threshold = float(open("out").readline().split()[1])
assert threshold == json.load(open("certify.json"))["threshold"]
PY
code=0
head -5 negatives | example certify_scores 0.01 0.95 > out 2> err || code=$?
[ $code = 4 ]
grep -q 'at least 299' err

# progress_cancel: a stop, and a run to its end
example progress_cancel d.csv 2 > out 2> /dev/null
grep -Eq '^(stop: |no model: )cancelled$' out
example progress_cancel d.csv 1000000 > out 2> err
grep -q '^stop: converged$' out
grep -q 'training' err

# allocator: nothing is left, with enough memory and with too little
example allocator d.csv 100000000 > out 2> err
printf 'fitted\nleft: 0 bytes\n' | cmp - out
peak=$(sed -n 's/^peak: \([0-9]*\) bytes$/\1/p' err)
for limit in 1000 20000 $((peak / 2)) $((peak - 1)); do
    example allocator d.csv $limit > out 2> /dev/null
    printf 'out of memory\nleft: 0 bytes\n' | cmp - out
done

# path_pick: the classifier of `pick`
example path_pick d.csv 1 1 > out
grep -q '^exact: yes$' out
neyman path -q --scale standard d.csv --from 0 0 --to 1 1 -o p > /dev/null
neyman pick -q p --at 0.5 0.5 -o picked > /dev/null
neyman export -q picked --format json -o picked.json
python3 - <<'PY'
import json
model = json.load(open("picked.json"))
found = open("out").read().split("half-way: w1 ")[1].split(", b ")
def numbers(x):
    if isinstance(x, dict):
        return [n for v in x.values() for n in numbers(v)]
    return [n for v in x for n in numbers(v)] if isinstance(x, list) else [x]
known = [n for n in numbers(model) if isinstance(n, (int, float))]
for value in map(float, found):
    assert any(abs(n - value) <= 1e-5 * max(1, abs(value)) for n in known), value
PY

# none was left out
for source in "$NEY_SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    case "$ran " in
    *" $name "*) ;;
    *)
        echo "examples/$name.c was not run" >&2
        exit 1
        ;;
    esac
done
