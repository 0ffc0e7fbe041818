#!/usr/bin/env python3
"""check_links.py ROOT: fail if a link of a documentation page, or a page that a source names, does not exist.

Checked are the relative links of all Markdown pages, with the heading that follows a `#`, and paths like doc/concepts/np.md in
pages and C sources. Addresses of other sites are not opened."""

import pathlib
import re
import sys

from modules import c_files

LINK = re.compile(r"\[[^\]\n]*\]\(([^()\s]+)\)")
PAGE = re.compile(r"(?<![\w./-])((?:doc|bench)/[\w/.-]+\.md)\b")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
FOLDERS = ["doc", "bench", "data", "tests", "examples", "python"]


def pages_of(root):
    nested = (path for folder in FOLDERS for path in (root / folder).rglob("*.md"))
    return sorted([*root.glob("*.md"), *nested])


def without_blocks(text):
    """The text with fenced and indented code blanked; the number of lines is kept."""
    lines, fenced = [], False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        lines.append("" if fenced or fence or line.startswith("    ") else line)
        fenced ^= fence
    return "\n".join(lines)


def anchors_of(text):
    """The names that GitHub gives to headings: lower case, no punctuation, hyphens for spaces, -1, -2 for repeats."""
    anchors, repeats = set(), {}
    for heading in HEADING.findall(without_blocks(text)):
        shown = LINK.sub(lambda link: link.group(0)[1:].partition("]")[0], heading)
        name = re.sub(r"[^\w\- ]", "", shown).lower().replace(" ", "-")
        anchors.add(f"{name}-{repeats[name]}" if name in repeats else name)
        repeats[name] = repeats.get(name, 0) + 1
    return anchors


def broken_link(page, target):
    """Why a link is broken; None where it is right."""
    path, _, anchor = target.partition("#")
    file = page.parent / path if path else page
    if not file.exists():
        return f"{target}: no such file"
    if anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
        return f"{target}: {file.name} has no such heading"
    return None


def check_page(root, page):
    text = page.read_text()
    found = []
    for number, line in enumerate(without_blocks(text).splitlines(), 1):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if not re.match(r"[a-z]+:", target):
                found.append((number, broken_link(page, target)))
    return found + check_mentions(root, text)


def check_mentions(root, text):
    return [(number, None if (root / name).exists() else f"{name}: no such page")
            for number, line in enumerate(text.splitlines(), 1) for name in PAGE.findall(line)]


def main():
    root = pathlib.Path(sys.argv[1])
    links, wrong = 0, []
    sources = [path for folder in ("src", "cli", "include") for path in c_files(root / folder)]
    for path in [*pages_of(root), *sources]:
        found = check_page(root, path) if path.suffix == ".md" else check_mentions(root, path.read_text())
        links += len(found)
        wrong += [f"{path.relative_to(root)}:{number}: {why}" for number, why in found if why]
    print("\n".join(wrong) or f"links: {links}, all of them found")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
