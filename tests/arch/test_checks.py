#!/usr/bin/env python3
"""The checks themselves: each must notice a small tree that is wrong."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_exports
import check_forbidden
import modules

HERE = pathlib.Path(__file__).parent


def tree(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(check, files):
    with tempfile.TemporaryDirectory() as folder:
        tree(folder, files)
        return subprocess.run([sys.executable, HERE / check, folder], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


class Layers(unittest.TestCase):
    def refused(self, name, text):
        return run("check_layers.py", {"src/base/a.c": "", name: text}).returncode != 0

    def test_downwards_is_allowed(self):
        self.assertFalse(self.refused("src/data/a.c", '#include "base/env.h"\n#include <zlib.h>\n'))

    def test_upwards_is_refused(self):
        self.assertTrue(self.refused("src/base/b.c", '#include "data/data.h"\n'))

    def test_a_comment_is_no_include(self):
        self.assertFalse(self.refused("src/base/b.c", '/*\n#include "data/data.h"\n*/\n'))

    def test_a_path_around_is_refused(self):
        self.assertTrue(self.refused("src/base/b.c", '#include "../data/data.h"\n'))

    def test_an_unknown_module_is_refused(self):
        self.assertTrue(self.refused("src/attic/b.c", ""))

    def test_subfolders_of_a_module(self):
        self.assertTrue(self.refused("src/base/attic/b.c", ""))
        self.assertFalse(self.refused("src/learn/online/a.c", '#include "learn/batch/ramp.h"\n'))
        self.assertFalse(self.refused("src/path/a.c", '#include "learn/batch/ramp.h"\n'))
        self.assertTrue(self.refused("src/learn/batch/a.c", '#include "learn/online/sgd.h"\n'))
        self.assertTrue(self.refused("src/learn/a.c", '#include "learn/batch/ramp.h"\n'))
        self.assertTrue(self.refused("src/model/a.c", '#include "learn/batch/ramp.h"\n'))

    def test_the_program_sees_the_public_header_only(self):
        self.assertTrue(self.refused("cli/main.c", '#include "base/env.h"\n'))
        self.assertTrue(self.refused("cli/main.c", '#include "../src/base/env.h"\n'))
        self.assertFalse(self.refused("cli/main.c", "#include <neyman/neyman.h>\n"))


class Tags(unittest.TestCase):
    def test_a_tag_must_be_known(self):
        source = {"src/qp/dcd.c": "/* [DCD.1] */\n"}
        self.assertNotEqual(run("check_tags.py", source).returncode, 0)
        source["doc/math/dcd.md"] = "[DCD.1]"
        self.assertEqual(run("check_tags.py", source).returncode, 0)


class Links(unittest.TestCase):
    def refused(self, **files):
        pages = {"README.md": "# A title\n\n## Part `two`: links\n\n## Same\n\n## Same\n", "doc/a.md": ""}
        pages |= {f"doc/{name}.md": text for name, text in files.items()}
        return run("check_links.py", pages).returncode != 0

    def test_files(self):
        self.assertFalse(self.refused(b="[a](a.md) [up](../README.md) [far](https://example.org/x.md)"))
        self.assertTrue(self.refused(b="[a](missing.md)"))

    def test_headings(self):
        self.assertFalse(self.refused(b="# B\n[a](../README.md#part-two-links) [here](#b) [second](../README.md#same-1)"))
        self.assertTrue(self.refused(b="[a](../README.md#part-three)"))
        self.assertTrue(self.refused(b="[a](../README.md#same-2)"))
        self.assertTrue(self.refused(b="[a](a.md#x)", a="```\n# X\n```\n"))

    def test_code_has_no_links(self):
        self.assertFalse(self.refused(b="`x[i](j)`\n\n    y[i](j)\n\n```\nz[i](j)\n```\n"))

    def test_pages_named_in_text_and_sources(self):
        self.assertTrue(self.refused(b="see doc/missing.md"))
        source = {"src/base/b.c": "/* Mathematics: doc/math/b.md. */\n"}
        self.assertNotEqual(run("check_links.py", source).returncode, 0)
        source["doc/math/b.md"] = "# B\n"
        self.assertEqual(run("check_links.py", source).returncode, 0)


class Labels(unittest.TestCase):
    ROW = 'static const struct row rows[] = {{SECTION_DATA, "n_pos", "positive rows", "positives"}};\n'
    CALL = 'void f(void) { ney_result_add_int(root, "n_pos", 1); }\n'

    def outcome(self, labels, code, library=""):
        return run("check_labels.py", {"cli/labels.c": labels, "cli/a.c": code,
                                       "src/learn/a.c": library}).returncode

    def test_a_key_needs_a_label(self):
        self.assertEqual(self.outcome(self.ROW, self.CALL), 0)
        self.assertEqual(self.outcome(self.ROW, self.CALL + 'int b = ney_result_add_real(root, "n_new", 1);'), 1)
        self.assertEqual(self.outcome(self.ROW, self.CALL, 'int b = ney_model_set_text(m, LIST, "n_new", "");'), 1)

    def test_a_label_needs_a_key(self):
        self.assertEqual(self.outcome(self.ROW, ""), 1)

    def test_a_label_is_words(self):
        self.assertEqual(self.outcome(self.ROW.replace("positive rows", "n_positive"), self.CALL), 1)


class Forbidden(unittest.TestCase):
    def found(self, name, kind, section):
        line = f"{name}|0000|   {kind}  |            OBJECT|0004|     |{section}"
        return bool(list(check_forbidden.complaints(line)))

    def test_calls(self):
        self.assertTrue(self.found("printf", "U", "*UND*"))
        self.assertTrue(self.found("__printf_chk", "U", "*UND*"))
        self.assertTrue(self.found("__isoc99_sscanf", "U", "*UND*"))
        self.assertFalse(self.found("snprintf", "U", "*UND*"))

    def test_state(self):
        self.assertTrue(self.found("counter", "b", ".bss"))
        self.assertTrue(self.found("cache", "d", ".data"))
        self.assertTrue(self.found("last", "d", ".data.rel.local"))
        self.assertFalse(self.found("table", "d", ".data.rel.ro.local"))
        self.assertFalse(self.found("names", "r", ".rodata"))


class Header(unittest.TestCase):
    def test_names_are_found_whatever_the_layout(self):
        text = ("#define NEY_API __attribute__((x(y)))\n/* NEY_API int ney_not(void); */\n"
                "NEY_API const char *ney_a(void);\nNEY_API MUST ney_status\n"
                "ney_b(int (*f)(void));\nint ney_private(void);\n")
        with tempfile.TemporaryDirectory() as folder:
            tree(folder, {"include/neyman/neyman.h": text})
            self.assertEqual(modules.public_names(folder), {"ney_a", "ney_b"})


class Exports(unittest.TestCase):
    """Headers and map that agree, and one change at a time."""

    def found(self, stable="ney_a", experimental="ney_b", extra="", exported=None):
        files = {"include/neyman/neyman.h": f"NEY_API int ney_a(void);\n{extra}\n",
                 "include/neyman/experimental/b.h": "NEY_EXPERIMENTAL int ney_b(void);\n",
                 "libneyman.map": f"NEYMAN_1.0 {{\nglobal:\n    {stable};\nlocal:\n    *;\n}};\n"
                                  f"NEYMAN_EXPERIMENTAL {{\nglobal:\n    {experimental};\n}};\n"}
        if exported is None:
            exported = {"ney_a": "NEYMAN_1.0", "ney_b": "NEYMAN_EXPERIMENTAL"}
        with tempfile.TemporaryDirectory() as folder:
            tree(folder, files)
            return list(check_exports.problems(pathlib.Path(folder), exported, {"ney_a"}, set()))

    def test_agreement(self):
        self.assertEqual(self.found(), [])

    def test_wrong_node(self):
        self.assertEqual(len(self.found("ney_b", "ney_a", exported={
            "ney_a": "NEYMAN_EXPERIMENTAL", "ney_b": "NEYMAN_1.0"})), 2)

    def test_wrong_version(self):
        self.assertEqual(len(self.found(exported={"ney_a": "NEYMAN_1.1",
                                                  "ney_b": "NEYMAN_EXPERIMENTAL"})), 1)

    def test_experimental_in_a_stable_header(self):
        self.assertTrue(self.found(extra="NEY_EXPERIMENTAL int ney_c(void);"))

    def test_missing(self):
        self.assertTrue(self.found(extra="NEY_API int ney_c(void);"))
        self.assertTrue(self.found(exported={"ney_a": "NEYMAN_1.0"}))

    def test_write(self):
        with tempfile.TemporaryDirectory() as folder:
            tree(folder, {"include/neyman/neyman.h": "NEY_API int ney_a(void);\nNEY_API int ney_c(void);\n",
                          "include/neyman/experimental/b.h": "NEY_EXPERIMENTAL int ney_b(void);\n",
                          "libneyman.map": "NEYMAN_1.0 {\nglobal:\n    ney_a;\nlocal:\n    *;\n};\n"
                                           "NEYMAN_1.1 {\nglobal:\n    ney_old;\n} NEYMAN_1.0;\n"
                                           "NEYMAN_EXPERIMENTAL {\nglobal:\n};\n"})
            root = pathlib.Path(folder)
            check_exports.write_map(root)
            self.assertEqual(check_exports.map_nodes(root), [
                ("NEYMAN_1.0", ["ney_a"]), ("NEYMAN_1.1", ["ney_c"]), ("NEYMAN_EXPERIMENTAL", ["ney_b"])])


if __name__ == "__main__":
    unittest.main()
