#!/bin/sh
# train and qvalues keep near --memory where they take twice as much without it, and give the same results. Not
# under a sanitizer, which needs more memory for itself.
set -eu
test "${NEY_TEST_SHARE:-1}" -eq 1 || exit 77
test -r /proc/self/statm || exit 77
command -v python3 > /dev/null || exit 77
mkdir box
TMPDIR=$PWD/box python3 -B - "$DATA/psm.pin.gz" <<'PY'
import gzip, os, subprocess, sys
COPIES, LIMIT_MB, MOST_MB = 50, 50, 80  # a thread on a busy machine is late at times: the better of two runs

def peak(*args):
    child = subprocess.Popen(["neyman", *args, "-q"], stdout=subprocess.DEVNULL)
    _, status, use = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{args}: exit {child.returncode}")
    return use.ru_maxrss * 1024 / 1e6

with gzip.open(sys.argv[1], "rt") as source, open("rows.pin", "w") as out:
    header = next(source)
    rows = [r.split("\t") for r in source if not r.startswith("DefaultDirection")]
    scan = header.rstrip("\n").split("\t").index("ScanNr")
    out.write(header)
    for copy in range(COPIES):
        for row in rows:
            out.write("\t".join(row[:scan] + [f"{copy}{row[scan]:>07}"] + row[scan + 1:]))
for name, command in (("model", ["train", "--max-fdr", "0.01", "--training-rows", "2000", "rows.pin"]),
                      ("rows", ["qvalues", "plain.model", "rows.pin"])):
    free = peak(*command, "-o", f"plain.{name}")
    held = min(peak(*command, "-o", f"held.{name}", "--memory", str(LIMIT_MB)) for _ in range(2))
    print(f"{command[0]}: {free:.0f} MB, with a limit of {LIMIT_MB} MB {held:.0f} MB")
    if free < 1.3 * MOST_MB or held > MOST_MB:
        sys.exit(f"expected more than {1.3 * MOST_MB:g} MB and at most {MOST_MB} MB")
    if open(f"plain.{name}", "rb").read() != open(f"held.{name}", "rb").read():
        sys.exit("other results")
PY
