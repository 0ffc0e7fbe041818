#!/usr/bin/env python3
"""check_request.py ROOT: fail where code looks at raw options to find out which goal, method or
family is asked for. src/learn/request.c resolves them once; the rest reads the request."""

import pathlib
import re
import sys

from modules import c_files, without_comments

# Where options are resolved, where a goal says which options ask for it, and where values of
# options are copied (metadata, hashes, a model's own goal).
ALLOWED = {"learn/request.c", "learn/option_uses.c", "learn/rejection.c", "learn/rate.c",
           "learn/batch/both_rates.c", "learn/fdr/fdr.c", "learn/fdr/train.c",
           "learn/online/update.c", "select/fold_results.c"}
MODULES = ["learn", "select", "path", "theory"]

GOAL = re.compile(r"\b(?:o|opts|train|best)(?:->|\.)(max_f[pnd]r|reject_cost\w*)\b")
METHOD = re.compile(r"(?:->|\.)method\s*[!=]=\s*NEY_METHOD_(?!AUTO)\w+")


def complaints(root):
    for module in MODULES:
        for path in c_files(root / "src" / module):
            name = path.relative_to(root / "src").as_posix()
            for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
                goal = GOAL.search(line) if name not in ALLOWED else None
                found = goal or METHOD.search(line)
                if found:
                    yield f"{path}:{number}: reads {found.group(0)}; ask a ney_request"


def main():
    bad = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(bad) or "requests: options are resolved in one place")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
