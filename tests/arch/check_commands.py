"""Every command line of the documentation is one that the program takes.

    check_commands.py ROOT NEYMAN

Lines of code in README.md and the user pages of doc/ that begin with `neyman` (or `$ neyman`) are run in an empty folder: their files
are missing, so a command that is right ends with an error about a file; one whose options are unknown, refused or
incomplete ends with exit code 2."""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

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


def main():
    root, neyman = pathlib.Path(sys.argv[1]), sys.argv[2]
    tried, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for page in user_pages(root):
            for number, line in code_lines(page.read_text()):
                if "neyman" not in line:
                    continue
                for call in commands(line):
                    if is_synopsis(call):
                        continue
                    tried += 1
                    code, message = run(neyman, call, folder)
                    if code == 2:
                        wrong.append(f"{page.relative_to(root)}:{number}: neyman {shlex.join(call)}\n    {message}")
    for line in wrong:
        print(line)
    print(f"{tried} commands, {len(wrong)} refused")
    return 1 if wrong or tried < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
