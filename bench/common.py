"""What the benchmarks share: running programs, medians, generated files."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
NEYMAN = BUILD / "bin" / "neyman"
WORK = pathlib.Path(os.environ.get("NEY_BENCH_DIR", ROOT / "build" / "bench-data"))
RUNS = int(os.environ.get("NEY_BENCH_RUNS", "3"))
# For trying a benchmark out: no set has more rows than this.
MOST_ROWS = int(os.environ.get("NEY_BENCH_MOST_ROWS", "0")) or None


def tool(name):
    return str(BUILD / "bench" / name)


def run(command, codes=(0,)):
    """Seconds and output of a program, which must exit with one of the codes."""
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.communicate()
        seconds = time.monotonic() - begin
    if process.returncode not in codes:
        sys.exit(f"{' '.join(map(str, command))}: exit {process.returncode}\n{err.decode()}")
    return seconds, out.decode()


def measure(command, codes=(0,)):
    """Wall-clock and processor seconds, peak bytes and output of a program."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        sys.exit(f"{' '.join(map(str, command))}: exit {process.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out.decode()


def run_json(command):
    return json.loads(run(command)[1])


def have(program):
    return shutil.which(program) is not None


def made(name, command):
    """The output of a program as a file, made once and read into the page cache: the disk is not
    what is measured."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / name
    if not path.exists():
        print(f"making {name} ...", flush=True)
        part = path.with_suffix(".part")
        with open(part, "wb") as out:
            subprocess.run([str(word) for word in command], stdout=out, check=True)
        part.rename(path)
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass
    return path


def generated(name, rows, cols, entries, seed=1):
    """A sparse svmlight file."""
    return made(name, [tool("bench_generate"), rows, cols, entries, seed])


def interleaved(jobs):
    """Medians of RUNS runs of each job, taken in turns so that a noisy minute hits all alike."""
    results = {name: [] for name in jobs}
    for _ in range(RUNS):
        for name, job in jobs.items():
            results[name].append(job())
    return {name: statistics.median(values) for name, values in results.items()}


def times(commands, codes=(0,)):
    """Medians of the wall-clock and processor seconds of commands, taken in turns."""
    wall, processor = ({name: [] for name in commands} for _ in range(2))
    for _ in range(RUNS):
        for name, command in commands.items():
            seconds, spent, _, _ = measure(command, codes)
            wall[name].append(seconds)
            processor[name].append(spent)
    return [{name: statistics.median(values) for name, values in kind.items()} for kind in (wall, processor)]


def table(title, header, rows):
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        print("  " + "  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
