"""Examples of docstrings and of the documentation page run; every public name has one."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import neyman

MODULES = [f"neyman.{found.name}" for found in pkgutil.iter_modules(neyman.__path__) if found.name != "_core"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in (ROOT / "doc").rglob("*.md") if page.parent.name not in ("adr", "math") and ">>> " in page.read_text())


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.setenv("NEY_DATA", str(ROOT / "data"))
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(page), module_relative=False)
    assert result.failed == 0 and result.attempted > 10


def test_pages_with_examples_are_found():
    assert {page.stem for page in PAGES} >= {"python", "from_sklearn"}


def test_the_example_runs(tmp_path):
    """The notebook-style example ends in a picture."""
    example = ROOT / "python" / "examples" / "spam.py"
    told = subprocess.run([sys.executable, example, tmp_path / "spam.png"], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert "At most 2 % of negatives" in told.stdout and "no alarm" in told.stdout
    assert (tmp_path / "spam.png").stat().st_size > 10000


@pytest.mark.parametrize("name", neyman.__all__)
def test_public_names_are_documented(name):
    text = inspect.getdoc(getattr(neyman, name))
    assert text and ">>>" in text and "Examples\n--------" in text
    public = getattr(neyman, name)
    methods = [public] if inspect.isfunction(public) else [
        value for key, value in vars(public).items() if inspect.isfunction(value) and not key.startswith("_")]
    for method in methods:
        assert inspect.getdoc(method), method.__qualname__
        assert method.__annotations__.get("return"), method.__qualname__
        missing = set(inspect.signature(method).parameters) - set(method.__annotations__) - {"self"}
        assert not missing, (method.__qualname__, missing)
