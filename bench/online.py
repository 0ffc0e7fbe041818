"""Online learning against the batch methods, on the shared sets and on a file of RCV1's size.

    online.py [quality] [features] [large] [memory]     default: all

NEY_LARGE names the file of RCV1's size (svmlight); without it `large` is passed over. Times are user
seconds of the whole command, reading included; rates are those of the test part."""
import json
import os
import pathlib
import resource
import subprocess
import sys

from common import NEYMAN, ROOT, WORK, run_json, table

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
MODEL = WORK / "online.model"


def train(data, *options):
    """User seconds and what the program told."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([NEYMAN, "train", "-q", "--json", *map(str, options), str(data), "-o", str(MODEL)],
                          capture_output=True, check=False)
    if done.returncode not in (0, 5):  # 5: stopped by its time, and says so
        sys.exit(done.stderr.decode())
    found = json.loads(done.stdout)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, found


def rates(data):
    e = run_json([NEYMAN, "evaluate", "-q", "--json", str(MODEL), str(data)])
    return e["fpr"], e["fnr"]


def both(title, sets, batch, online, alphas):
    rows = []
    for name in sets:
        data, test = SHARED / f"{name}.train.svm.gz", SHARED / f"{name}.test.svm.gz"
        if not data.exists():
            print(f"{data} is not there: passed over")
            continue
        for alpha in alphas:
            row = [name, f"{alpha:g}"]
            for options in (batch, online):
                seconds, _ = train(data, "--max-fpr", alpha, *options)
                fpr, fnr = rates(test)
                row += [f"{fpr:.4f}", f"{fnr:.4f}", f"{seconds:.2f}"]
            rows.append(row)
    table(title, ["set", "alpha", "fpr batch", "fnr batch", "s", "fpr online", "fnr online", "s"], rows)


def quality():
    both("linear: annealed against online", ("spambase", "page_blocks", "magic", "covtype_np", "rcv1"),
         ("--method", "annealed", "--max-time", 120), ("--method", "online"), (0.1, 0.05, 0.01))


def features():
    both("rbf: annealed against 1000 random features", ("magic",),
         ("--kernel", "rbf", "--method", "annealed", "--max-time", 300), ("--features", 1000), (0.1, 0.05))
    both("network of 20 units against linear online", ("spambase", "page_blocks", "magic"),
         ("--method", "online"), ("--network", 20), (0.1, 0.01))


def large():
    path = os.environ.get("NEY_LARGE")
    if not path:
        print("NEY_LARGE is not set: the large file is passed over")
        return
    rows = []
    for options in ((), ("--memory", 1)):
        seconds, o = train(path, "--max-fpr", 0.01, "--confidence", 0.95, "--method", "online", *options)
        rows.append([" ".join(map(str, options)) or "in memory", f"{seconds:.1f}", f"{o['seconds']:.1f}",
                     len(o["steps"]), f"{o['iterations'] / 1e6:.2f}", f"{o['fpr']:.4f}", f"{o['fnr']:.4f}"])
    table("781,265 rows, 47,236 columns, file to certified model",
          ["rows", "user s", "wall s", "epochs", "10^6 visits", "fpr", "fnr"], rows)


def memory():
    rows = []
    for n in (10**5, 10**6, 10**7):
        path = WORK / f"online-{n}.svm"
        subprocess.run(["awk", "-v", f"n={n}", """BEGIN { srand(1); for (i = 0; i < n; i++) { y = rand() < 0.3 ? 1 : -1
            printf "%d", y; for (j = 1; j <= 4; j++) printf " %d:%.2f", j, rand() + 0.1 * y; print "" } }"""],
                       stdout=open(path, "w"), check=True)
        cache = WORK / f"online-{n}.ney"
        subprocess.run([NEYMAN, "convert", "-q", str(path), str(cache)], check=True, stdout=subprocess.DEVNULL)
        path.unlink()
        child = subprocess.Popen([NEYMAN, "train", "-q", "--max-fpr", "0.05", "--confidence", "0.95", "--method",
                                  "online", "--epochs", "1", "--memory", "0.1", str(cache), "-o", str(MODEL)],
                                 stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        if status:
            sys.exit(f"training on {n} rows failed")
        cache.unlink()
        rows.append([f"{n}", f"{used.ru_maxrss / 1024:.0f}", f"{used.ru_utime:.1f}"])
    table("streamed from a cache", ["rows", "most memory, MB", "user s"], rows)


def main():
    parts = {"quality": quality, "features": features, "large": large, "memory": memory}
    for name in sys.argv[1:] or parts:
        parts[name]()


main()
