#!/usr/bin/env python3
"""What check_page.py takes for the same output, and what not."""

import unittest

import check_page


class Same(unittest.TestCase):
    def test_numbers_within_the_tolerance(self):
        for shown, printed in (("Flags 1.72 % of", "Flags 1.87 % of"), ("396 of 1150 rows", "398 of 1150 rows"), ("rate  0.0112", "rate 0.0119"),
                               ("exit code 6", "exit code 6"), ("a   1.5   b", "a 1.51 b")):
            self.assertTrue(check_page.same(shown, printed), shown)

    def test_other_numbers_and_words(self):
        for shown, printed in (("Flags 1.72 % of", "Flags 2.2 % of"), ("396 of 1150 rows", "450 of 1150 rows"), ("exit code 6", "exit code 4"),
                               ("2 errors", "3 errors"), ("with confidence", "without confidence"), ("1 row", "row")):
            self.assertFalse(check_page.same(shown, printed), shown)


class Matches(unittest.TestCase):
    def test_dots_are_any_lines(self):
        self.assertTrue(check_page.matches(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertTrue(check_page.matches(["a", "..."], ["a"]))
        self.assertFalse(check_page.matches(["a", "...", "d"], ["a", "b"]))
        self.assertFalse(check_page.matches(["a"], ["a", "b"]))
        self.assertFalse(check_page.matches([], ["a"]))


class Examples(unittest.TestCase):
    def test_commands_with_output_and_files(self):
        lines = ["<!-- files:", "echo 1 > a", "-->", "", "    $ cat a \\", "      b", "    1", "    ...", "text", "    $ ls"]
        found = list(check_page.examples(lines))
        self.assertEqual([command for _, command, _ in found], ["set -e\necho 1 > a", "cat a \\\n      b", "ls"])
        self.assertEqual([output if output is None else list(output) for _, _, output in found], [None, [6, 7], []])

    def test_new_outputs_keep_the_lines_shown(self):
        self.assertEqual(check_page.renewed(["x", "...", "rate 0.1"], ["one", "two", "rate 0.2"]), ["one", "...", "rate 0.2"])
        self.assertEqual(check_page.renewed([], ["one"]), ["one"])


if __name__ == "__main__":
    unittest.main()
