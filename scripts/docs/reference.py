"""Pages of the reference that are written from the sources: commands from the program's own tables, the C API from
its headers, the keys of results from cli/labels.c."""

import json
import re
import subprocess

ROW = re.compile(r'\{\s*SECTION_(\w+),\s*"(\w+)",\s*"([^"]+)",\s*(?:"[^"]*"|NULL)\s*\}')
# A call that adds a value of a known type under a key that is written out.
ADDED = re.compile(r'\bney_result_add_(text|int|real|bool|array|object)\s*\(\s*[^;"]*?"(\w+)"')
TYPES = {"text": {"string", "null"}, "int": {"integer"}, "real": {"number", "null"}, "bool": {"boolean"}, "array": {"array"}, "object": {"object"}}
ITEM = re.compile(r"/\*(\*?)((?:(?!\*/).)*)\*/\n((?:(?!\n\n|\n/\*|\n#).)*)", re.S)


def add(pages, root, neyman):
    commands = json.loads(subprocess.run([neyman, "help", "--json"], check=True, capture_output=True, text=True).stdout)["commands"]
    VALUES.update(str(choice) for command in commands for option in command["options"] for choice in option.get("choices") or ())
    for command in commands:
        pages[f"reference/commands/{command['name']}.md"] = command_page(command)
    pages["reference/commands.md"] = index(
        "Commands", "Written from the option tables of the program; `neyman help COMMAND --all` prints the same.",
        "commands", [(command["name"], command["summary"]) for command in commands])
    headers = sorted((root / "include/neyman").glob("*.h"))
    for header in headers:
        pages[f"reference/c/{header.stem}.md"] = header_page(header)
    pages["reference/c.md"] = index("C API", "Written from the headers. The stable ones are included by `neyman.h`.", "c",
                                    [(header.stem, f"`<neyman/{header.name}>`") for header in headers])
    pages["reference/results.md"] = results_page((root / "cli/labels.c").read_text())
    pages["reference/result.schema.json"] = json.dumps(schema(root), indent=1) + "\n"


def schema(root):
    """A JSON Schema of what --json prints: of each key the types of the calls that add it, and its label."""
    labels = {key: label for _, key, label in ROW.findall((root / "cli/labels.c").read_text())}
    types = {}
    for file in [*(root / "src").rglob("*.c"), *(root / "cli").glob("*.c")]:
        for kind, key in ADDED.findall(file.read_text()):
            types.setdefault(key, set()).update(TYPES.get(kind, ()))
    for key in ("summary", "steps"): # the metadata of a model in `info` have names of their own
        types[key] = set()
    properties = {key: {"description": labels[key], **({"type": sorted(types[key])} if types.get(key) else {})} for key in sorted(labels)}
    result = {"type": "object", "properties": properties}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Result of a neyman command",
            "$defs": {"result": result},
            "oneOf": [{"$ref": "#/$defs/result"}, {"type": "object", "required": ["error"],
                               "properties": {"error": {"type": "object", "required": ["code", "status", "message"]}}}]}


def index(title, text, folder, entries):
    rows = "\n".join(f"- [{name}]({folder}/{name}.md): {words}" for name, words in entries)
    names = "\n".join(f"{folder}/{name}" for name, _ in entries)
    return f"# {title}\n\n{text}\n\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def plain(text):
    """Text that Markdown leaves as it is."""
    return re.sub(r"([\\`*_{}\[\]<>|#$])", r"\\\1", text)


# An option of a text, with its value where that is a number, a name such as FILE or one of VALUES.
OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*|-[a-zA-Z](?![\w]))((?: [A-Z][A-Z_]*| [0-9][0-9.]*[0-9]?| [a-z][a-z-]*)(?![\w-]))?")
VALUES = {"none", "auto"} # and the choices of all options: see add()
# A quoted command, such as 'neyman train --max-fdr' or 'evaluate --from-scores'.
COMMAND = re.compile(r"'(neyman [^'\n]+|[a-z]+ --[^'\n]+)'")


def prose(text):
    """Text of help as Markdown: options and quoted commands are code, which is not broken at its hyphens."""
    def mark(found):
        option, value = found[1], found[2] or ""
        is_value = value.strip() in VALUES or not value.strip().islower()
        return f"`{option}{value}`" if value and is_value else f"`{option}`{value}"
    if "`" in text:
        return plain(text)
    parts = COMMAND.split(text) # text, command, text, ...
    return "".join(f"`{part}`" if k % 2 else OPTION.sub(mark, plain(part).replace("\\_", "_")) for k, part in enumerate(parts))


def bounds(low, high):
    """As in the help of the program: bounds that exist for numerical reasons alone are left out, and -1 for auto."""
    low = max(low, 0)
    tiny = 0 < low <= 1e-9
    if high < 1e6:
        return [f"above 0, at most {high:g}" if tiny else f"from {low:g} to {high:g}"]
    return ["above 0"] if tiny else [f"at least {low:g}"] if low > 0 else []


def option_lines(option):
    name = f"--{option['name']}" + (f" {option['arg']}" if option.get("arg") else "")
    flag = f"-{option['flag']}, " if option.get("flag") else ""
    notes = [f"one of {', '.join(map(str, option['choices']))}"] if option.get("choices") else []
    if option.get("default") not in (None, "", False):
        notes.append(f"default: {option['default']}")
    if option.get("low") is not None and option.get("high") is not None:
        notes += bounds(option["low"], option["high"])
    if option.get("applies_to"):
        notes.append(f"applies to {option['applies_to']}")
    return f"- `{flag}{name}`: {prose(option['help'])}" + "".join(f"; {prose(note)}" for note in notes) + ".\n"


def command_page(command):
    parts = [f"# neyman {command['name']}\n", f"    {command['usage']}\n", prose(command["description"]) + "\n"]
    if command.get("details"):
        parts.append(prose(command["details"]) + "\n")
    headings = {}
    for option in command["options"]:
        headings.setdefault(option["heading"] or option["set"] or "Options", []).append(option_lines(option))
    for heading, lines in headings.items():
        parts.append(f"## {heading}\n\n" + "".join(lines))
    return "\n".join(parts)


def comment_text(text):
    return "\n".join(re.sub(r"^ \* ?", "", line).strip() if not line.startswith(" *   ") else line[2:].rstrip()
                     for line in text.strip().split("\n"))


def header_page(header):
    """Each comment with the declaration below it."""
    parts = [f"# {header.name}\n"]
    for _, comment, code in ITEM.findall(header.read_text()):
        if code.startswith("#include") or comment.strip().startswith("----"):
            code = ""
        if comment.strip().startswith("----"):
            parts.append(f"## {comment.strip().strip('- ')}\n")
            continue
        parts.append(plain(comment_text(comment)) + "\n")
        if code.strip() and not code.startswith("#"):
            parts.append(f"```c\n{code.rstrip()}\n```\n")
    return "\n".join(parts)


def results_page(labels):
    rows = "".join(f"| `{key}` | {plain(label)} | {section.lower()} |\n" for section, key, label in ROW.findall(labels))
    return ("# Keys of results\n\nThe keys of `--json` and the label of each in text output. [Claims](../claims.md) says what each one "
            f"states.\n\n| key | label | group |\n|---|---|---|\n{rows}")
