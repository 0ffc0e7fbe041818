#!/usr/bin/env python3
"""check_options.py ROOT NEYMAN: fail if an option of a command is explained in no page, or if a page names one that no command has.

The pages are those for users, without the reference that scripts/docs writes from the option tables: an option that is in
these tables alone has a line of help, but nothing says when to use it."""

import json
import pathlib
import re
import subprocess
import sys

from check_commands import user_pages

# Options of other programs that pages compare with those of neyman.
OTHERS = re.compile(r"^\|.*\|.*\|$|percolator|Percolator|mokapot|cmake|ctest|chromium|bench/|--prefix|tests/|python3 |pip |pkg-config|\./run |--hostfile|#SBATCH|srun ")
OPTION = re.compile(r"(?<![\w-])--([A-Za-z][a-z0-9-]*)")


def main():
    root, neyman = pathlib.Path(sys.argv[1]), sys.argv[2]
    commands = json.loads(subprocess.run([neyman, "help", "--json"], check=True, capture_output=True, text=True).stdout)["commands"]
    options = {}
    for command in commands:
        for option in command["options"]:
            options.setdefault(option["name"], []).append(command["name"])
    named = {}
    for page in user_pages(root):
        for number, line in enumerate(page.read_text().split("\n"), 1):
            for name in OPTION.findall(line):
                named.setdefault(name, []).append((f"{page.relative_to(root)}:{number}", line))
    wrong = [f"--{name} ({', '.join(where)}): in no page" for name, where in sorted(options.items()) if name not in named]
    wrong += [f"{where}: --{name} is an option of no command" for name, places in sorted(named.items()) if name not in options
              for where, line in places if not OTHERS.search(line)]
    print("\n".join(wrong) or f"{len(options)} options of {len(commands)} commands, each in a page")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
