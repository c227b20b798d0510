"""Other versions of the package, for benchmarks that change it or compare with it.

Each has a folder of its own, in which its core is built for this processor alone; what has not
changed since is not compiled again. Needs cmake, a C++ compiler and nanobind, as the core does.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = ("CMakeLists.txt", "src")  # of the repository: what a core is built from

# An editable installation answers for its package before any path does. Python runs this first.
STEP_ASIDE = """\
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "ScikitBuild" not in type(one).__name__]
"""


@contextmanager
def sources_of(revision: str) -> Iterator[Path]:
    """Unpack the package of a revision, built; yields the folder that Python must look in.

    A revision from before the core compiles itself while it runs, which takes numba.
    """
    git = ["git", "-C", str(ROOT)]
    listed = [*git, "ls-tree", "--name-only", revision]
    there = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split()
    parts = [part for part in PARTS if part in there]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        archive = subprocess.run(
            [*git, "archive", revision, *parts], check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", place], input=archive, check=True)
        if (folder / "src" / "core").exists():
            build(folder)
        yield folder / "src"


@contextmanager
def copied() -> Iterator[Path]:
    """Copy these sources, to be changed and built; yields the folder that has them in `src`."""
    with tempfile.TemporaryDirectory() as place:
        folder, unwanted = Path(place), shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copy(ROOT / "CMakeLists.txt", folder)
        shutil.copytree(ROOT / "src", folder / "src", ignore=unwanted)
        yield folder


def build(folder: Path, *more: str) -> None:
    """Build the core of the sources in a folder and put it in its place among them.

    `more` are further settings of CMake; of two for the same, the later one counts.
    """
    from askless import core  # noqa: PLC0415 (older revisions, which import this too, have none)

    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    made, cmake = folder / "build", shutil.which("cmake", path=tools)
    if cmake is None:
        raise SystemExit("cmake is missing, without which the core cannot be built")
    settings = [f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Release", *more]
    ninja = shutil.which("ninja", path=tools)
    if ninja:
        settings += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    _run([cmake, "-S", str(folder), "-B", str(made), *settings])
    wanted = [f"_core_{core.LEVEL}", "_processor"]
    _run([cmake, "--build", str(made), "--target", *wanted])
    for name in wanted:
        for module in made.glob(f"{name}.*so"):
            shutil.copy(module, folder / "src" / "askless" / "core")


def _run(command: list[str]) -> None:
    """Run a command; what it says is shown only where it fails."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-4_000:]}")


def places(source: Path, *more: Path, **given: str) -> dict[str, str]:
    """Return the environment in which Python finds the package in a folder; checks that it does.

    `more` are further folders that Python looks in, `given` are further variables.
    """
    (source / "sitecustomize.py").write_text(STEP_ASIDE, encoding="utf-8")
    paths = [str(source), *map(str, more), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | given | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    found = subprocess.run(
        [sys.executable, "-c", "import askless; print(askless.__file__)"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    if not found.startswith(str(source)):
        raise SystemExit(f"{found} was imported instead of what is in {source}")
    return environment
