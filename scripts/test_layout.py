#!/usr/bin/env python3
"""Tests of how the crates are laid out: python3 -m unittest discover scripts"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def left_out(tests):
    """Files and folders of tests that the program `all.rs` beside them does not name, so that they would never run."""
    named = set(re.findall(r"(?m)^mod (\w+);$", (tests / "all.rs").read_text()))
    there = {path.stem for path in tests.glob("*.rs")} | {path.parent.name for path in tests.glob("*/mod.rs")}
    return there - named - {"all"}


class TestPrograms(unittest.TestCase):
    def test_every_file_of_tests_is_in_a_program(self):
        found = 0
        for manifest in ROOT.glob("crates/*/Cargo.toml"):
            if re.search(r"(?m)^autotests = false$", manifest.read_text()):
                found += 1
                self.assertEqual(left_out(manifest.parent / "tests"), set(), manifest.parent.name)
        self.assertGreater(found, 0)


if __name__ == "__main__":
    unittest.main()
