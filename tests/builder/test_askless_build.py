"""The build backend: it finds a compiler, or brings one, and says what is missing before it begins.

What would make these fail: a compiler that is there and is not taken, zig added where it is not
needed or forgotten where it is, commands that do not call it, an environment that stays changed.
"""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILDER = ROOT / "builder" / "askless_build.py"


@pytest.fixture
def backend(tmp_path, monkeypatch):
    """The backend, on a machine with nothing on its PATH and folders of its own."""
    monkeypatch.syspath_prepend(str(BUILDER.parent))
    spec = importlib.util.spec_from_file_location("askless_build", BUILDER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    monkeypatch.setattr(module, "COMMANDS", tmp_path / "commands")
    include = tmp_path / "include"
    include.mkdir()
    (include / "Python.h").touch()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: {"include": str(include)}[name])
    return module


@pytest.fixture
def program(tmp_path):
    """Put a program on the PATH."""

    def put(name):
        path = tmp_path / "bin" / name
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return str(path)

    return put


@pytest.fixture
def calls(backend, monkeypatch):
    """What scikit-build-core is called with, and the environment that it sees."""
    made = []

    def build(name):
        def build_it(*arguments):
            made.append((name, arguments, dict(os.environ)))
            return "askless.whl"

        return build_it

    for name in ("build_wheel", "build_editable"):
        monkeypatch.setattr(backend.backend, name, build(name))
    return made


# -- a compiler -----------------------------------------------------------------------------------


def test_where_there_is_no_compiler_none_is_found(backend):
    assert backend.compiler() is None


@pytest.mark.parametrize("name", ["c++", "g++", "clang++"])
def test_any_of_the_usual_compilers_is_found(backend, program, name):
    usual = program(name)
    assert backend.compiler() == usual


def test_the_compiler_that_cxx_names_comes_first(backend, program, monkeypatch):
    program("c++")
    own = program("own-compiler")
    monkeypatch.setenv("CXX", "own-compiler -m64")
    assert backend.compiler() == own


def test_a_cxx_that_is_not_there_does_not_hide_one_that_is(backend, program, monkeypatch):
    usual = program("g++")
    monkeypatch.setenv("CXX", "nowhere")
    assert backend.compiler() == usual


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_zig_is_asked_for_only_where_there_is_no_compiler(backend, program, kind, monkeypatch):
    name = f"get_requires_for_build_{kind}"
    monkeypatch.setattr(backend.backend, name, lambda _settings: ["ninja"])
    wanted = getattr(backend, name)
    assert wanted() == ["ninja", "ziglang>=0.13"]
    program("c++")
    assert wanted() == ["ninja"]


# -- a build --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["build_wheel", "build_editable"])
def test_a_machine_with_a_compiler_is_left_as_it_is(backend, program, calls, kind):
    program("c++")
    before = dict(os.environ)
    assert getattr(backend, kind)("dist", {"a": "b"}, "metadata") == "askless.whl"
    assert calls == [(kind, ("dist", {"a": "b"}, "metadata"), before)]
    assert not backend.COMMANDS.exists()


@pytest.mark.parametrize("kind", ["build_wheel", "build_editable"])
def test_a_machine_without_one_builds_with_zig(backend, calls, kind, monkeypatch):
    monkeypatch.setenv("CMAKE_ARGS", "-DASKLESS_CHECKED=ON")
    before = dict(os.environ)
    getattr(backend, kind)("dist")
    [(called, _, seen)] = calls
    folder = backend.COMMANDS
    assert called == kind
    assert seen["CMAKE_ARGS"].split() == [
        "-DASKLESS_CHECKED=ON",
        f"-DCMAKE_CXX_COMPILER={folder}/zig-c++",
        f"-DCMAKE_AR={folder}/zig-ar",
        f"-DCMAKE_RANLIB={folder}/zig-ranlib",
    ]
    assert dict(os.environ) == before


def test_a_build_that_fails_leaves_the_environment_as_it_was(backend, monkeypatch):
    def fail(*_):
        raise RuntimeError("no room on the disk")

    monkeypatch.setattr(backend.backend, "build_wheel", fail)
    before = dict(os.environ)
    with pytest.raises(RuntimeError, match="no room"):
        backend.build_wheel("dist")
    assert dict(os.environ) == before


def test_the_commands_hand_everything_on_to_zig(backend, tmp_path, monkeypatch):
    stand_in = tmp_path / "modules" / "ziglang"
    stand_in.mkdir(parents=True)
    (stand_in / "__init__.py").touch()
    (stand_in / "__main__.py").write_text("import sys; print(sys.argv[1:])")
    monkeypatch.setenv("PYTHONPATH", str(stand_in.parent))
    backend.write_commands(tmp_path / "with a space")
    for tool in ("c++", "ar", "ranlib"):
        script = tmp_path / "with a space" / f"zig-{tool}"
        told = subprocess.run([script, "-c", "a b.cpp"], capture_output=True, text=True, check=True)
        assert told.stdout.strip() == str([tool, "-c", "a b.cpp"])


def test_a_second_build_finds_the_commands_where_the_first_had_them(backend, calls):
    backend.build_wheel("dist")
    backend.build_wheel("dist")
    assert calls[0][2]["CMAKE_ARGS"] == calls[1][2]["CMAKE_ARGS"]


# -- headers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["build_wheel", "build_editable"])
def test_missing_headers_are_named_in_one_sentence(backend, program, calls, kind):
    program("c++")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    header.unlink()
    with pytest.raises(SystemExit) as stopped:
        getattr(backend, kind)("dist")
    said = str(stopped.value)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert str(header) in said
    assert f"python{version}-dev" in said
    assert "\n" not in said
    assert not calls


# -- a source distribution ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_source_distribution_has_what_a_build_needs_and_nothing_that_one_made(
    backend, tmp_path, monkeypatch
):
    monkeypatch.chdir(ROOT)
    name = backend.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        packed = {member.name.partition("/")[2] for member in archive.getmembers()}
    needed = [BUILDER, *ROOT.glob("*.toml"), ROOT / "CMakeLists.txt", ROOT / "README.md"]
    needed += [ROOT / "LICENSE", *ROOT.glob("src/core/*.?pp"), *ROOT.glob("src/askless/**/*.py")]
    assert {str(path.relative_to(ROOT)) for path in needed} <= packed
    made = (".so", ".o", ".pyc")
    assert not [path for path in packed if path.endswith(made) or path.startswith("build/")]
