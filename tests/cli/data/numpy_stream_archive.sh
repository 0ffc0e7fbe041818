#!/bin/sh
# predict and evaluate read archives (.npz) row by row: the same lines as from text, dense and sparse, stored and deflated, several
# windows; what is damaged is reported. An archive in a pipe is read whole, with the same lines.
set -eu
command -v python3 > /dev/null || exit 77
cat > make.py << 'PY'
import io, random, struct, zipfile

def array(values, code, shape):
    name = {"d": "<f8", "f": "<f4", "i": "<i4", "q": "<i8", "b": "|i1"}.get(code) or "<U3"
    text = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (name, shape)).ljust(117) + "\n"
    body = b"".join(v.encode("utf-32-le") for v in values) if code == "U" else struct.pack("<%d%s" % (len(values), code), *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + body

def save(path, method, **arrays):
    with zipfile.ZipFile(path, "w", method) as z:
        for name, content in arrays.items():
            z.writestr(name + ".npy", content)

random.seed(4)
n, cols = 60000, 8
rows, labels, weights = [], [], []
for i in range(n):
    y = random.random() < 0.4
    labels.append(1 if y else -1)
    weights.append(1.0 + i % 2)
    rows.append([(random.randrange(-512, 513) / 128 + y) if random.random() < 0.6 else 0.0 for _ in range(cols)])
text = ["%d %s\n" % (y, " ".join("%d:%r" % (c + 1, x) for c, x in enumerate(r) if x)) for y, r in zip(labels, rows)]
open("train.svm", "w").writelines(text[:600])
open("all.svm", "w").writelines(text)
dense = dict(X=array([x for r in rows for x in r], "d", (n, cols)), y=array(labels, "b", (n,)), weight=array(weights, "f", (n,)))
save("stored.npz", zipfile.ZIP_STORED, **dense)
save("deflated.npz", zipfile.ZIP_DEFLATED, **dense)
value, index, start = [], [], [0]
for r in rows:
    entries = [(c, x) for c, x in enumerate(r) if x]
    random.shuffle(entries) # SciPy does not keep them in order
    index += [c for c, _ in entries]
    value += [x for _, x in entries]
    start.append(len(value))
def csr(start, index=index):
    return dict(indices=array(index, "i", (len(index),)), indptr=array(start, "q", (n + 1,)), format=array(["csr"], "U", ()),
                shape=array([n, cols], "q", (2,)), data=array(value, "d", (len(value),)), y=array(labels, "q", (n,)))
save("csr.npz", zipfile.ZIP_DEFLATED, **csr(start))
save("csr_stored.npz", zipfile.ZIP_STORED, **csr(start))
wrong = list(start)
wrong[50000] = wrong[49999] - 1
save("descends.npz", zipfile.ZIP_DEFLATED, **csr(wrong))
wrong[50000] = -(1 << 63)
save("least.npz", zipfile.ZIP_DEFLATED, **csr(wrong))
wrong[50000] = 1 << 62
save("most.npz", zipfile.ZIP_DEFLATED, **csr(wrong))
beyond = list(index)
beyond[start[50000]] = cols
save("beyond.npz", zipfile.ZIP_DEFLATED, **csr(start, beyond))
save("begins.npz", zipfile.ZIP_DEFLATED, **csr([1] + start[1:]))
short = dict(dense, y=array(labels[1:], "b", (n - 1,)))
save("short.npz", zipfile.ZIP_DEFLATED, **short)
save("data.npz", zipfile.ZIP_DEFLATED, data=dense["X"], y=dense["y"]) # a dense array of that name
bytes_of = bytearray(open("stored.npz", "rb").read())
bytes_of[3_000_000] ^= 1
open("damaged.npz", "wb").write(bytes_of)
open("cut.npz", "wb").write(open("stored.npz", "rb").read()[:-100])
PY
python3 make.py
neyman train -q --max-fpr 0.1 train.svm -o m > out
neyman predict -q m all.svm --scores > text.tsv
for f in stored deflated csr csr_stored data; do
    neyman predict -q m $f.npz --scores > array.tsv 2> err
    cmp text.tsv array.tsv
done
cat deflated.npz | neyman predict -q m - --scores > array.tsv
cmp text.tsv array.tsv
neyman evaluate -q m all.svm --json | grep -v '"seconds"\|"file"' > text.json
neyman evaluate -q m csr.npz --json | grep -v '"seconds"\|"file"' > array.json
cmp text.json array.json
refuse() { # MESSAGE FILE
    status=0
    neyman predict -q m --scores "$2" > out 2> err || status=$?
    test $status -eq 3
    grep -q "$1" err
}
refuse "array 'indptr' holds [0-9]* for row 50000, expected ascending" descends.npz
test "$(wc -l < out)" -gt 40000 # the rows of the windows before
refuse "array 'indptr' holds -9223372036854775808 for row 50000, expected ascending" least.npz
refuse "array 'indptr' holds 4611686018427387904 for row 50000, expected ascending" most.npz
refuse 'row 50000 (from 0) has column 8, expected different columns below 8' beyond.npz
refuse "array 'indptr' holds 1 for row 0, expected ascending" begins.npz
refuse "array 'y' has 59999 values, expected 60000" short.npz
refuse "array 'X' is damaged: its checksum is wrong" damaged.npz
refuse 'cut short' cut.npz
