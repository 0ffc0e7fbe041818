#!/usr/bin/env python3
"""build.py ROOT NEYMAN OUT [THEME]: build the documentation site below OUT/html.

The pages of doc/, bench/results and the root are copied to OUT/pages with the links between them; pages of the
reference are written from the program's tables (`neyman help --json`), the headers and cli/labels.c. Sphinx makes
HTML of them, which needs no network and no server. Every warning of Sphinx and every link without a target fails."""

import os
import pathlib
import re
import subprocess
import sys

import check_site
import reference

# Where a page of the repository stands in the site; the first prefix that fits.
PLACES = [("doc/README.md", "index.md"), ("README.md", "index.md"), ("doc/", ""), ("bench/results/", "benchmarks/"),
          ("data/README.md", "project/data.md"), ("python/README.md", "reference/python.md"),
          ("web/README.md", "project/web.md")]
# Sections in the order of the menu; pages that are not named follow in alphabetical order.
SECTIONS = [
    ("Guides", "guides", ["fraud", "screening", "proteomics", "large", "distributed", "scores", "from_libsvm", "from_percolator", "from_sklearn",
                          "c_api"]),
    ("Concepts", "concepts", ["certificate", "rates", "np", "reject", "fdr", "path", "asymmetry"]),
    ("Reference", "reference", ["commands", "common_options", "python", "c", "formats", "exit_codes", "json", "results"]),
    ("Mathematics", "math", []),
    ("Benchmarks", "benchmarks", []),
    ("Papers", "papers", []),
    ("Project", "project", ["contributing"]),
    ("Decisions", "adr", []),
]
FIRST = ["start", "choose"]
LAST = ["claims"]
LINK = re.compile(r"\[([^\]\n]*)\]\(([^()\s]+)\)")

CONF = """
project = "neyman"
html_title = "neyman {version}"
copyright = "the authors of neyman"
extensions = ["myst_parser"]
source_suffix = {{".md": "markdown"}}
myst_heading_anchors = 6
highlight_language = "text"
html_theme = "{theme}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
smartquotes = False
nitpicky = True
"""


def place_of(path):
    """The site's file for a path of the repository, or None."""
    for start, place in PLACES:
        if path == start:
            return place
        if start.endswith("/") and path.startswith(start) and path.endswith((".md", ".png", ".svg")):
            rest = path[len(start):]
            return place + re.sub(r"(^|/)README\.md$", r"\1index.md", rest)
    if re.fullmatch(r"[A-Z]+\.md", path):
        return f"project/{path.lower()}"
    header = re.fullmatch(r"include/neyman/(\w+)\.h", path)
    return f"reference/c/{header[1]}.md" if header else None


def sources(root):
    """{page of the repository: page of the site}"""
    files = [*root.glob("*.md"), *(root / "doc").rglob("*"), *(root / "bench/results").glob("*.*"),
             root / "data/README.md"]
    names = sorted(str(file.relative_to(root)) for file in files if file.is_file())
    return {name: place for name in names if name != "README.md" and (place := place_of(name))}


def title_of(text):
    found = re.search(r"^# +(.+)$", text, re.M)
    return found[1].strip() if found else None


