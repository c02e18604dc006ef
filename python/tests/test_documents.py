"""Programs in the documents run."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def programs():
    for page in (ROOT / "docs/python.md", ROOT / "python/README.md"):
        for number, program in enumerate(re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text())):
            # Those with a file of the reader's own cannot.
            if "hero" not in program:
                yield pytest.param(program, id=f"{page.name}-{number}")


@pytest.mark.parametrize("program", list(programs()))
def test_it_runs(program, tmp_path):
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_there_are_some():
    assert len(list(programs())) == 3
