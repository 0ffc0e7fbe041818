#!/bin/sh
# Every writer, with every call that makes, writes, flushes, renames or closes a file failing in turn, and
# with the power cut there: the exit code is correct (exit 0: the new file is complete; else the old or the
# new one is there, byte for byte), no temporary file is left, and after a power cut the next run works.
# NEY_FAULT is the library that makes calls fail, NEY_FAULT_SHARD K/N takes every N-th command from K on.
set -eu
command -v python3 > /dev/null || exit 77
cat > check.py <<'PY'
import os, shutil, signal, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

rows = [(1 if i % 3 else -1, i % 7 + 4 * (i % 3 > 0), i % 5) for i in range(90)]
write("d.svm", "".join(f"{y} 1:{a} 2:{b}\n" for y, a, b in rows))
write("d.csv", "a,b,label\n" + "".join(f"{a},{b},{y}\n" for y, a, b in rows))
write("s.tsv", "label\tscore\n" + "".join(f"{y}\t{a + b / 10}\n" for y, a, b in rows))
write("bad.tsv", "label\tscore\n" + "".join(f"{-1 if i % 2 else 1}\t9\n" for i in range(400)))
write("good.tsv", "label\tscore\n" + "".join(f"{y}\t{99 * y}\n" for y, a, b in rows))
write("r.pin", "SpecId\tLabel\tScanNr\ta\tb\tPeptide\tProteins\n" + "".join(
    f"s{i}\t{y}\t{i}\t{a}\t{b}\tPEP{i % 40}\tprotein{i % 9}\n" for i, (y, a, b) in enumerate(rows)))
def setup(line):
    subprocess.run("neyman " + line, shell=True, check=True, stdout=subprocess.DEVNULL)
setup("train -q d.svm -o m")
setup("train -q r.pin -o mp")
setup("train -q d.svm -o o --max-fpr 0.4 --confidence none --method online --epochs 2")
setup("roc -q d.svm --splits 2 --save-path p")
setup("monitor -q o --max-fpr 0.4 --state st < good.tsv")

ONLINE = "--max-fpr 0.4 --confidence none --method online --epochs 2"
# Command; files that are old or new; files of the program's own, which another run must accept;
# what is there at the beginning.
WRITERS = [
    ("train d.svm -o box/x", ["x"], [], {}),
    (f"train d.svm {ONLINE} -o box/x --checkpoint box/c --checkpoint-every 0.000001", ["x"], ["c"], {}),
    (f"train d.svm {ONLINE} -o box/x --checkpoint box/c --resume", ["x"], ["c"], {"c": "c"}),
    (f"train d.svm {ONLINE} -o box/x --memory 0.0001", ["x"], [], {}),
    ("tune d.svm -o box/x --grid C=1,2 --folds 2", ["x"], ["x.tune.tsv"], {}),
    ("update o d.svm -o box/x", ["x"], [], {}),
    ("roc d.svm --splits 2 --save-path box/x -o box/y --plot box/z.svg", ["x", "y", "z.svg"], [], {}),
    ("pick p --cost-fn 1 --cost-fp 2 -o box/x", ["x"], [], {}),
    ("path d.svm --to 1 1 -o box/x", ["x"], [], {}),
    ("convert d.svm box/x.ney", ["x.ney"], [], {}),
    ("convert d.csv box/x.svm", ["x.svm"], [], {}),
    ("convert d.csv box/x.npz", ["x.npz"], [], {}),
    ("convert d.svm box/x.npy", ["x.npy"], [], {}),
    ("convert d.svm box/x-%d.ney --shards 2", ["x-0.ney", "x-1.ney"], [], {}),
    ("predict m d.svm -o box/x", ["x"], [], {}),
    ("predict m d.svm --scores -o box/x", ["x"], [], {}),
    ("evaluate --from-scores s.tsv --curve roc -o box/x --plot box/y.png", ["x", "y.png"], [], {}),
    ("evaluate m d.svm --plot box/y.pdf", ["y.pdf"], [], {}),
    ("report --from-scores s.tsv -o box/x", ["x"], [], {}),
    ("qvalues --from-scores s.tsv -o box/x", ["x"], [], {}),
    ("qvalues mp r.pin --results-psms box/x --decoy-results-psms box/y --results-peptides box/z -o box/w",
     ["x", "y", "z", "w"], [], {}),
    ("qvalues mp r.pin --entrapment protein1 --entrapment-curve box/x", ["x"], [], {}),
    ("certify s.tsv --model m --max-fpr 0.4 -o box/x", ["x"], [], {}),
    ("export m --format c -o box/x", ["x"], [], {}),
    ("export m --format c --header box/y.h -o box/x", ["x", "y.h"], [], {}),
    ("export m --format libsvm -o box/x", ["x"], [], {}),
    ("export mp --format percolator -o box/x", ["x"], [], {}),
    ("card m -o box/x", ["x"], [], {}),
    ("plan --max-fpr 0.1 --plot box/x.svg", ["x.svg"], [], {}),
    ("compare d.svm --max-fpr 0.4 -o box/x --plot box/y.svg", ["x", "y.svg"], [], {}),
    ("export m --format json -o box/x", ["x"], [], {}),
    ("export m --format onnx -o box/x", ["x"], [], {}),
    ("monitor o --max-fpr 0.4 --state box/st", ["st"], [], {"st": "st"}),
    ("monitor o --max-fpr 0.4 --state box/st -o box/x --window 20", ["x"], ["st"], {}),
    ("asymmetry d.svm --components 1 --save-mixture box/x -o box/y --plot box/z.svg", ["x", "y", "z.svg"], [], {}),
]
KINDS = ["fail", "short", "power"] + (["kill"] if int(os.environ.get("NEY_TEST_MULT", "1")) > 1 else [])