def moved(root, name, text):
    """The text of a page with its links as they are in the site. A link whose text is a file name gets the title of the page."""
    here = os.path.dirname(place_of(name))

    def link(found):
        words, target = found.groups()
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        path, mark, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(name), path))
        if (root / file).is_dir() and (root / file / "README.md").exists():
            file = os.path.join(file, "README.md")
        place = place_of(file)
        if place is None or not (root / file).exists():
            return words if words.startswith("`") else f"`{words}`"
        if re.fullmatch(r"[\w/.]+\.md", words):
            words = title_of((root / file).read_text()) or words
        return f"[{words}]({os.path.relpath(place, here or '.')}{mark}{anchor})"

    lines, fenced = [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        code = fenced or fence or line.startswith("    ")
        parts = [line] if code else re.split(r"(`[^`]*`(?!\]))", line)
        lines.append(line if code else "".join(part if part.startswith("`") and part.endswith("`") and len(part) > 1
                                               else LINK.sub(link, part) for part in parts))
        fenced ^= fence
    return "\n".join(lines)


def menu(caption, pages, hidden=True):
    hide = ":hidden:\n" if hidden else ""
    name = f":caption: {caption}\n" if caption else ""
    return "\n```{toctree}\n" + hide + name + ":maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n"


def section_pages(pages, folder, first):
    """The names of a section's pages, without ending: an index first, then those that are named, then the others."""
    here = sorted(page[:-3] for page in pages if page.startswith(folder + "/") and page.count("/") == 1 and page.endswith(".md"))
    order = [f"{folder}/{name}" for name in ["index", *first]]
    return [page for page in order if page in here] + [page for page in here if page not in order]


def dates(root):
    """{page of bench/results: date of its last change}, where the folder is a git repository."""
    done = subprocess.run(["git", "log", "--format=@%cs", "--name-only", "--", "bench/results"], cwd=root, capture_output=True, text=True)
    found, date = {}, None
    for line in done.stdout.split("\n"):
        if line.startswith("@"):
            date = line[1:]
        elif line:
            found.setdefault(line, date)
    return found


def add_dates(pages, root):
    """Benchmarks: the date of the last change on each page and in the table of all; the machine is that of the first page."""
    when = dates(root)
    for name, date in when.items():
        place = place_of(name)
        if place and place in pages and name.endswith(".md"):
            machine = "" if place.endswith("index.md") else " The machine is described in [Measurements](index.md), unless this page names another."
            pages[place] += f"\n---\n\nLast measured or changed: {date}.{machine}\n"
    rows = "".join(f"| [{title_of(pages[place_of(name)])}]({os.path.basename(place_of(name))}) | {date} |\n" for name, date in sorted(when.items())
                   if place_of(name) in pages and name.endswith(".md") and not name.endswith("README.md"))
    if rows:
        pages["benchmarks/index.md"] += f"\n## Dates\n\n| page | last measured or changed |\n|---|---|\n{rows}"


def write_pages(root, neyman, out):
    pages = {place: moved(root, name, (root / name).read_text()) if name.endswith(".md") else (root / name).read_bytes()
             for name, place in sources(root).items()}
    reference.add(pages, root, neyman)
    add_dates(pages, root)
    top = menu("Start", FIRST)
    for caption, folder, first in SECTIONS:
        names = section_pages(pages, folder, first)
        if f"{folder}/index" in names: # its other pages are below the index
            pages[f"{folder}/index.md"] += menu(None, [name.removeprefix(folder + "/") for name in names[1:]])
            names = names[:1]
        top += menu(caption, names)
    pages["index.md"] += top + menu("Claims", LAST)
    out.mkdir(parents=True, exist_ok=True)
    for old in [*out.rglob("*.md"), *out.rglob("*.json")]:
        if str(old.relative_to(out)) not in pages:
            old.unlink()
    for place, text in pages.items():
        write_if_changed(out / place, text if isinstance(text, bytes) else text.encode())
    return pages


def usual_theme():
    try:
        import furo # noqa: F401
        return "furo"
    except ImportError:
        return "alabaster"


def write_if_changed(file, data):
    """Sphinx reads again what has a new date."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_bytes() != data:
        file.write_bytes(data)


def write_conf(neyman, out, theme):
    version = subprocess.run([neyman, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    write_if_changed(out / "conf.py", CONF.format(version=version, theme=theme).encode())
    write_if_changed(out / "_static" / "site.css", pathlib.Path(__file__).with_name("site.css").read_bytes())


def main():
    root, neyman, out = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    try:
        import myst_parser # noqa: F401
        import sphinx # noqa: F401
    except ImportError as missing:
        print(f"docs: {missing.name} is missing (Debian: python3-sphinx python3-myst-parser furo)")
        return 77
    pages = write_pages(root, neyman, out / "pages")
    write_conf(neyman, out / "pages", sys.argv[4] if len(sys.argv) > 4 else usual_theme())
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", out / "doctrees",
                           out / "pages", out / "html"])
    if done.returncode:
        return 1
    for place, text in pages.items(): # files that pages link to
        if place.endswith(".json"):
            (out / "html" / place).write_text(text)
    links, broken = check_site.check(out / "html")
    print("\n".join(broken) or f"docs: {sum(place.endswith('.md') for place in pages)} pages, {links} links, all of them resolve: "
          f"{os.path.relpath(out / 'html' / 'index.html')}")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
