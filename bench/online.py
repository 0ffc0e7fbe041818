"""Online learning against the batch methods and two peers, on the shared sets and on a file of RCV1's size.

    online.py [quality] [certified] [features] [network] [large] [speed] [memory]     default: all

`large` and `speed` want the generated file of 0.9 GB, which `run.sh large` makes. Times are user seconds of
the whole command, reading included: machines that share their cores can repeat them. The FNR is that on the
test part at the threshold where its FPR equals the bound: it compares score functions, whatever their threshold."""
import bisect
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

from common import NEYMAN, ROOT, WORK, have, run_json, table, tool

try:
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import SGDClassifier
except ImportError:  # the peer is left out
    SGDClassifier = None

SHARED = pathlib.Path(os.environ.get("NEY_SHARED", ROOT.parent / "shared" / "data"))
MODEL = WORK / "online.model"
LARGE = WORK / "large-781265.svm"
SETS = ("spambase", "page_blocks", "magic", "covtype_np", "rcv1")


def train(data, *options):
    """User seconds and the result of the program."""
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


def plain(name, part):
    """A shared file, unpacked; None where it is not there."""
    packed, path = SHARED / f"{name}.{part}.svm.gz", WORK / f"{name}.{part}.svm"
    if not packed.exists():
        print(f"{packed} is not there: passed over")
        return None
    if not path.exists():
        with gzip.open(packed) as source, open(path, "wb") as to:
            shutil.copyfileobj(source, to)
    return path


def misses(positive, negative, alpha):
    """FNR at the threshold where the FPR is alpha."""
    negative, positive = sorted(negative), sorted(positive)
    threshold = negative[len(negative) - 1 - int(alpha * len(negative))]
    return bisect.bisect_right(positive, threshold) / len(positive)


def misses_of(model, data, alpha):
    lines = subprocess.run([NEYMAN, "predict", "-q", "--scores", str(model), str(data)], capture_output=True,
                           check=True).stdout.decode().splitlines()
    at = {name: k for k, name in enumerate(lines[0].split("\t"))}
    rows = [line.split("\t") for line in lines[1:]]
    scores = {True: [], False: []}
    for row in rows:
        scores[float(row[at["label"]]) > 0].append(float(row[at["score"]]))
    return misses(scores[True], scores[False], alpha)


