#!/usr/bin/env python3
"""snippets.py CC ROOT LIBRARY.so: compile and run the C code of README.md, doc/guides/c_api.md and doc/guides/serving.md.

A block of doc/guides/c_api.md that begins with #include stands at file level; every other one is the body of a
function. They run in their order, in a folder with the files that they name. A block of README.md is a program."""

import pathlib
import re
import subprocess
import sys
import tempfile

FLAGS = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# What the blocks must print, in this order.
EXPECTED = ["threshold ", "At most 10 % of negatives ('ham')", "member rows", '"rows":', "best C ", "At most 10 %", "row 7: score",
            "sparse scores", "stream: ", "positive from ", "best target: q ", "alarm at row ", "breakpoints: many, exact: yes",
            "train with gamma ", "input or output failed: missing.csv", "max-fpr (training): from 0 to 1",
            "request: "]


def blocks(path):
    return re.findall(r"^```c\n(.*?)^```", path.read_text(), flags=re.S | re.M)


def guide(*paths):
    """All blocks of the guides as one program."""
    found = [block for path in paths for block in blocks(path)]
    level = [block for block in found if block.startswith("#include")]
    bodies = [block for block in found if not block.startswith("#include")]
    text = "\n".join(level)
    for k, body in enumerate(bodies):
        text += f"\nstatic int step_{k}(void)\n{{\n{body}return 0;\n}}\n"
    calls = " || ".join(f"step_{k}()" for k in range(len(bodies)))
    return text + f"\nint main(void)\n{{\nreturn {calls};\n}}\n", len(bodies)


def write_data(folder, name, first, n):
    """Two overlapping classes, 'ham' and 'spam', from a small generator."""
    state, lines = first, ["label,a,b"]
    for i in range(n):
        state = (state * 1103515245 + 12345) % 2**31
        spam = i % 3 == 0
        lines.append(f"{'spam' if spam else 'ham'},{state % 1000 / 1000 + 0.6 * spam:.3f},{state // 1000 % 1000 / 1000:.3f}")
    (folder / name).write_text("\n".join(lines) + "\n")


def run(cc, root, library, folder, source):
    (folder / "snippet.c").write_text(source)
    where = pathlib.Path(library).parent
    subprocess.run([cc, *FLAGS, f"-I{root / 'include'}", "snippet.c", "-o", "snippet", str(library), f"-Wl,-rpath,{where}",
                    "-lm"], cwd=folder, check=True)
    done = subprocess.run(["./snippet"], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"snippets: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def main():
    cc, root, library = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_data(folder, "mail.csv", 1, 600)
        write_data(folder, "more.csv", 2, 600)
        for block in blocks(root / "README.md"):
            if "At most 10 % of negatives ('ham')" not in run(cc, root, library, folder, block):
                sys.exit("snippets: README.md: no guarantee was printed")
        others = [page for page in (root / "doc").rglob("*.md") if page.parent.name in ("guides", "concepts", "reference") and blocks(page)]
        if {page.stem for page in others} - {"c_api", "serving"}:
            sys.exit(f"snippets: C code of another page is not compiled: {others}")
        source, n = guide(root / "doc/guides/c_api.md", root / "doc/guides/serving.md")
        printed = run(cc, root, library, folder, source)
        at = 0
        for words in EXPECTED:
            found = printed.find(words, at)
            if found < 0:
                sys.exit(f"snippets: '{words}' was not printed in its place:\n{printed}")
            at = found
    print(f"snippets: {len(blocks(root / 'README.md'))} of README.md, {n} of the guides compiled and run")


if __name__ == "__main__":
    main()
