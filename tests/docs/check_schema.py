#!/usr/bin/env python3
"""check_schema.py ROOT NEYMAN DATA: what commands print with --json has the types of the JSON Schema that scripts/docs writes.

The schema is made from the calls that add values. Here commands run, and every key of their results, at any depth, must have one
of the types that the schema gives it."""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import reference # noqa: E402

BIOPSIES = "--label diagnosis --positive malignant data/wdbc-train.csv.gz"
COMMANDS = [f"train --max-fnr 0.05 {BIOPSIES} -o rate.model", f"train --reject-cost 0.2 {BIOPSIES} -o cost.model",
            f"tune --max-fpr 0.05 {BIOPSIES} -o tuned.model", "evaluate rate.model data/wdbc-test.csv.gz", "info rate.model", "info data/wdbc-test.csv.gz",
            "plan --max-fpr 0.01", "predict rate.model data/wdbc-test.csv.gz --scores -o scores.tsv", "certify scores.tsv --max-fpr 0.1 --positive malignant",
            f"path {BIOPSIES} --to 0.1 0.1", f"cv --max-fpr 0.1 {BIOPSIES}", "qvalues --from-scores scores.tsv --positive malignant --max-fdr 0.2 -o q.tsv",
            f"train --max-fnr 0.001 {BIOPSIES} -o none.model", "evaluate missing.model data/wdbc-test.csv.gz"]
OF_JSON = {type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


def wrong_types(value, properties, path=""):
    if isinstance(value, list):
        return [found for part in value for found in wrong_types(part, properties, path)]
    if not isinstance(value, dict):
        return []
    found = []
    for key, part in value.items():
        allowed = properties.get(key, {}).get("type")
        name = OF_JSON[type(part)]
        if allowed and name not in allowed and not (name == "integer" and "number" in allowed):
            found.append(f"{path}.{key} is {name}, the schema has {allowed}")
        found += wrong_types(part, properties, f"{path}.{key}")
    return found


def main():
    root, neyman, data = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    properties, wrong, keys = reference.schema(root)["$defs"]["result"]["properties"], [], set()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "data").symlink_to(data)
        for command in COMMANDS:
            done = subprocess.run([neyman, *command.split(), "--json", "-q"], cwd=folder, capture_output=True, text=True)
            result = json.loads(done.stdout)
            if done.returncode and set(result) != {"error"}:
                wrong.append(f"neyman {command}: exit code {done.returncode}: {done.stderr}")
            keys |= set(result)
            wrong += [f"neyman {command}: {found}" for found in wrong_types(result, properties)]
    print("\n".join(wrong) or f"schema: {len(properties)} keys; {len(COMMANDS)} results with {len(keys)} keys at their top agree with it")
    return bool(wrong) or len(keys) < 60


if __name__ == "__main__":
    sys.exit(main())
