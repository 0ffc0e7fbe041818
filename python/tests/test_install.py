"""The package as pip installs it."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.skipif("NEY_BINARY" not in os.environ, reason="runs under ctest, which says where libneyman.a is")
def test_pip_install(tmp_path):
    tree = tmp_path / "tree"  # pip builds inside the tree: not in the sources
    tree.mkdir()
    for name in ("CMakeLists.txt", "include"):
        (tree / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "python", tree / "python")
    env = {**os.environ, "NEYMAN_BUILD": os.environ["NEY_BINARY"]}
    env.pop("PYTHONPATH", None)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index",
                    "--disable-pip-version-check", "--target", tmp_path / "site", tree / "python"], check=True, env=env)
    installed = tmp_path / "site" / "neyman"
    assert (installed / "py.typed").exists() and (installed / "_core.abi3.so").exists()
    assert (installed / "page.html").read_bytes() == (ROOT / "web/page.html").read_bytes()
    told = subprocess.run([sys.executable, "-c", "import neyman; print(neyman.__file__, neyman.plan(max_fpr=.01).rows_needed)"],
                          check=True, capture_output=True, text=True, cwd=tmp_path,
                          env={**env, "PYTHONPATH": str(tmp_path / "site")}).stdout
    assert told.split() == [str(installed / "__init__.py"), "299"]
