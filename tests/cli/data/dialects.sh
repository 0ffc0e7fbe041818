#!/bin/sh
# Tables as people have them: delimiters, decimal commas, quotes, a byte order mark, trailing delimiters and an index column
# give the model that the plain table gives, and Python's csv module reads the same cells.
set -eu
command -v python3 > /dev/null || exit 77
cat > make.py <<'PY'
import csv, random, subprocess

random.seed(11)

def same_model(name, args=()):
    subprocess.run(["neyman", "train", "-q", name, "-o", "other", *args], check=True, capture_output=True)
    strip = lambda path: [l for l in open(path) if not l.startswith(("recipe", "number", "neyman-model", "end "))]
    assert strip("plain") == strip("other"), name

for trial in range(12):
    rows = [[round(random.uniform(-5, 5) + 3 * (i % 2), 3), random.randrange(100000), random.uniform(0, 1e-3), i % 2]
            for i in range(60)]
    names = ["a", "b b", "c", "label"]
    with open("plain.csv", "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([names] + rows)
    subprocess.run(["neyman", "train", "-q", "plain.csv", "-o", "plain"], check=True, capture_output=True)
    for delimiter in ",;|\t":
        for comma in (False, True):
            for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
                for trailing in ("", delimiter):
                    text = lambda v: repr(v).replace(".", ",") if comma and isinstance(v, float) else str(v)
                    name = "t.tsv" if delimiter == "\t" else "t.csv"
                    with open(name, "w", newline="", encoding="utf-8-sig" if trial % 2 else "utf-8") as f:
                        w = csv.writer(f, delimiter=delimiter, quoting=quoting, lineterminator=trailing + "\r\n"[trial % 2:])
                        w.writerow(names)
                        w.writerows([[text(v) for v in r] for r in rows])
                    same_model(name)
    with open("index.csv", "w", newline="") as f:
        csv.writer(f).writerows([[""] + names] + [[i] + r for i, r in enumerate(rows)])
    same_model("index.csv")

# Thousands, money, percentages.
def forms(x):
    yield "thousands", f"{x:,.2f}", x
    yield "thousands-comma", f"{x:,.2f}".replace(",", "_").replace(".", ",").replace("_", "."), x
    yield "currency", f"${x:,.2f}", x
    yield "currency", f"{'-' if x < 0 else ''}\N{EURO SIGN}{abs(x):.2f}", x
    yield "thousands-comma", f"{x:,.2f}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace(".", ","), x
    yield "thousands", f"{x:,.2f}".replace(",", "'").replace("-", "\N{MINUS SIGN}"), x
    yield "currency", f"({-x:,.2f})" if x < 0 else f"{x:,.2f}", x
    yield "percent", f"{x:.2f} %", x / 100
xs = [round(random.uniform(-3e6, 3e6), 2) for _ in range(50)] + [1234567.25, -999.5]
for k, (form, _, _) in enumerate(list(forms(1.0))):
    cells = [list(forms(x))[k] for x in xs]
    with open("form.csv", "w", newline="", encoding="utf-8") as f:
        csv.writer(f, delimiter=";").writerows([["label", "x"]] + [[i % 2, c[1]] for i, c in enumerate(cells)])
    with open("value.csv", "w", newline="") as f:
        csv.writer(f, delimiter=";").writerows([["label", "x"]] + [[i % 2, repr(c[2])] for i, c in enumerate(cells)])
    for name in ("form", "value"):
        subprocess.run(["neyman", "train", "-q", name + ".csv", "-o", name], check=True, capture_output=True)
    assert f"number-as {form} x\n" in open("form").read(), (form, cells[0])
    score = [subprocess.run(["neyman", "predict", "-q", "--scores", m, m + ".csv"], check=True, capture_output=True).stdout
             for m in ("form", "value")]
    assert score[0] == score[1], form

# Dates and times against Python's calendar.
import datetime
when = [datetime.datetime(1960, 1, 1) + datetime.timedelta(seconds=random.randrange(10 ** 10 // 4)) for _ in range(80)]
epoch = datetime.datetime(1970, 1, 1)
cases = {"date": [(d.date().isoformat(), (datetime.datetime.combine(d.date(), datetime.time()) - epoch).days) for d in when],
         "datetime": [(d.isoformat(), int((d - epoch).total_seconds())) for d in when],
         "time": [(d.time().isoformat(), d.hour * 3600 + d.minute * 60 + d.second) for d in when]}
for form, cells in cases.items():
    for name, at in (("form", 0), ("value", 1)):
        with open(name + ".csv", "w", newline="") as f:
            csv.writer(f).writerows([["label", "x"]] + [[i % 2, c[at]] for i, c in enumerate(cells)])
        subprocess.run(["neyman", "train", "-q", name + ".csv", "-o", name], check=True, capture_output=True)
    assert f"number-as {form} x\n" in open("form").read(), form
    strip = lambda path: [l for l in open(path) if not l.startswith(("number", "neyman-model", "end "))]
    assert strip("form") == strip("value"), form
PY
python3 make.py
