#!/usr/bin/env python3
"""Tests of results.py: python3 -m unittest discover scripts"""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A program that answers as `sinew feedback --json` and `sinew transfer --json` do.
FAKE = """#!/bin/sh
echo '{"tested_repetitions": 64, "repetitions_open_loop": 2, "repetitions_feedback": 63, "wall_secs": 5.4, "threads": 2,
  "pushes": [{"direction_deg": 90.0, "newtons_open_loop": 0.0, "newtons_feedback": 150.0}]}'
"""


class Script(unittest.TestCase):
    def test_one_section_is_replaced_and_the_others_stay(self):
        document = "# T\n\nabout\n\n## A\n\na\n\n## B, 2 cores\n\nold\n\n## B, 20 cores\n\nc\n"
        changed = results.replaced(document, "B, 2 cores", "## B, 2 cores\n\nnew\n")
        self.assertEqual(changed, document.replace("old", "new"))
        self.assertEqual(results.replaced("# T\n", "D", "## D\n\nd\n"), "# T\n\n## D\n\nd\n")

    def test_a_subject_is_measured_into_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = pathlib.Path(folder, "sinew")
            fake.write_text(FAKE)
            fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
            command = [sys.executable, ROOT / "scripts/results.py", "feedback", "--sinew", fake, "--out", folder, "--commit", "1234567"]
            subprocess.run(command, check=True, capture_output=True)
            found = pathlib.Path(folder, "feedback.md").read_text()
        own = found[found.index(f"## {results.machine()}") :]
        for part in ("| 1234567 |", "`sinew feedback w`", "| repetitions of 64 | 2 | 63 |", "at 90°, N | 0 | 150 |"):
            self.assertIn(part, own)

    def test_a_program_older_than_its_sources_is_refused(self):
        with tempfile.NamedTemporaryFile() as old:
            os.utime(old.name, (0, 0))
            with self.assertRaises(SystemExit) as refused:
                results.commit_of_build(pathlib.Path(old.name))
            self.assertRegex(str(refused.exception), "older than its sources|no Git repository")

    def test_a_command_that_fails_leaves_the_file_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, ROOT / "scripts/results.py", "control", "--sinew", "/bin/false", "--out", folder, "--commit", "1"]
            self.assertNotEqual(subprocess.run(command, capture_output=True).returncode, 0)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
