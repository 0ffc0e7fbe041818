"""The modules as ARCHITECTURE.md lists them, for the checks beside this file."""

import pathlib
import re

# A module may include itself and the modules before it.
MODULES = ["base", "comm", "linalg", "data", "kernel", "qp", "decide", "model", "learn", "path",
           "theory", "select"]

# Folders of a module, in the order in which they may include each other.
SUBFOLDERS = {"learn": ["batch", "baseline", "online", "trees", "fdr"]}

# These see the public headers and nothing else of the library.
OUTSIDE = ["cli", "mpi", "python", "bench", "examples"]

C_FILES = ("*.c", "*.h", "*.cpp", "*.hpp")


def c_files(folder):
    """Every C or C++ file below a folder, in a stable order; none if there is no such folder."""
    return sorted(f for pattern in C_FILES for f in pathlib.Path(folder).rglob(pattern))


def without_comments(text):
    """C text with its comments blanked out and its line numbers kept."""
    def blank(match):
        found = match.group(0)
        return found if found[0] == '"' else re.sub(r"[^\n]", " ", found)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def declared_names(root, macro, folder="include/neyman"):
    """The functions declared with a macro, NEY_API or NEY_EXPERIMENTAL, in the headers of a folder
    and the folders below."""
    headers = sorted((pathlib.Path(root) / folder).rglob("*.h"))
    text = without_comments("\n".join(header.read_text() for header in headers))
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    return set(re.findall(r"\b%s\b[^;(]*?\b(ney_\w+)\s*\(" % macro, text))


def stable_names(root):
    """The functions that VERSIONING.md promises to keep."""
    return declared_names(root, "NEY_API")


def experimental_names(root):
    """The functions that any release may change."""
    return declared_names(root, "NEY_EXPERIMENTAL")


def public_names(root):
    """All exported functions."""
    return stable_names(root) | experimental_names(root)
