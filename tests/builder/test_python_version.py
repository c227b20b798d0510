"""A Python that is too old is refused at once, in one line, by make and by pip's first question."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "builder" / "python_version.py"
REFUSED = (
    "askless needs Python 3.11 or newer, and this is 3.10.13; name one, as in"
    " make ready PYTHON=python3.11 or python3.11 -m pip install ."
)

OF_MAKE = ("MAKE", "MFLAGS")  # which a make leaves to another one that it calls


def test_the_version_is_that_of_the_package():
    """Fails if pyproject.toml asks for another Python than make and the backend do."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert needed == ">=" + ".".join(map(str, runpy.run_path(str(SCRIPT))["NEEDED"]))


@pytest.mark.parametrize(
    ("version", "said"),
    [((3, 10, 13), REFUSED), ((3, 11, 0), ""), ((3, 20, 1), ""), ((4, 0, 0), "")],
)
def test_older_ones_are_refused_and_no_other(version, said):
    assert runpy.run_path(str(SCRIPT))["refusal"]((*version, "final", 0)) == said


def aged(folder):
    """Return a command that is this Python, and says that it is 3.10.13."""
    (folder / "sitecustomize.py").write_text(
        "import sys; sys.version_info = (3, 10, 13, 'final', 0)"
    )
    python = folder / "python3.10"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return str(python)


def test_make_refuses_before_it_makes_anything(tmp_path):
    """Fails if make begins to install, which then looks for packages for many minutes."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "builder", tmp_path / "builder")
    make = ["make", "ready", f"PYTHON={aged(tmp_path)}"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith(OF_MAKE)}
    done = subprocess.run(
        make, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    said, failed = done.stderr.splitlines()
    assert said == REFUSED
    assert re.match(r"make: \*\*\* ", failed)
    assert done.stdout == ""
    assert not (tmp_path / ".venv").exists()


def test_the_backend_refuses_before_it_needs_anything(tmp_path):
    """Pip asks it first what it needs; fails if it looks for packages before it looks at Python."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    code = "import sys; sys.path.insert(0, sys.argv[1]); sys.modules['scikit_build_core'] = None"
    done = subprocess.run(
        [aged(tmp_path), "-c", f"{code}; import askless_build", str(SCRIPT.parent)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (1, "", REFUSED)
