#!/usr/bin/env python3
"""Tests of results.py: python3 -m unittest discover scripts"""

import contextlib
import io
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
  "pushes": [{"direction_deg": 90.0, "newtons_open_loop": 0.0, "newtons_feedback": 150.0, "weight_secs_feedback": 0.028}]}'
"""


# A program that transfers: the greedy search costs half as much, and falls in the human's punch.
SEARCHER = """#!/bin/sh
completed=true; cost=0.2
while [ $# -gt 0 ]; do
  case "$1" in --out) out=$2;; --config) case "$2" in *greedy*) cost=0.1; case "$out" in *punch*) completed=false;; esac;; esac;; esac
  shift
done
mkdir -p "$out"
echo '{"completed": '$completed', "cost_mean": '$cost', "jerk_ratio": 1.0, "foot_skate": 0.0, "max_penetration": 0.0,
  "verdict": "faithful", "verdict_sentence": "Faithful", "effectors_off_percent": 1.0, "joints_off_deg": 1.0, "skate_percent": 0.0,
  "depth_percent": 0.0, "wall_secs": 2.0, "duration_secs": 1.0}'
"""


def program(folder, text):
    path = pathlib.Path(folder, "sinew")
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class Script(unittest.TestCase):
    def test_one_section_is_replaced_and_the_others_stay(self):
        document = "# T\n\nabout\n\n## A\n\na\n\n## B, 2 cores\n\nold\n\n## B, 20 cores\n\nc\n"
        changed = results.replaced(document, "B, 2 cores", "## B, 2 cores\n\nnew\n")
        self.assertEqual(changed, document.replace("old", "new"))
        self.assertEqual(results.replaced("# T\n", "D", "## D\n\nd\n"), "# T\n\n## D\n\nd\n")

    def test_a_subject_is_measured_into_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = program(folder, FAKE)
            command = [sys.executable, ROOT / "scripts/results.py", "feedback", "--sinew", fake, "--out", folder, "--commit", "1234567"]
            subprocess.run(command, check=True, capture_output=True)
            found = pathlib.Path(folder, "feedback.md").read_text()
        own = found[found.index(f"## {results.machine()}") :]
        for part in ("| 1234567 |", "`sinew feedback w`", "| repetitions of 64 | 2 | 63 |", "at 90°, N | 0 | 150 (0.028 s of the weight) |"):
            self.assertIn(part, own)

    def test_two_searches_are_compared_where_both_stand(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            measurement = results.Measurement(str(program(folder, SEARCHER)), None, "1", folder, kept=folder)
            results.greedy(measurement)
        commands, body = measurement.sections["Wide band against greedy search"]
        self.assertEqual([command.split()[-1] for command in commands], ["wide.toml", "greedy.toml"])
        for row in ("| falls | none | human-punch-0 |", "of 5 that complete | 0 | 5 |", "| 1 | 0.50 |", "| human-walk-0 | 0.50 |"):
            self.assertIn(row, body)

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