def liblinear(name, alpha):
    """C and the weight of negatives chosen on the validation part; the time is that of one fit."""
    best, model = None, WORK / "online.liblinear"
    for c in (0.01, 0.1, 1, 10):
        for weight in (1, 5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run(["liblinear-train", "-q", "-s", "3", "-B", "1", "-c", str(c), "-w-1", str(weight),
                            str(plain(name, "train")), str(model)], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            found = misses_of(model, plain(name, "valid"), alpha)
            if best is None or found < best[0]:
                best = found, misses_of(model, plain(name, "test"), alpha), seconds
    return best[1:]


def sgd(name, alpha, loaded={}):
    """alpha and the weight of negatives chosen on the validation part; the time is that of one fit, without
    reading."""
    if name not in loaded:
        loaded.clear()
        x, y = load_svmlight_file(str(plain(name, "train")))
        loaded[name] = (x, y, *load_svmlight_file(str(plain(name, "valid")), n_features=x.shape[1]),
                        *load_svmlight_file(str(plain(name, "test")), n_features=x.shape[1]))
    x, y, xv, yv, xt, yt = loaded[name]
    best = None
    for regular in (1e-6, 1e-5, 1e-4, 1e-3):
        for weight in (1, 5):
            begin = time.process_time()
            fit = SGDClassifier(alpha=regular, class_weight={-1: weight, 1: 1}, average=True, max_iter=20,
                                tol=None, random_state=1).fit(x, y)
            seconds = time.process_time() - begin
            valid, test = fit.decision_function(xv), fit.decision_function(xt)
            found = misses(list(valid[yv > 0]), list(valid[yv < 0]), alpha)
            if best is None or found < best[0]:
                best = found, misses(list(test[yt > 0]), list(test[yt < 0]), alpha), seconds
    return best[1:]


def both(title, sets, batch, online, alphas, peers=()):
    rows = []
    for name in sets:
        if plain(name, "train") is None:
            continue
        for alpha in alphas:
            row = [name, f"{alpha:g}"]
            for options in (batch, online):
                seconds, _ = train(plain(name, "train"), "--confidence", "none", "--max-fpr", alpha, *options)
                row += [f"{misses_of(MODEL, plain(name, 'test'), alpha):.4f}", f"{seconds:.2f}"]
            for peer in peers:
                found, seconds = peer(name, alpha)
                row += [f"{found:.4f}", f"{seconds:.2f}"]
            rows.append(row)
    heads = ["LIBLINEAR", "s", "SGD", "s"][:2 * len(peers)]
    table(title, ["set", "FPR bound", "batch", "s", "online", "s", *heads], rows)


def quality():
    peers = ([liblinear] if have("liblinear-train") else []) + ([sgd] if SGDClassifier else [])
    both("linear, FNR at FPR = bound: annealed, online (both with C 1), tuned LIBLINEAR, tuned scikit-learn SGD",
         SETS, ("--method", "annealed", "--max-time", 120), ("--method", "online"), (0.1, 0.05, 0.01), peers)


def certified():
    """FPR and FNR on the test part with a certified threshold."""
    rows = []
    for name in SETS:
        if plain(name, "train") is None:
            continue
        for alpha in (0.1, 0.05):
            row = [name, f"{alpha:g}"]
            for method in ("annealed", "online"):
                train(plain(name, "train"), "--max-fpr", alpha, "--confidence", 0.95, "--method", method,
                      "--max-time", 120)
                row += [f"{rate:.4f}" for rate in rates(plain(name, "test"))]
            rows.append(row)
    table("certified with confidence 0.95, rates on the test part",
          ["set", "FPR bound", "FPR batch", "FNR batch", "FPR online", "FNR online"], rows)


def features():
    """Random features against the batch rbf solver on the same rows, C and gamma: means over seeds, which draw
    the features and the order of rows."""
    seeds, rows = range(1, 6), []
    for name in ("magic", "covtype_np"):
        if plain(name, "train") is None:
            continue
        for alpha in (0.1, 0.05):
            seconds, _ = train(plain(name, "train"), "--confidence", "none", "--max-fpr", alpha, "--kernel", "rbf", "--method", "annealed")
            batch = misses_of(MODEL, plain(name, "test"), alpha)
            rows.append([name, f"{alpha:g}", "batch rbf", f"{batch:.4f}", "", f"{seconds:.2f}", "1"])
            for how in ((500,), (1000,), (2000,), (1000, "--epochs", 2), (2000, "--epochs", 2)):
                runs = [(train(plain(name, "train"), "--confidence", "none", "--max-fpr", alpha, "--seed", seed, "--features", *how)[0],
                         misses_of(MODEL, plain(name, "test"), alpha)) for seed in seeds]
                mean = sum(run[1] for run in runs) / len(runs)
                used = sum(run[0] for run in runs) / len(runs)
                rows.append([name, f"{alpha:g}", "features " + " ".join(map(str, how)), f"{mean:.4f}",
                             f"{mean - batch:+.4f}", f"{used:.2f}", f"{used / seconds:.3f}"])
    table("rbf, FNR at FPR = bound: annealed against random features, means of five seeds",
          ["set", "FPR bound", "how", "FNR", "more", "user s", "of batch"], rows)
    both("linear online against a network of 20 units", ("spambase", "page_blocks", "magic"),
         ("--method", "online"), ("--network", 20), (0.1, 0.01))


def network():
    """Batches of a network: misses, the mean of three rates and three seeds, and user seconds of one fit by one
    thread, reading included, for a fixed number of passes."""
    rows, sizes = [], (1, 16, 32, 64, 128)
    for name, passes in (("spambase", 20), ("page_blocks", 20), ("magic", 20), ("psm", 20), ("covtype_np", 4)):
        if plain(name, "train") is None:
            continue
        for units in (5, 16, 64, 256):
            row = [name, units]
            for size in sizes:
                found = []
                for alpha in (0.1, 0.05, 0.01):
                    for seed in (1, 2, 3):
                        seconds, _ = train(plain(name, "train"), "--confidence", "none", "--max-fpr", alpha, "--network", units, "--batch", size,
                                           "--scale", "standard", "--epochs", passes, "--seed", seed, "--threads", 1)
                        found.append((misses_of(MODEL, plain(name, "test"), alpha), seconds))
                row.append(" ".join(f"{sum(part) / len(found):.3f}" for part in zip(*found)))
            rows.append(row)
    table("networks, rows a batch: FNR at FPR = bound (mean of bounds 0.1, 0.05, 0.01) and seconds",
          ["set", "units", *(f"{size} rows" for size in sizes)], rows)


def large():
    if not LARGE.exists():
        print(f"{LARGE} is not there: passed over")
        return
    rows = []
    for options in ((), ("--threads", 1), ("--memory", 100)):
        begin = time.monotonic()
        seconds, o = train(LARGE, "--max-fpr", 0.01, "--confidence", 0.95, "--method", "online", *options)
        rows.append([" ".join(map(str, options)) or "in memory", f"{seconds:.1f}",
                     f"{time.monotonic() - begin:.1f}", len(o["steps"]), f"{o['iterations'] / 1e6:.2f}",
                     f"{o['fpr']:.4f}", f"{o['fnr']:.4f}"])
    table("781,265 rows, 47,236 columns, file to certified model",
          ["rows", "user s", "wall s", "epochs", "10^6 visits", "fpr", "fnr"], rows)


def learning(threads):
    """10^6 entries per second of the thread that learns and of the one that loads windows, each by its own processor time, over six
    passes; those of the best of three runs, which says them."""
    best = (0, 0)
    for _ in range(3):
        done = subprocess.run([NEYMAN, "train", "-v", "--confidence", "none", "--max-fpr", "0.01", "--method", "online", "--epochs", "6",
                               "--threads", str(threads), str(LARGE), "-o", str(MODEL)], capture_output=True, check=True)
        found = re.search(r"entries, ([0-9.e+]+) million per second, loaded at ([0-9.e+]+)", done.stderr.decode())
        best = max(best, (float(found.group(1)), float(found.group(2))))
    return best


def speed():
    """An entry is a column number and a value, four bytes each: no learner that reads it once a pass can be faster
    than these eight bytes come from memory. Weights are not counted: they stay in the caches."""
    if not LARGE.exists():
        print(f"{LARGE} is not there: passed over")
        return
    limit = run_json([tool("bench_memory")])
    rows = []
    for threads in (1, 2):
        found, loaded = learning(threads)
        rows.append([threads, f"{found:.0f}", f"{loaded:.0f}", f"{limit['read'] / 8e6:.0f}", f"{limit['copied'] / 8e6:.0f}",
                     f"{limit['read'] / 8e6 / found:.1f}"])
    table("10^6 entries per second of one thread: learned, loaded, and what memory gives at 8 bytes each",
          ["threads", "learned", "loaded", "read", "copied", "read / learned"], rows)


def memory():
    rows, some, part = [], 10**5, WORK / "online-rows.svm"
    subprocess.run(["awk", "-v", f"n={some}", """BEGIN { srand(1); for (i = 0; i < n; i++) { y = rand() < 0.3 ? 1 : -1
        printf "%d", y; for (j = 1; j <= 4; j++) printf " %d:%.2f", j, rand() + 0.1 * y; print "" } }"""],
                   stdout=open(part, "w"), check=True)
    for n in (10**5, 10**6, 10**7):  # the same rows over and over
        cache = WORK / f"online-{n}.ney"
        with subprocess.Popen([NEYMAN, "convert", "-q", "-", str(cache)], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL) as convert:
            for _ in range(n // some):
                convert.stdin.write(part.read_bytes())
            convert.stdin.close()
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
    parts = {"quality": quality, "certified": certified, "features": features, "network": network,
             "large": large, "speed": speed, "memory": memory}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
