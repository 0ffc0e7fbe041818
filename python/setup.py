"""Builds the extension neyman._core against libneyman.

Where the library comes from, the first of these that applies:

1. NEYMAN_BUILD=FOLDER in the environment: the libneyman.a of a CMake build of this repository;
2. NEYMAN_SYSTEM=1: the installed library, found by pkg-config;
3. the repository around this folder: libneyman.a is built with CMake in the temporary build folder;
4. the installed library.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
STATIC_NEEDS = ["zlib", "libzstd", "libxxhash"]


def is_repository(folder):
    return (folder / "CMakeLists.txt").is_file() and (folder / "include/neyman/neyman.h").is_file()


def pkg_config(*words):
    try:
        return shlex.split(subprocess.run(["pkg-config", *words], check=True, text=True, capture_output=True).stdout)
    except FileNotFoundError:
        sys.exit("neyman: pkg-config is missing (Debian: apt install pkg-config)")
    except subprocess.CalledProcessError as error:
        sys.exit(f"neyman: pkg-config {' '.join(words)} failed: {error.stderr.strip()}\n"
                 "Install libneyman (`make install` in its repository) or build from the repository, which needs\n"
                 "cmake, a C compiler and the headers of zlib, zstd, xxhash and cJSON (`./run python` installs them).")


def version():
    """That of the library's header in the repository; else that of the installed library."""
    header = ROOT / "include/neyman/base.h"
    if is_repository(ROOT):
        return ".".join(re.findall(r"^#define NEY_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header.read_text(), re.M))
    return pkg_config("--modversion", "neyman")[0]


def build_library(folder):
    """Build the static library of the repository; returns the build folder."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DNEY_CHARTS=OFF",
                        "-DNEY_MANUAL=OFF"], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "neyman_static", "--parallel"], check=True)
    except FileNotFoundError:
        sys.exit("neyman: cmake is missing (Debian: apt install cmake)")
    return folder


class BuildWithLibrary(build_ext):
    def build_extension(self, ext):
        given = os.environ.get("NEYMAN_BUILD")
        if given:
            self.link_static(ext, pathlib.Path(given).resolve())
        elif not os.environ.get("NEYMAN_SYSTEM") and is_repository(ROOT):
            self.link_static(ext, build_library(pathlib.Path(self.build_temp).resolve() / "libneyman"))
        else:
            ext.extra_compile_args += pkg_config("--cflags", "neyman")
            ext.extra_link_args += pkg_config("--libs", "neyman")
        super().build_extension(ext)

    def link_static(self, ext, folder):
        library = folder / "libneyman.a"
        if not library.is_file():
            sys.exit(f"neyman: {library} does not exist")
        ext.include_dirs.append(str(ROOT / "include"))
        ext.extra_objects.append(str(library))
        ext.extra_link_args += [*pkg_config("--libs", *STATIC_NEEDS), "-pthread", "-lm"]


setup(
    version=version(),
    ext_modules=[Extension("neyman._core", sorted(f"src/core/{p.name}" for p in (HERE / "src/core").glob("*.c")),
                           depends=["src/core/core.h"], extra_compile_args=["-std=c17", "-O2"],
                           py_limited_api=True)],
    cmdclass={"build_ext": BuildWithLibrary},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
