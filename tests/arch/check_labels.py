#!/usr/bin/env python3
"""check_labels.py ROOT: fail if a result has a key without a label in cli/labels.c, or a label has no key.

Text is printed with labels, JSON with keys. A key that has no label would be printed as it is."""

import pathlib
import re
import sys

from result_keys import metadata_keys, result_keys

ROW = re.compile(r'\{\s*SECTION_\w+,\s*"(\w+)",\s*"([^"]+)",\s*("[^"]*"|NULL)\s*\}')

# Trees that are never printed as text: the data of the page, help --json, error objects, mixtures.
NOT_TEXT = re.compile(r"cli/(report_\w+|help_json|session|mixture_json)\.c$")
# Arrays of numbers and of names, which text leaves out; sentences, which have no label.
ARRAYS = {"direction", "label", "p_neg", "p_pos", "posterior_error_prob", "predicted", "q", "row",
          "score", "seen", "set", "w", "cov", "headline", "warnings", "next", "verdict"}
# Only in the page's data, which cmd_report.c makes.
PAGE = {"center", "costs", "empty", "file", "fn", "fp", "option", "origin", "prevalence", "reject_fn",
        "reject_fp", "scores", "version", "data", "curves"}
# Made of two words when they are added, by cmd_roc.c.
COMPOSED = {before + after for before in ("auc_", "test_auc_")
            for after in ("intercept", "asymmetry", "both")}
# Of the library that tests/abi builds.
EXTRA = {"test_extra"}


def main():
    root = pathlib.Path(sys.argv[1])
    table = ROW.findall((root / "cli/labels.c").read_text())
    labels = {key: label for key, label, _ in table}
    bad = [f"cli/labels.c: \"{key}\" stands twice" for key in labels
           if sum(row[0] == key for row in table) > 1]
    keys = {**metadata_keys(root, ["src"]), **result_keys(root, ["cli", "src"])}
    printed = {key: where for key, where in keys.items() if not NOT_TEXT.search(where)}
    bad += [f"{where}: the key \"{key}\" has no label in cli/labels.c"
            for key, where in sorted(printed.items())
            if key not in labels and key not in ARRAYS | PAGE | EXTRA
            and not key.endswith("_interval")]
    text = "".join(path.read_text() for folder in ("cli", "src") for path in (root / folder).rglob("*.c")
                   if path.name != "labels.c")
    bad += [f"cli/labels.c: nothing adds the key \"{key}\"" for key in sorted(labels)
            if key not in COMPOSED and f'"{key}"' not in text and f'_{key}"' not in text]
    bad += [f"cli/labels.c: the label \"{label}\" is a key, not words" for label in labels.values()
            if "_" in label]
    print("\n".join(bad) or f"labels: {len(printed)} keys, all of them have one")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
