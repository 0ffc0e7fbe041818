"""Examples of docstrings and of the documentation page run; every public name has one."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil

import pytest

import neyman

MODULES = [f"neyman.{found.name}" for found in pkgutil.iter_modules(neyman.__path__) if found.name != "_core"]
PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc" / "python.md"


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("NEY_DATA", str(PAGE.parents[1] / "data"))
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.failed == 0 and result.attempted > 10


RESULTS = {"Certificate", "CertificatePair", "ConformalPValues", "Plan", "PlanPoint", "RocCurve"}  # returned, not called


@pytest.mark.parametrize("name", neyman.__all__)
def test_public_names_are_documented(name):
    text = inspect.getdoc(getattr(neyman, name))
    assert text and (name in RESULTS or ">>>" in text)
    if inspect.isfunction(getattr(neyman, name)):
        assert getattr(neyman, name).__annotations__
