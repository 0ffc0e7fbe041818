#!/usr/bin/env python3
"""check_exports.py NM ROOT LIBRARY.so OBJECT:OBJECT:...: one list of public functions.

The headers' declarations, libneyman.map and the shared library's symbols must be the same set, with
the same division: functions declared with NEY_API stand in nodes NEYMAN_<version>, those declared with
NEY_EXPERIMENTAL in the node NEYMAN_EXPERIMENTAL and in the headers of include/neyman/experimental. The
program (whose objects come last) must need no other name of the library.

check_exports.py --write ROOT: make the last stable node and the experimental node of libneyman.map
agree with the headers."""

import pathlib
import re
import subprocess
import sys

from modules import declared_names, experimental_names, public_names, stable_names

EXPERIMENTAL = "NEYMAN_EXPERIMENTAL"


def symbols(nm, *arguments):
    """{name: version}; the version is "" where the symbol has none."""
    out = subprocess.run([nm, "-P", *arguments], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    names = (line.split()[0] for line in out.splitlines() if line.strip() and ":" not in line)
    return {name: version for name, _, version in (re.sub("@+", "@", name).partition("@") for name in names)}


def map_nodes(root):
    """[(node, [names])] in the order of libneyman.map."""
    text = re.sub(r"/\*.*?\*/|#[^\n]*", "", (root / "libneyman.map").read_text(), flags=re.S)
    return [(node, re.findall(r"\b(ney_\w+)\s*;", body))
            for node, body in re.findall(r"(\w[\w.]*)\s*\{(.*?)\}", text, flags=re.S)]


def write_map(root):
    path = root / "libneyman.map"
    text = path.read_text()
    nodes = map_nodes(root)
    newest = [node for node, _ in nodes if node != EXPERIMENTAL][-1]
    older = {name for node, names in nodes if node not in (newest, EXPERIMENTAL) for name in names}
    for node, names in ((newest, stable_names(root) - older), (EXPERIMENTAL, experimental_names(root))):
        lines = "".join(f"    {name};\n" for name in sorted(names))
        text = re.sub(r"(?m)^(%s \{\nglobal:\n)(?:    ney_\w+;\n)*" % re.escape(node),
                      lambda match, lines=lines: match.group(1) + lines, text)
    path.write_text(text)


def problems(root, exported, needed, own):
    """What disagrees. @param exported  {name: version} @param own  names of the program itself"""
    header = public_names(root)
    listed = [(name, node) for node, names in map_nodes(root) for name in names]
    in_map = dict(listed)
    for name in sorted({name for name, _ in listed if [n for n, _ in listed].count(name) > 1}):
        yield f"{name}: twice in libneyman.map"
    for what, names in (
            ("declared with NEY_API, in the node NEYMAN_EXPERIMENTAL",
             {name for name in stable_names(root) if in_map.get(name) == EXPERIMENTAL}),
            ("declared with NEY_EXPERIMENTAL, in a stable node",
             {name for name in experimental_names(root) if in_map.get(name, EXPERIMENTAL) != EXPERIMENTAL}),
            ("declared with NEY_EXPERIMENTAL outside include/neyman/experimental",
             experimental_names(root) - declared_names(root, "NEY_EXPERIMENTAL", "include/neyman/experimental")),
            ("declared with NEY_API in include/neyman/experimental",
             declared_names(root, "NEY_API", "include/neyman/experimental")),
            ("exported with another version than its node",
             {name for name, version in exported.items()
              if version and name in in_map and version != in_map[name]}),
            ("declared in a header, missing in libneyman.map", header - set(in_map)),
            ("in libneyman.map, not declared in a header", set(in_map) - header),
            ("declared in a header, not exported: undefined or hidden", header - set(exported)),
            ("exported, not declared in a header", set(exported) - header),
            ("used by the program, not public", needed - header - own)):
        yield from (f"{name}: {what}" for name in sorted(names))
    if not header:
        yield "no NEY_API function found in the headers"


def main():
    if sys.argv[1] == "--write":
        return write_map(pathlib.Path(sys.argv[2]))
    nm, root, library = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    objects = sys.argv[4].split(":")
    exported = {name: version for name, version in symbols(nm, "-D", "--defined-only", library).items()
                if not name.startswith("NEYMAN_")}
    needed = {name for name in symbols(nm, "-u", *objects) if name.startswith("ney_")}
    bad = list(problems(root, exported, needed, set(symbols(nm, "--defined-only", *objects))))
    print("\n".join(bad) or f"exports: {len(stable_names(root))} stable functions, "
                            f"{len(experimental_names(root))} experimental")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
