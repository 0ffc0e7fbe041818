"""Type hints."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "neyman"


def test_types():
    """The package as mypy sees it, where mypy is installed."""
    if importlib.util.find_spec("mypy") is None and shutil.which("mypy") is None:
        pytest.skip("mypy is not installed")
    command = [sys.executable, "-m", "mypy"] if importlib.util.find_spec("mypy") else ["mypy"]
    told = subprocess.run([*command, "--ignore-missing-imports", "--cache-dir", os.devnull, PACKAGE],
                          capture_output=True, text=True)
    assert "source files" in told.stdout, told.stderr
    found = [line for line in told.stdout.splitlines() if ": error: " in line]
    assert not found
