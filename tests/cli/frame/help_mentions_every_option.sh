#!/bin/sh
# Every option of the tables is in the full help page, the manual page and the three completion scripts,
# once: two options of one command never share a name or a letter. The short page of a command has its
# everyday options only, fits two screens and names the full page.
set -eu
command -v python3 >/dev/null || exit 77
neyman help --json > tables.json
neyman help --commands > names
for shell in bash zsh fish; do
    neyman help --completion $shell > $shell.txt
done
while read -r name; do
    neyman help "$name" --all > "$name.help"
    neyman help "$name" > "$name.short"
    neyman "$name" --help > "$name.flag"
    cmp "$name.short" "$name.flag"
    neyman help --man "$name" > "$name.man"
done < names
python3 - <<'PY'
import json, re
tables = json.load(open("tables.json"))["commands"]
assert [c["name"] for c in tables] == open("names").read().split()
shells = {s: open(s + ".txt").read() for s in ("bash", "zsh", "fish")}
for c in tables:
    page, man = open(c["name"] + ".help").read(), open(c["name"] + ".man").read().replace("\\-", "-")
    names = [o["name"] for o in c["options"]]
    flags = [o["flag"] for o in c["options"] if o["flag"]]
    assert len(set(names)) == len(names), (c["name"], names)
    assert len(set(flags)) == len(flags), (c["name"], flags)
    assert {"json", "quiet", "verbose", "threads", "help"} <= set(names)
    assert c["usage"] in page and c["summary"] in page and "Exit codes:" in page and "Examples:" in page
    short = open(c["name"] + ".short").read()
    assert short.count("\n") <= 90, (c["name"], short.count("\n"))
    assert short.endswith("neyman help " + c["name"] + " --all\n") and "Examples:" in short
    listed = re.findall(r"^  (?:-\w, |    )--([\w-]+)", short, re.M)
    assert sorted(listed) == sorted(o["name"] for o in c["options"] if o["everyday"]), c["name"]
    assert len(listed) < len(names) or len(names) <= 16, c["name"]
    headings = [o["heading"] for o in c["options"]] # options under one heading stand together
    assert [h for i, h in enumerate(headings) if i == 0 or headings[i - 1] != h] == list(dict.fromkeys(headings))
    for o in c["options"]:
        assert "\n" + o["heading"] + ":\n" in page, (c["name"], o["heading"])
        assert "--" + o["name"] in page, (c["name"], o["name"], "help")
        assert "--" + o["name"] in man, (c["name"], o["name"], "man")
        assert "--" + o["name"] in shells["bash"] and "--" + o["name"] in shells["zsh"]
        assert "-l " + o["name"] in shells["fish"]
        assert o["help"], o
        if o["kind"] != "flag":
            assert o["arg"], (c["name"], o["name"], "has no word for its value")
        for choice in o.get("choices", []):
            assert choice in page, (c["name"], o["name"], choice)
        if o["kind"] in ("int", "real"):
            value = o["default"]
            shown = "default scale" if o["name"] == "gamma" else "default %g" % (value or 0)
            assert value is None or shown in " ".join(page.split()), (c["name"], o["name"])
PY
