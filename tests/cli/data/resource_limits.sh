#!/bin/sh
# A small file cannot exhaust memory: too many columns for the number of entries and lines
# beyond --max-line are refused with exit 3, the place and the option; the option raises the limit.
# Under a sanitizer every 2nd of the long lines.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import gzip, os, struct, subprocess, sys, zlib

STEP = 2 if int(os.environ.get("NEY_TEST_SHARE", 1)) > 1 else 1

LIMIT_MB = 700  # peak memory of every refused run, sanitizers included

def run(*args):
    child = subprocess.Popen(["neyman", *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             stdin=subprocess.DEVNULL)
    text = child.stderr.read().decode()
    _, status, use = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, text, use.ru_maxrss / 1024

# What convert refuses, info describes within the same memory.
def refused(option, place, *args):
    if args[0] == "info":
        code, text, megabytes = run(*args)
        if code not in (0, 3) or megabytes > LIMIT_MB:
            sys.exit(f"{args}: exit {code}, {megabytes:.0f} MB: {text}")
        args = ("convert", args[1], "x.svm" if args[1].endswith(".ney") else "x.ney", *args[2:])
    code, text, megabytes = run(*args)
    if code != 3 or option not in text or place not in text:
        sys.exit(f"{args}: exit {code}: {text}")
    if megabytes > LIMIT_MB:
        sys.exit(f"{args}: {megabytes:.0f} MB")

def accepted(*args):
    code, text, _ = run(*args)
    if code != 0:
        sys.exit(f"{args}: exit {code}: {text}")

def write(name, text):
    with open(name, "wb") as f:
        f.write(text)

rows = b"".join(b"%d 1:%d.5 2:%d\n" % (1 if i % 3 else -1, i % 7, i % 5) for i in range(60))
write("far.svm", rows + b"1 30000000:1\n-1 1:1\n")
write("plain.svm", rows)
write("two.svm", rows + b"1 2500000:1\n")
accepted("train", "-q", "plain.svm", "-o", "m")
accepted("predict", "-q", "m", "plain.svm", "--scores", "-o", "s.tsv")

# Columns: every command that reads data, and the place of the largest.
for command in (["info", "far.svm"], ["train", "far.svm", "-o", "x"], ["convert", "far.svm", "x.ney"],
                ["predict", "m", "far.svm", "-o", "x"], ["evaluate", "m", "far.svm"],
                ["tune", "far.svm", "-o", "x"], ["path", "far.svm", "--to", "1", "1"],
                ["roc", "far.svm"], ["compare", "far.svm"], ["asymmetry", "far.svm"],
                ["train", "far.svm", "-o", "x", "--max-fpr", "0.1", "--method", "online"]):
    refused("--max-columns", "far.svm:61: found column 30000000", *command)
refused("--max-columns", "two.svm:61: found column 2500000", "info", "two.svm")
refused("--max-columns", "two.svm:61: found column 2500000", "info", "two.svm", "--max-columns", "2499999")
accepted("info", "two.svm", "--max-columns", "2500000")
refused("--max-columns", "plain.svm:1: found column 2", "info", "plain.svm", "--max-columns", "1")

# A cache made with the option still needs it; so do rows that a model has no columns for.
accepted("convert", "-q", "two.svm", "two.ney", "--max-columns", "3000000")
refused("--max-columns", "two.ney: found column 2500000", "info", "two.ney")
refused("--max-columns", "two.ney: found column 2500000", "train", "two.ney", "-o", "x", "--max-fpr", "0.3",
        "--confidence", "none", "--method", "online", "--memory", "0.001")
accepted("info", "two.ney", "--max-columns", "3000000")

# Many entries justify many columns: 250001 of them, 2500010 columns.
write("many.svm", b"".join(b"%d %d:1\n" % (1 if i % 3 else -1, 10 * i + 10) for i in range(250001)))
accepted("info", "many.svm")
write("many.svm", b"1 2500011:1\n" + b"".join(b"1 %d:1\n" % (i + 1) for i in range(250000)))
refused("--max-columns", "many.svm:1: found column 2500011", "info", "many.svm")

# Tables: a header of too many columns, and rows of too many fields.
write("wide.csv", b"a" + b",a" * 2000000 + b"\n" + b"1" + b",1" * 2000000 + b"\n")
refused("--max-columns", "wide.csv:1: found more than 2000000 columns", "info", "wide.csv")
write("wide.pin", b"SpecId\tLabel\tScanNr\t" + b"f\t" * 2000000 + b"Peptide\tProteins\n")
refused("--max-columns", "wide.pin:1: found more than 2000000 columns", "info", "wide.pin")
write("three.csv", b"a,b,label\n1,2,1\n")
refused("--max-columns", "three.csv:1: found more than 2 columns", "info", "three.csv", "--max-columns", "2")
accepted("info", "three.csv", "--max-columns", "3")
write("surplus.csv", b"a,label\n1,1\n" + b"1," * 2000000 + b"1\n")
refused("expected 2", "surplus.csv:3: found 2000001 fields", "info", "surplus.csv")
words = 60000  # a set of words for every column, not one for every column and every piece
write("words.csv", b"label" + b",w" * words + b"\n" + b"1" + b",x" * words + b"\n0" + b",y" * words + b"\n")
code, text, megabytes = run("info", "words.csv")
if code != 0 or megabytes > LIMIT_MB:
    sys.exit(f"words.csv: exit {code}, {megabytes:.0f} MB: {text}")

# Lines: one of 3.2 GB in a gzip file of 3 MB, in every text format and as a score file.
member = gzip.compress(b"1" * 64000000, 9, mtime=0)
for name, head in (("svm", b"1 1:1\n-1 2:1 3:1\n1 1:"), ("csv", b"a,label\n1,1\n"), ("tsv", b"label\tscore\n1\t0.5\n"),
                   ("quoted.csv", b'a,label\n1,1\n"'), ("header.csv", b"a,"),
                   ("pin", b"SpecId\tLabel\tScanNr\ta\tPeptide\tProteins\ns\t1\t1\t2\tP\tQ\n"))[::STEP]:
    write(f"bomb.{name}.gz", gzip.compress(head, mtime=0) + 50 * member)
    line = 1 + head.count(b"\n")
    refused("--max-line", f"bomb.{name}.gz:{line}: found a line of more than 64000000 bytes", "info",
            f"bomb.{name}.gz")
if STEP == 1: # the reader of evaluate
    refused("--max-line", "bomb.tsv.gz:3:", "certify", "bomb.tsv.gz", "--max-fpr", "0.3")
refused("--max-line", "bomb.tsv.gz:3:", "evaluate", "--from-scores", "bomb.tsv.gz")

# Arrays: a gigabyte of zeros in an archive of a megabyte, behind a header that announces 300 values.
def array(shape, values):
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n" % shape
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + values

def archive(members):  # name: size, deflated bytes
    files = directory = b""
    for name, (size, packed) in members.items():
        sizes = struct.pack("<IIIHH", 0, len(packed), size, len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<HHHHI", 20, 20, 0, 8, 0) + sizes + struct.pack("<HHHII", 0, 0, 0, 0, len(files)) + name
        files += b"PK\x03\x04" + struct.pack("<HHHI", 20, 0, 8, 0) + sizes + name + packed
    return files + directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(files), 0)

deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
head = array(b"(100, 3)", b"")
first = deflate.compress(head) + deflate.flush(zlib.Z_FULL_FLUSH)
zeros = deflate.compress(bytes(64000000)) + deflate.flush(zlib.Z_FULL_FLUSH)
for begin, size, place, found in ((first, len(head), "array 'X', byte 72", "expected fewer for the shape"),
                                  (b"", 0, "array 'X', byte 0", "in the format of NumPy")):
    write("zeros.npz", archive({b"X.npy": (size + 16 * 64000000, begin + 16 * zeros + b"\x03\x00")}))
    refused(found, place, "info", "zeros.npz")
    refused(found, place, "train", "zeros.npz", "-o", "x")
    refused(found, place, "predict", "m", "zeros.npz", "-o", "x")
# The directory of the archive agrees with the header of the array, and there are more bytes than both say.
write("zeros.npz", archive({b"X.npy": (len(head) + 2400, first + zeros + b"\x03\x00")}))
refused("cannot be unpacked to its %d bytes" % (len(head) + 2400), "array 'X'", "train", "zeros.npz", "-o", "x")

# The limit is exact, wherever the line stands, and does not count the newline.
for length, before in ((1000000, 1), (1000000, 3), (1000000, 500000))[::STEP]:
    head = b"1 1:1\n-1 1:2\n" * (before // 2) + (b"1 1:1\n" if before % 2 else b"")
    write("exact.svm", head + b"#" + b"x" * (length - 1) + b"\n1 1:2\n-1 1:3\n")
    accepted("info", "exact.svm", "--max-line", "1")
    write("exact.svm", head + b"#" + b"x" * length + b"\n1 1:2\n-1 1:3\n")
    refused("--max-line", f"exact.svm:{before + 1}: found a line of more than 1000000 bytes", "info", "exact.svm",
            "--max-line", "1")
    write("exact.svm", head + b"#" + b"x" * length)
    refused("--max-line", f"exact.svm:{before + 1}:", "info", "exact.svm", "--max-line", "1")
# An error in a line before comes first.
write("order.svm", b"1 1:1\n1 1:x\n#" + b"x" * 2000000 + b"\n")
refused("expected a number", "order.svm:2:5:", "info", "order.svm", "--max-line", "1")
PY
python3 check.py
