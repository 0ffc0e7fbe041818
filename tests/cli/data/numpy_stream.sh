#!/bin/sh
# predict and evaluate read .npy row by row: the same lines as from text, several windows, any type of numbers, gzip and a pipe that stays
# open; labels and ids by column number; damaged files are reported with the bytes that are missing or too many.
set -eu
. "$NEY_SOURCE/tests/support/wait.sh"
command -v python3 > /dev/null || exit 77
cat > make.py << 'PY'
import random, struct, sys

def save(path, rows, kind="d", fortran=False, cut=0, more=b""):
    shape = (len(rows), len(rows[0]))
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }" % ({"d": "<f8", "f": "<f4", "D": ">f8"}[kind], fortran, *shape)
    text = text.ljust(117) + "\n"
    cells = [r[c] for c in range(shape[1]) for r in rows] if fortran else [x for r in rows for x in r]
    body = struct.pack((">%dd" if kind == "D" else "<%d" + kind) % len(cells), *cells)
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + body[:len(body) - cut] + more)

random.seed(4)
rows = []
for i in range(90000):
    y = random.random() < 0.4
    rows.append([float(y), float(i), 1.0 + (i % 3)] + [random.randrange(-512, 513) / 128 + y for _ in range(4)])
train = rows[:600]
with open("train.csv", "w") as f:
    f.write("label,id,w,a,b,c,d\n" + "".join(",".join("%g" % x for x in r) + "\n" for r in train))
with open("all.csv", "w") as f:
    f.write("c1,c2,c3,c4,c5,c6,c7\n" + "".join(",".join("%d" % x if c < 3 else repr(x) for c, x in enumerate(r)) + "\n" for r in rows))
save("all.npy", rows)
save("float.npy", rows, "f")
save("swapped.npy", rows, "D")
save("columns.npy", rows, fortran=True)
save("cut.npy", rows, cut=1)
save("long.npy", rows, more=b"x")
bad = [list(r) for r in rows]
bad[70000][4] = float("inf")
save("infinite.npy", bad)
save("train.npy", train)
def announce(path, shape): # and 800 bytes
    text = ("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)).ljust(117) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + bytes(800))
announce("wide.npy", (2, 3000000))
announce("huge.npy", ((1 << 60) - 1, 8))
announce("none.npy", (0, 3000000))
PY
python3 make.py
neyman train -q --max-fpr 0.1 --label 1 --id 2 --ignore 3 train.npy -o m > out
neyman predict -q m all.csv --scores > text.tsv
for f in all.npy float.npy swapped.npy columns.npy; do
    neyman predict -q m $f --scores > array.tsv
    cmp text.tsv array.tsv
done
gzip -c all.npy > all.npy.gz
neyman predict -q m all.npy.gz --scores > array.tsv
cmp text.tsv array.tsv
neyman evaluate -q m all.csv --json | grep -v '"seconds"\|"file"' > text.json
neyman evaluate -q m all.npy --json | grep -v '"seconds"\|"file"' > array.json
cmp text.json array.json
# A pipe that stays open: rows are scored as they come, also where a row comes in two parts.
mkfifo pipe
neyman predict -q m - --scores < pipe > piped.tsv &
reader=$!
exec 3> pipe
head -c 5020 all.npy >&3 # the header and 87 rows and a part of one
has_lines() { test "$(wc -l < piped.tsv)" -ge 80; }
wait_until $reader has_lines
test "$(wc -l < piped.tsv)" -le 88
tail -c +5021 all.npy >&3
exec 3>&-
wait $reader
cmp text.tsv piped.tsv
# What is wrong, and where.
refuse() { # MESSAGE FILE [OPTION...]
    message=$1
    shift
    status=0
    neyman predict -q m --scores "$@" > out 2> err || status=$?
    test $status -eq 3
    grep -q "$message" err
}
refuse 'cut.npy: byte 128: found 5039999 bytes of values, expected more' cut.npy
refuse 'long.npy: byte 128: found 5040001 bytes of values, expected fewer' long.npy
# What a header announces takes no memory before it is there, whatever its size, from a file or a pipe.
for f in wide huge; do
    refuse "$f.npy: byte 128: found 800 bytes of values, expected more" $f.npy
    cat $f.npy > pipe &
    refuse 'standard input: byte 128: found .* bytes of values, expected more' - < pipe
    wait
done
refuse 'none.npy: byte 128: found 800 bytes of values, expected fewer' none.npy
head -c 128 none.npy > no_rows.npy
refuse 'at most 2000000 columns for so few entries' no_rows.npy
refuse 'row 70000, column' infinite.npy
test "$(wc -l < out)" -gt 30000 # the rows of the windows before
