#!/usr/bin/env python3
"""hostile.py ROOT OUT.c: write calls of every stable function with wrong arguments.

For every function of the stable headers one call with valid arguments, and for each parameter one call per
wrong value of its type: NULL, a negative size, a position out of range, NaN, infinity, an unknown enumerator,
a struct of zeros. Structs of arrays and sizes are written out, with the wrong values of each member. Lengths that are larger than the arrays are left out: no library can notice them. A type
that is not known here stops the generator, so that a new function cannot be left out."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_abi import declarations, plain, structs  # noqa: E402

HANDLES = ("data model options result preprocessing cache notes output scores score_stream roc path exploration "
           "mixture asymmetry monitor predictor").split()
# What a name of a file stands for, by function.
FILES = {"ney_cache_open": "file_cache", "ney_fit_cache": "file_cache", "ney_model_read": "file_model",
         "ney_path_read": "file_path", "ney_scores_read": "file_scores", "ney_certify_file": "file_scores",
         "ney_score_stream_open": "file_scores", "ney_data_read": "file_table"}
# Structs of input arrays and their sizes.
INPUTS = {"ney_labelled_scores", "ney_methods", "ney_mixture_parts", "ney_asymmetry_grid"}
POSITIONS = {"k", "row", "column", "line"}
ARRAYS = {"double": "numbers", "int8_t": "labels", "uint64_t": "keys", "int64_t": "positions", "float": "floats",
          "void": "text"}


def parameters(text):
    """[(type, name)] of a parameter list."""
    for one in filter(lambda part: part not in ("void", "..."), plain(text).split(", ")):
        kind, name = re.fullmatch(r"(.*[ *])(\w+)(?:\[\w+\])?", one).groups()
        yield (kind.strip() + ("*" if one.endswith("]") else "")), name


def fields(text, struct):
    """[(type, name)] of the members of an input struct, without reserved ones."""
    body = re.search(rf"typedef struct {struct} \{{(.*?)\}}", text, flags=re.S).group(1)
    listed = parameters(", ".join(filter(None, (plain(part) for part in body.split(";")))))
    return [(kind, name) for kind, name in listed if name != "reserved"]


def inputs(function, struct, enums, shapes):
    """As values(), for a pointer to an input struct."""
    known = [(name, *values(function, kind, name, enums, shapes)) for kind, name in shapes[struct]]

    def literal(changed=None, wrong=None):
        given = (f".{name} = {wrong if name == changed else good}" for name, good, _ in known)
        return f"&(const {struct}){{{', '.join(given)}}}"
    return literal(), ["NULL", "zeros"] + [literal(name, wrong) for name, _, wrongs in known for wrong in wrongs]


def values(function, kind, name, enums, shapes):
    """A valid value and wrong ones, as C expressions; the first may be repeated."""
    pointer = re.fullmatch(r"(const )?(\w+)\*(const\*|\*)?", kind)
    if kind == "const ney_env*" or kind == "ney_error*":
        return ("NULL" if "env" in kind else "&err"), ["NULL"]
    if kind == "const char*":
        if name in ("path", "file", "in") or (name == "out" and function == "ney_cache_build"):
            return FILES.get(function, "file_table" if name == "in" else "file_new"), ["NULL", '""', '"/"']
        if function == "ney_model_parse" and name == "text":
            return "text", ["NULL", "zeros"]
        if name == "format":  # of printf()
            return '"a"', ["NULL"]
        return ('"max-fpr"' if function.startswith("ney_options") and name == "name" else '"a"'), ["NULL", '""', '"\\xff"']
    if kind in ("double", "float"):
        return "0.1", ["(double)NAN", "-1.0", "0.0", "1.0", "(double)INFINITY", "-(double)INFINITY"]
    if kind == "int64_t":
        good = {"n": "64", "n_rows": "8", "dims": "1", "n_methods": "2", "line": "0", "n_components": "1"}.get(name, "2")
        return good, ["-1", "INT64_MIN", "0"] + (["INT64_MAX"] if name in POSITIONS else [])
    if kind == "int":
        return "1", ["0", "-1", "INT_MIN"] + ([] if name.startswith("n_") else ["INT_MAX"])
    if kind == "size_t":
        return "8", ["0"]
    if kind == "uint64_t":
        return "1", ["0", "UINT64_MAX"]
    if kind == "bool":
        return "true", ["false"]
    if kind in enums:
        return f"({kind})0", [f"({kind})99", f"({kind})-1"]
    if kind in shapes:
        return f"one_{kind}[0]", [f"*(const {kind} *)zeros"]
    if function == "ney_free" and name == "block" or function == "ney_model_text_free" and name == "text":  # memory to be freed
        return "NULL", ["NULL"]
    if kind.endswith("**"):  # an object or text that is returned
        return f"scratch[{name!r}]", ["NULL"]
    if pointer:
        constant, base, more = pointer.groups()
        if more:  # several arrays
            return "arrays", ["NULL"]
        if base.removeprefix("ney_") in HANDLES:
            return f"the_{base.removeprefix('ney_')}", ["NULL"]
        if constant and base in INPUTS:
            return inputs(function, base, enums, shapes)
        if constant and base in shapes:
            return f"one_{base}", ["NULL", "zeros"]
        if constant and base in ARRAYS:
            return ARRAYS[base], ["NULL"]
        if not constant:
            return f"scratch[{name!r}]", ["NULL"]
    raise SystemExit(f"hostile.py: {function}: no value for {kind} {name}")


def calls(text):
    enums = set(re.findall(r"typedef enum (\w+) \{", text)) | {"ney_status"}
    shapes = {name: fields(text, name) if name in INPUTS else None for name, _ in structs(text)}
    for result, function, arguments in re.findall(
            r"\bNEY_API\b([^;{]*?)\b(ney_\w+)\s*\(([^;]*)\)[^;)]*;", text):
        result = plain(re.sub(r"\bNEY_\w+", " ", result))
        listed = list(parameters(re.sub(r"\)\s*NEY_.*", "", arguments, flags=re.S)))
        known = [values(function, kind, name, enums, shapes) for kind, name in listed]
        variants = [(None, None)] + [(i, wrong) for i, (_, wrongs) in enumerate(known) for wrong in wrongs]
        for changed, wrong in variants:
            given = [wrong if i == changed else good for i, (good, _) in enumerate(known)]
            outs = [i for i, (kind, _) in enumerate(listed) if re.fullmatch(r"ney_\w+\*\*|char\*\*", kind)]
            yield result, function, listed, given, outs, changed


def write(root, path):
    text = declarations(root)
    lines = ['#include "abi/hostile.h"', ""]
    table = []
    for number, (result, function, listed, given, outs, changed) in enumerate(calls(text)):
        slots = {}
        def slot(match):
            return f"buffer({slots.setdefault(match.group(1), len(slots))})"
        given = [re.sub(r"scratch\['(\w+)'\]", slot, one) for one in given]
        call = f"{function}({', '.join(given)})"
        lines += [f"static void call_{number}(void)", "{", "    ney_error err = {.code = NEY_OK};", "    (void)err;"]
        if result == "ney_status":
            has_error = "&err" in given
            lines.append(f"    const ney_status st = {call};")
            lines.append(f"    check_status(st, {'&err' if has_error else 'NULL'});")
            lines += [f"    check_out(st, {given[i]});" for i in outs if given[i] != "NULL"]
        else:
            lines.append(f"    (void){call};" if result != "void" else f"    {call};")
        lines += ["}", ""]
        what = "valid" if changed is None else f"{listed[changed][1]} = {given[changed]}"
        what = what.replace("\\", "\\\\").replace('"', "'")
        table.append(f'    {{"{function}", "{what}", call_{number}}},')
    lines += ["const hostile_call hostile_calls[] = {", *table, "};", f"const int n_hostile_calls = {len(table)};", ""]
    path.write_text("\n".join(lines))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
