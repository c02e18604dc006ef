"""What tests share."""

import json
import os
import subprocess

import pytest


@pytest.fixture(scope="session")
def program():
    """Runs the program of the same build, named by SINEW_BINARY, and returns what it prints as JSON."""
    binary = os.environ.get("SINEW_BINARY")
    if not binary:
        pytest.skip("SINEW_BINARY names no program")

    def run(*arguments):
        ran = subprocess.run([binary, *map(str, arguments), "--json"], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return run
