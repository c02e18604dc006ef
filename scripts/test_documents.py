#!/usr/bin/env python3
"""Tests of what the documents say about files, figures and each other: python3 -m unittest discover scripts"""

import pathlib
import re
import unittest

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "docs/results").glob("*.md"))


class Documents(unittest.TestCase):
    def test_every_subject_has_a_file_and_every_file_a_subject_that_the_index_names(self):
        index = (ROOT / "docs/results/README.md").read_text()
        for subject in results.SUBJECTS:
            self.assertTrue((ROOT / f"docs/results/{results.FILE_OF.get(subject, subject)}.md").exists(), subject)
        for path in FILES:
            self.assertTrue(path.name == "README.md" or f"({path.name})" in index, path.name)

    def test_every_section_says_where_its_figures_come_from(self):
        origin = re.compile(r"^## .+\n\n\| date \| commit \| CPU \| command \|\n\|---\|---\|---\|---\|\n(\| 20\d\d-\d\d-\d\d \| [0-9a-f]{7}.* \| .+ \| .*\S.* \|\n)+")
        self.assertRegex(results.written("H", "1234567", ["sinew bench sim"], "body"), origin)
        for path in FILES:
            for section in re.split(r"(?m)^(?=## )", path.read_text())[1:]:
                self.assertRegex(section, origin, path.name)

    def test_links_lead_to_files_and_headings(self):
        pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "crates/studio/PROTOCOL.md"]
        for page in pages:
            text = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                found = (page.parent / name).resolve() if name else page
                self.assertTrue(found.exists(), f"{page.name}: {target}")
                if anchor:
                    self.assertIn(anchor, [slug(line) for line in re.findall(r"(?m)^#+ (.+)$", found.read_text())], f"{page.name}: {target}")


class Architecture(unittest.TestCase):
    def test_every_crate_is_listed_with_the_files_that_it_has(self):
        text = (ROOT / "ARCHITECTURE.md").read_text()
        for crate in sorted(path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")):
            self.assertIn(f"| `crates/{crate}` |", text, "the table of crates")
            section = re.search(rf"(?ms)^## `crates/{crate}`$(.*?)(?=^## )", text)
            self.assertIsNotNone(section, f"a list of the files of crates/{crate}")
            named = set()
            for block in re.findall(r"(?ms)^```text\n(.*?)^```", section[1]):
                for line in block.splitlines():
                    named |= set(re.match(r"[\w./]+(?:, [\w./]+)*", line)[0].split(", "))
            source = ROOT / "crates" / crate / "src"
            for name in sorted(named):
                self.assertTrue((source / name).exists(), f"crates/{crate}: {name} is listed, but not there")
            there = {path.name + ("/" if path.is_dir() else "") for path in source.iterdir()}
            silent = {"lib.rs", "main.rs", "error.rs"}
            missing = {name for name in there - named - silent if not re.search(r"test", name)}
            self.assertEqual(missing, set(), f"crates/{crate}: these are there, but not listed")


def slug(heading):
    """A heading's anchor, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


if __name__ == "__main__":
    unittest.main()
