"""Reading data: neyman against LIBLINEAR and scikit-learn on one svmlight file, and the cache.

LIBLINEAR has no command that only reads, so `liblinear-train` is given a tolerance that ends it
after its first pass: its time is that of reading and about a tenth of a second.
"""
import time

import common
from common import NEYMAN, have, interleaved, run, run_json, table, tool

ROWS = 400000


def seconds_of_sklearn(path):
    from sklearn.datasets import load_svmlight_file

    begin = time.monotonic()
    load_svmlight_file(str(path))
    return time.monotonic() - begin


def readers(path):
    jobs = {
        "neyman": lambda: run_json([tool("bench_read"), str(path)])["seconds"],
        "neyman, 1 thread": lambda: run_json([tool("bench_read"), str(path), "1"])["seconds"],
    }
    if have("liblinear-train"):
        jobs["LIBLINEAR"] = lambda: run(
            ["liblinear-train", "-q", "-s", "3", "-e", "1e9", str(path), "/dev/null"])[0]
    try:
        import sklearn  # noqa: F401

        jobs["scikit-learn"] = lambda: seconds_of_sklearn(path)
    except ImportError:
        pass
    jobs["plain reading"] = lambda: plain(path)
    medians = interleaved(jobs)
    megabytes = path.stat().st_size / 1e6
    ours = medians["neyman"]
    table(f"reading {megabytes:.0f} MB of svmlight text (medians of {common.RUNS})",
          ["reader", "seconds", "MB/s", "neyman is faster by"],
          [[name, f"{s:.3f}", f"{megabytes / s:.0f}", f"{s / ours:.1f}"]
           for name, s in medians.items()])


def plain(path):
    begin = time.monotonic()
    buffer = bytearray(1 << 20)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass
    return time.monotonic() - begin


def memory(path):
    info = run_json([tool("bench_read"), str(path)])
    arrays, peak = info["array_bytes"] / 1e6, info["peak_bytes"] / 1e6
    print(f"\nmemory: arrays {arrays:.1f} MB, peak of the process {peak:.1f} MB, "
          f"ratio {peak / arrays:.2f}")


def cache(path):
    target = path.with_suffix(".ney")
    seconds, _ = run([str(NEYMAN), "convert", "-q", str(path), str(target)])
    opened = interleaved({"open": lambda: run_json([tool("bench_read"), str(target)])["open_seconds"],
                          "load": lambda: run_json([tool("bench_read"), str(target)])["seconds"]})
    print(f"cache: made in {seconds:.2f} s, {target.stat().st_size / 1e6:.0f} MB, "
          f"opens in {1e3 * opened['open']:.2f} ms, loads in {opened['load']:.3f} s")
    target.unlink()


small = common.generated("sparse.svm", ROWS, 47236, 75)
readers(small)
memory(small)
cache(small)
large = common.generated("large.svm", 1500000, 47236, 75)
cache(large)
