import tempfile
import unittest
from pathlib import Path

import verdicts


class Verdicts(unittest.TestCase):
    def test_the_table_has_what_people_say_in_rows(self):
        lines = list(verdicts.table([("faithful", "faithful"), ("faithful", "loose"), ("failed", "loose"), ("loose", "loose")]))
        self.assertEqual(lines[2:5], ["| faithful | 1 | 1 | 0 |", "| loose | 0 | 1 | 0 |", "| failed | 0 | 1 | 0 |"])
        self.assertEqual(lines[-1], "They agree on 2 of 4.")

    def test_a_label_that_is_none_is_refused_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "labels.tsv"
            path.write_text("# head\nwalk-0\tfaithful\tsame walk\nrun-0\tgood\tfine\n")
            with self.assertRaises(SystemExit) as refused:
                list(verdicts.labels(path))
            self.assertIn("line 3", str(refused.exception))

    def test_the_published_labels_are_read(self):
        told = list(verdicts.labels(Path(__file__).parent.parent / "docs/results/verdicts.tsv"))
        self.assertGreaterEqual(len(told), 150)


if __name__ == "__main__":
    unittest.main()