def read(path):
    return open(path, "rb").read() if os.path.exists(path) else None

class Case:
    def __init__(self, index):
        self.line, self.whole, self.own, self.first = WRITERS[index]
        self.home = f"w{index}"
        self.expected = set(self.whole) | set(self.own)
        os.makedirs(self.home)
        for name in ("d.svm", "d.csv", "s.tsv", "bad.tsv", "r.pin", "m", "mp", "o", "p"):
            os.symlink(f"../{name}", f"{self.home}/{name}")

    def box(self, name=""):
        return f"{self.home}/box/{name}"

    def begin(self):
        shutil.rmtree(self.box(), ignore_errors=True)
        os.makedirs(self.box())
        for name in self.whole:
            if name in self.first:
                shutil.copy(self.first[name], self.box(name))
            elif name != "st":
                write(self.box(name), "old\n")
        for name in self.own:
            if name in self.first:
                shutil.copy(self.first[name], self.box(name))
        self.old = {n: read(self.box(n)) for n in self.whole}

    def run(self, at=0, kind="fail"):
        env = dict(os.environ, SOURCE_DATE_EPOCH="1")
        if at:
            env |= {"LD_PRELOAD": os.environ["NEY_FAULT"], "NEY_FAULT_AT": str(at), "NEY_FAULT_KIND": kind,
                    "NEY_FAULT_MARK": "mark"}
        feed = open("bad.tsv" if "-o" in self.line else "good.tsv") if self.line.startswith("monitor") else subprocess.DEVNULL
        return subprocess.run(["neyman", *self.line.split(), "--threads", "1"], env=env, cwd=self.home, stdin=feed,
                              capture_output=True)

    def fail(self, r, why, at, kind):
        sys.exit(f"{self.line}\n{kind} at call {at}: {why}; exit {r.returncode}: {r.stderr.decode()}")

    def check(self, at, kind):
        """Returns whether the call was reached."""
        self.begin()
        r = self.run(at, kind)
        if not os.path.exists(f"{self.home}/mark"):
            return False
        os.remove(f"{self.home}/mark")
        now = {n: read(self.box(n)) for n in self.whole}
        for n in self.whole:
            if now[n] != self.old[n] and now[n] != self.new[n]:
                self.fail(r, f"{n} is neither the old nor the new file", at, kind)
        if kind in ("fail", "short"):
            if r.returncode in self.good and any(now[n] != self.new[n] for n in self.whole):
                self.fail(r, "success without the new files", at, kind)
            if r.returncode < 0:
                self.fail(r, "killed", at, kind)
            if r.returncode not in self.good and not r.stderr:
                self.fail(r, "no message", at, kind)
            if not set(os.listdir(self.box())) <= self.expected:
                self.fail(r, f"left behind: {os.listdir(self.box())}", at, kind)
        elif r.returncode != -signal.SIGKILL:
            self.fail(r, "not killed", at, kind)
        if kind in ("fail", "short") and not self.own:
            return True
        watching = "--state" in self.line  # the rows may be in the state already, and count twice
        if watching and "-o" in self.line:
            return True  # the state may be of the new model already
        r = self.run()
        if r.returncode not in (0, 6) or (r.returncode not in self.good and not watching):
            self.fail(r, "the next run fails", at, kind)
        if not set(os.listdir(self.box())) <= self.expected:
            self.fail(r, f"after the next run: {os.listdir(self.box())}", at, kind)
        for n in self.whole:
            if read(self.box(n)) != self.new[n] and not watching:
                self.fail(r, f"{n} differs after the next run", at, kind)
        return True

    def check_all(self):
        self.begin()
        r = self.run()
        self.good = {r.returncode}
        self.new = {n: read(self.box(n)) for n in self.whole}
        if r.returncode not in (0, 6) or None in self.new.values() or set(os.listdir(self.box())) != self.expected:
            self.fail(r, f"does not run: {os.listdir(self.box())}", 0, "nothing")
        points = 0
        for kind in KINDS:
            at = 1
            while self.check(at, kind):
                at += 1
                points += 1
            if at < (2 if kind == "short" else 5):
                self.fail(r, "hardly a call is watched", at, kind)
        return points

setup(f"train -q d.svm {ONLINE} -o o2 --checkpoint c --max-iter 40 || true")
shard, shards = map(int, os.environ.get("NEY_FAULT_SHARD", "0/1").split("/"))
cases = [Case(k) for k in range(len(WRITERS)) if k % shards == shard]
with ThreadPoolExecutor(2) as pool:
    points = list(pool.map(Case.check_all, cases))
print(f"{sum(points)} faults in {len(cases)} commands, {', '.join(KINDS)}")
PY
python3 check.py
