"""Links of a folder of HTML files: every file and every anchor that a link names exists."""

import html.parser
import pathlib
import re
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        self.anchors |= {names[key] for key in ("id", "name") if names.get(key)}
        self.links += [names[key] for key in ("href", "src") if names.get(key)]


def check(folder):
    """(number of links, those that are broken)"""
    pages = {file: Page(file.read_text()) for file in sorted(pathlib.Path(folder).rglob("*.html"))}
    links, broken = 0, []
    for file, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:|//|#$", link):
                continue
            links += 1
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            target = (file.parent / path.partition("?")[0]).resolve() if path else file
            if not target.exists():
                broken.append(f"{file.relative_to(folder)}: {link}: no such file")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                broken.append(f"{file.relative_to(folder)}: {link}: no such anchor")
    return links, broken
