"""The build backend: scikit-build-core, and a compiler out of a package where there is none.

Where no C++ compiler is found, `ziglang` is added to what the build needs, which has one. Where
Python's headers are missing, or Python is too old, it says so before anything is compiled.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import python_version  # noqa: F401 (refuses one that is too old)
from scikit_build_core import build as backend
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

COMPILERS = ("c++", "g++", "clang++", "cl", "clang-cl")
# What CMake calls by itself, and the command of zig that does it.
TOOLS = {"CXX_COMPILER": "c++", "AR": "ar", "RANLIB": "ranlib"}
# Where these commands are: CMake remembers it from one build to the next.
COMMANDS = Path(__file__).resolve().parent.parent / "build" / "zig"


def compiler() -> str | None:
    """Return the C++ compiler of this machine; nothing where there is none."""
    given = os.environ.get("CXX", "").split()
    found = [shutil.which(name) for name in (*given[:1], *COMPILERS)]
    return next((path for path in found if path), None)


def check_headers() -> None:
    """Stop where Python's headers are missing."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SystemExit(
            f"askless: {header} is missing, without which nothing can be compiled for Python;"
            f" install the headers of Python {version} (Debian: python{version}-dev)"
        )


@contextmanager
def with_compiler() -> Iterator[None]:
    """Let CMake find a compiler: the machine's, or that of `ziglang`."""
    check_headers()
    if compiler():
        yield
        return
    before = dict(os.environ)
    given = shlex.split(before.get("CMAKE_ARGS", ""))
    os.environ["CMAKE_ARGS"] = shlex.join([*given, *write_commands(COMMANDS)])
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def write_commands(folder: Path) -> list[str]:
    """Write commands that call zig's tools; return what tells CMake of them."""
    folder.mkdir(parents=True, exist_ok=True)
    arguments = []
    for variable, tool in TOOLS.items():
        script = folder / f"zig-{tool}"
        python = shlex.quote(sys.executable)
        script.write_text(f'#!/bin/sh\nexec {python} -m ziglang {tool} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        arguments.append(f"-DCMAKE_{variable}={script}")
    return arguments


def _with_zig(requirements: list[str]) -> list[str]:
    return requirements if compiler() else [*requirements, "ziglang>=0.13"]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return what building a wheel needs beside what pyproject.toml lists."""
    return _with_zig(backend.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return what an editable installation needs beside what pyproject.toml lists."""
    return _with_zig(backend.get_requires_for_build_editable(config_settings))


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel."""
    with with_compiler():
        return backend.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build what an editable installation has."""
    with with_compiler():
        return backend.build_editable(wheel_directory, config_settings, metadata_directory)
