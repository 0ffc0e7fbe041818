#!/usr/bin/env python3
"""check_abi.py CC ROOT: the stable headers keep what 1.0 promised.

tests/abi/1.0.txt lists every stable function with its types, every struct with the size and offset of each
member, and every enumerator with its value, as a 64-bit compiler sees them. A line that changes or goes is
a break of the promise; new lines need `check_abi.py --write CC ROOT` (`make exports`). On other machines only
the functions are compared."""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "arch"))
from modules import without_comments  # noqa: E402

# The library allocates these, or writes them with the caller's size: they may grow at the end.
MAY_GROW = {"ney_progress", "ney_step", "ney_roc", "ney_curve", "ney_asymmetry_limit", "ney_option_info"}


def declarations(root):
    """The stable headers as one text without comments and preprocessor lines."""
    headers = sorted((root / "include/neyman").glob("*.h"))
    text = without_comments("\n".join(header.read_text() for header in headers))
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def plain(text):
    """One space between words, none inside brackets and after stars."""
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s*([(),*\[\]])\s*", r"\1", text).replace(",", ", ")


def prototype(text):
    """A declaration without attributes and names of parameters."""
    head, parameters = re.fullmatch(r"(.*?)\((.*)\)", plain(re.sub(r"\bNEY_\w+\b(\([^)]*\))?(?!\])", " ", text))).groups()
    types = [re.sub(r"(?<=[ *])\w+((?:\[\w*\])*)$", r"\1", one).strip() for one in parameters.split(", ")]
    return f"function {head}({', '.join(types)})"


def functions(text):
    return sorted(prototype(one) for one in re.findall(r"\bNEY_API\b([^;{]*?\bney_\w+\s*\([^;]*);", text))


def members(body):
    """Names of the members of a struct, those of function pointers and arrays included."""
    for declaration in filter(None, (plain(part) for part in body.split(";"))):
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        if pointer:
            yield pointer.group(1)
        else:
            yield from (re.search(r"(\w+)(?:\[[^\]]*\])*$", part).group(1)
                        for part in declaration.split(", "))


def structs(text):
    return [(name, list(members(body)))
            for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\}\s*\1;", text, flags=re.S)]


def enumerators(text):
    bodies = re.findall(r"(?:typedef )?enum(?: \w+)? \{(.*?)\}", text, flags=re.S)
    names = [word for body in bodies for word in re.findall(r"\bNEY_[A-Z0-9_]+\b(?=\s*(?:=|,|$))", body.strip())]
    return names + ["NEY_OK", "NEY_ENOMEM", "NEY_EINVAL", "NEY_EIO", "NEY_EPARSE", "NEY_EFORMAT", "NEY_ENUMERIC",
                    "NEY_ECANCELLED", "NEY_EGOAL"]


def layout(cc, root, text):
    """Lines about structs and enumerators, from a compiled program; None unless pointers have 64 bits."""
    lines = ['if (sizeof(void *) != 8) { return 3; }']
    for name, fields in structs(text):
        if name not in MAY_GROW:
            lines.append(f'printf("struct {name} %zu\\n", sizeof({name}));')
        lines += [f'printf("member {name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                  f'sizeof((({name} *)0)->{field}));' for field in fields if field != "reserved"]
    lines += [f'printf("enum {name} %d\\n", (int){name});' for name in enumerators(text)]
    source = ("#include <neyman/neyman.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) +
              "\nreturn 0;\n}\n")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "layout.c").write_text(source)
        subprocess.run([cc, "-std=c11", f"-I{root / 'include'}", str(path / "layout.c"), "-o", str(path / "layout")],
                       check=True)
        run = subprocess.run([str(path / "layout")], text=True, stdout=subprocess.PIPE, check=False)
    return None if run.returncode == 3 else run.stdout.splitlines()


def problems(promised, found):
    """What breaks the promise, then what is not promised yet."""
    for line in promised:
        if line not in found:
            yield f"broken: {line}"
    for line in found:
        if line not in promised:
            yield f"new, not in tests/abi/1.0.txt: {line} (make exports)"


def main():
    write = sys.argv[1] == "--write"
    cc, root = sys.argv[1 + write], pathlib.Path(sys.argv[2 + write])
    golden = root / "tests/abi/1.0.txt"
    text = declarations(root)
    shapes = layout(cc, root, text)
    found = functions(text) + (shapes or [])
    if write:
        if shapes:
            golden.write_text("\n".join(found) + "\n")
        return 0
    promised = [line for line in golden.read_text().splitlines() if shapes or line.startswith("function ")]
    bad = list(problems(promised, found))
    rules = (root / "VERSIONING.md").read_text()
    bad += [f"VERSIONING.md does not say how {name} can grow" for name, _ in structs(text) if f"`{name}`" not in rules]
    print("\n".join(bad) or f"abi: {len(functions(text))} functions, {len(structs(text))} structs, "
                            f"{len(enumerators(text))} enumerators as promised")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
