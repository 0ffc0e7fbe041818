#!/bin/sh
# File contents cannot control a terminal or reorder text: control characters, bidirectional formatting
# characters and bytes that are not UTF-8 are escaped in messages and results, in JSON, in model cards and pages, and in tables if standard
# output is a terminal. Other tables contain the bytes of the labels.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import json, os, pty, re, select, subprocess, sys

BAD = ["\x1b[31mred", "\x07bell", "\x7fdel", "\u009b2J", "\u202eevil", "\u2066x\u2069", "\u200fmark", "\u061cx",
       "\u2028line", "a\rb"]
harmful = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

def run(args, terminal=False):
    """Exit code, standard output, standard error; standard output may be a terminal."""
    if not terminal:
        r = subprocess.run(["neyman", *args], capture_output=True, stdin=subprocess.DEVNULL)
        return r.returncode, r.stdout, r.stderr
    master, slave = pty.openpty()
    child = subprocess.Popen(["neyman", *args], stdout=slave, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    out, end, ended = b"", b"<end>", False
    while not out.endswith(end):  # what the child wrote comes before what is written after its end
        if select.select([master], [], [], 0.05)[0]:
            out += os.read(master, 65536)
        elif child.poll() is not None and not ended:
            os.write(slave, end)
            ended = True
    out = out[:-len(end)]
    os.close(slave)
    os.close(master)  # terminals are few: not one for each run
    err = child.stderr.read()
    child.stderr.close()
    return child.wait(), out.replace(b"\r\n", b"\n"), err

def clean(what, text):
    found = harmful.search(text.decode("utf-8"))  # raises where it is no UTF-8
    assert not found, (what, text)

for bad in BAD + [b"\xff\xfe", b"caf\xe9", b"\xc0\xaf"]:
    name = bad if isinstance(bad, bytes) else bad.encode()
    quoted = b'"' + name + b'"'
    rows = [b"a,b" + (b"x" + name).replace(b"\r", b"") + b",label"]
    rows += [b"%d,%d,%s" % (i, i % 3, quoted if i < 20 else b"plain") for i in range(40)]
    with open("d.csv", "wb") as f:
        f.write(b"\n".join(rows) + b"\n")
    subprocess.run(["neyman", "train", "-q", "d.csv", "-o", "m", "--positive", "plain"], check=True,
                   stdout=subprocess.DEVNULL)
    for args in (["train", "d.csv", "-o", "m2"], ["info", "m"], ["info", "d.csv", "--columns"], ["evaluate", "m", "d.csv"],
                 ["info", "--json", "m"], ["evaluate", "--json", "m", "d.csv"],
                 ["info", b"none" + name], ["train", "d.csv", "-o", "m2", "--label", b"x" + name],
                 ["train", "d.csv", "-o", "m2", "--positive", b"x" + name],
                 ["train", "d.csv", "-o", "m2", "--json", "--ignore", b"x" + name], [b"x" + name]):
        for terminal in (False, True):
            code, out, err = run(args, terminal)
            clean(args, out)
            clean(args, err)
            assert 0 <= code <= 4, (args, code, err)  # a result or a refusal
            if "--json" in args:
                try:
                    json.loads(out)
                except ValueError:
                    raise AssertionError((args, terminal, code, out, err))
    for args in (["card", "m", "d.csv", "-o", "page"], ["report", "-q", "m", "d.csv", "-o", "page"]):
        code, out, err = run(args)
        assert code == 0, (args, code, err)
        with open("page", "rb") as f:
            clean(args, f.read().replace(b"\t", b" "))
    code, out, err = run(["predict", "m", "d.csv"], True)
    assert code == 0, (code, err)
    clean("predict", out)
    assert b"\\" in out, (out, err)
    code, out, err = run(["predict", "m", "d.csv"])
    assert code == 0 and name in out, (code, out, err)
code, out, err = run(["info", "no\u202efile\x1b"])
assert b"no\\u202Efile\\x1B" in err, err
code, out, err = run(["info", "--json", "no\u202efile\u009b\x7f"])
assert json.loads(out)["error"]["file"] == "no\u202efile\u009b\x7f", out
code, out, err = run(["info", "na\u00efve\u65e5\u672c\U0001f600"])  # other characters stay
assert "na\u00efve\u65e5\u672c\U0001f600".encode() in err, err
PY
python3 check.py
