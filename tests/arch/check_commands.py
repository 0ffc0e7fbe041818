"""Every command line of the documentation is one that the program takes.

    check_commands.py ROOT NEYMAN

Lines of code in README.md and the user pages of doc/ that begin with `neyman` (or `$ neyman`) are run in an empty folder: their files
are missing, so a command that is right ends with an error about a file; one whose options are unknown, refused or
incomplete ends with exit code 2.

A command line of a page begins with `$ `, so that the test docs.PAGE runs it and compares what it prints; words of `./run` and `make` are
targets of the Makefile. `tests/docs/check_page.py --write PAGE NEYMAN DATA` writes the output below a command."""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TARGET = re.compile(r"^(?:\$ )?(?:\./run|make) ([a-z][a-z-]*)\b(?!=)")


def user_pages(root):
    """README.md and the pages of doc/ but those of mathematics and design decisions."""
    pages = (page for page in (root / "doc").rglob("*.md") if page.parent.name not in ("math", "adr"))
    return [root / "README.md", *sorted(pages)]


def code_lines(text):
    """(number, line) of fenced and indented code, lines that end with a backslash joined."""
    fenced, held, first = False, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if not (fenced or line.startswith("    ")) and not held:
            continue
        first = first if held else number
        held += line.strip()
        if held.endswith("\\"):
            held = held[:-1] + " "
            continue
        yield first, held
        held = ""


def commands(line):
    """The calls of neyman in a line of shell: lists of words."""
    lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    call, begins = None, True
    for word in [*lexer, ";"]:
        if re.fullmatch("[|&;<>()]+", word):
            if call:
                yield call
            call, begins = None, word[0] not in "<>"
        elif call is not None:
            call.append(word)
        elif begins and word == "neyman":
            call = []
        else:
            begins = False


def is_synopsis(call):
    """A form of a command, not a command: brackets, alternatives, dots."""
    return not call or any(re.search(r"[\[\]]|\.\.\.", word) for word in call)


def run(neyman, call, folder):
    done = subprocess.run([neyman, *call], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode(errors="replace").strip()


def is_run(page, line):
    """Whether a test of tests/docs runs the line: it begins with `$ `, or is a synopsis. Pages of papers show commands of ./run papers."""
    return not line.startswith("neyman ") or page.parent.name == "papers" or is_synopsis(line.split()[1:])


def targets_of(root):
    """The words that `./run` and `make` take."""
    makefile = (root / "Makefile").read_text()
    named = " ".join(re.findall(r"^\.PHONY:(.*)$", makefile, re.M)).split()
    return {*re.findall(r"^([a-z-]+)\b[^:=\n]*:(?!=)", makefile, re.M), *named}


def main():
    root, neyman = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    targets, tried, wrong = targets_of(root), 0, []
    with tempfile.TemporaryDirectory() as folder:
        for page in user_pages(root):
            for number, line in code_lines(page.read_text()):
                where = f"{page.relative_to(root)}:{number}"
                wrong += [f"{where}: {word} is not a target of the Makefile" for word in TARGET.findall(line) if word not in targets]
                if "neyman" not in line:
                    continue
                if not is_run(page, line):
                    wrong.append(f"{where}: {line}: not run by a test: begin it with '$ ', with its output or '...' below")
                for call in commands(line):
                    if is_synopsis(call):
                        continue
                    tried += 1
                    code, message = run(neyman, call, folder)
                    if code == 2:
                        wrong.append(f"{where}: neyman {shlex.join(call)}\n    {message}")
    for line in wrong:
        print(line)
    print(f"{tried} commands, {len(wrong)} refused")
    return 1 if wrong or tried < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
