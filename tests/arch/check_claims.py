#!/usr/bin/env python3
"""check_claims.py ROOT: fail if the program prints a JSON key that doc/claims.md does not mention.

A key is what a person or a script relies on; the page says what each one claims and why it is true.
Also fails if a section of the page is empty, or if a test or a source file that the page names does not
exist."""

import pathlib
import re
import sys

from result_keys import result_keys

MENTION = re.compile(r"`([^`\n]+)`")
TEST = re.compile(r"\b((?:unit|property|cli|alloc|fuzz|arch)\.[a-z_]+(?:\.[a-z_]+)*)\b")

SOURCE = re.compile(r"`([a-z0-9_/]+\.[ch])`")

# What describes the program itself, not a result: `help --json`, error objects, model files.
DESCRIPTIVE = {"arg", "called", "choices", "code", "commands", "default", "description", "flag", "help",
               "kind", "message", "name", "options", "required", "status", "summary", "usage", "version",
               "applies_to", "details", "everyday", "heading", "list"}
# Of the library that tests/abi builds.
EXTRA = {"test_extra"}


def source_exists(root, name):
    return (root / name).exists() or (root / "src" / name).exists() or \
        ("/" not in name and any((root / "src").rglob(name)))


def test_exists(root, name):
    kind, rest = name.split(".", 1)
    if kind == "cli":
        case = root / "tests/cli" / rest.replace(".", "/")
        return case.is_dir() or case.with_suffix(".sh").exists()
    if kind == "arch":
        return (root / "tests/arch" / f"check_{rest}.py").exists() or rest == "self"
    prefix = {"unit": "test", "property": "prop", "alloc": "alloc", "fuzz": "fuzz"}[kind]
    return (root / "tests" / kind / f"{prefix}_{rest}.c").exists()


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "doc/claims.md").read_text()
    mentioned = {word for span in MENTION.findall(page) for word in re.findall(r"\w+", span)}
    keys = result_keys(root, ["cli", "src"])
    bad = [f"{where}: the key \"{key}\" has no line in doc/claims.md"
           for key, where in keys.items() if key not in mentioned | DESCRIPTIVE | EXTRA]
    sections = re.split(r"^## (.*)$", page, flags=re.M)[1:]
    bad += [f"doc/claims.md: section \"{title}\" is empty"
            for title, text in zip(sections[::2], sections[1::2]) if not text.strip()]
    bad += [f"doc/claims.md: there is no test {name}"
            for name in sorted(set(TEST.findall(page))) if not test_exists(root, name)]
    bad += [f"doc/claims.md: there is no file {name}"
            for name in sorted(set(SOURCE.findall(page))) if not source_exists(root, name)]
    print("\n".join(bad) or f"claims: {len(keys)} keys, all of them mentioned")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
