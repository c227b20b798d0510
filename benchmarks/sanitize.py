"""`make sanitize`: the core with checks of addresses, of undefined behaviour and of every index.

Sources and build are in build/sanitize, which is kept: what has not changed is not compiled again.
Python finds the package there because the folder comes first and the editable installation steps
aside (`revisions.places`); .venv is not touched. Before the tests run, bugs are planted one after
the other, each of which must end the process: else the checks are not at work.
"""

import os
import shutil
import subprocess
import sys
from typing import NamedTuple

from revisions import PARTS, ROOT, build, places

FOLDER = ROOT / "build" / "sanitize"
SETTINGS = (
    "-DASKLESS_SANITIZE=address,undefined",
    "-DASKLESS_CHECKED=ON",
    "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1",
)
TESTS = (
    "tests/core",
    "tests/policies/test_interactive.py",
    "tests/policies/test_interactive_edges.py",
    "tests/policies/test_interactive_explained.py",
    "tests/policies/test_first_asks.py",
    "tests/policies/test_epoch_survey_ucb.py",
    "tests/policies/test_epoch_ends.py",
    "tests/policies/test_epoch_saved.py",
    "tests/policies/test_epoch_unlearning.py",
    "tests/policies/test_epoch_draws.py",
    "tests/policies/test_epoch_start.py",
    "tests/policies/test_short_forms.py",
    "tests/policies/test_short_saved.py",
    "tests/policies/test_short_check.py",
    "tests/simulation/test_loops.py",
    "tests/simulation/test_loops_on_tables.py",
    "tests/simulation/test_epoch_loops.py",
    "tests/simulation/test_epoch_visits.py",
    "tests/simulation/test_short_loops.py",
    "tests/test_sparse.py",
)
# A row of a survey is read by the core here.
PLAY = """\
import askless as al, numpy as np
al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1)).play(np.array([1.0, 0.0, 0.0]))
"""
DOOR, LINE = "core/bind_arms.cpp", "    if (z.size() != p) return false;\n"


class Planted(NamedTuple):
    """A bug, and what must be said about it."""

    name: str
    code: str
    said: str


PLANTED = (
    Planted(
        "a read beyond an array of numpy",
        "    if (z.begin()[p] == 0.5) return false;\n",
        "heap-buffer-overflow",
    ),
    Planted(
        "an index out of bounds",
        "    if (arms.row.all()[arms.wide + WIDTH] == 0.5) return false;\n",
        "an index is out of bounds",
    ),
    Planted(
        "undefined behaviour: a shift by all bits",
        "    if (Whole(1) << (61 + p) == 5) return false;\n",
        "shift exponent 64 is too large",
    ),
)


def bring_sources() -> None:
    """Make the sources in the folder those of the checkout; what is the same keeps its age."""
    wanted = set()
    for part in PARTS:
        top = ROOT / part
        files = [top] if top.is_file() else [path for path in top.rglob("*") if path.is_file()]
        for path in files:
            if path.suffix == ".so" or "__pycache__" in path.parts:
                continue
            place = FOLDER / path.relative_to(ROOT)
            wanted.add(place)
            if not place.exists() or place.read_bytes() != path.read_bytes():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
    for place in (FOLDER / "src").rglob("*"):
        if place.suffix in {".py", ".cpp", ".hpp"} and place not in wanted:
            place.unlink()


def environment() -> dict[str, str]:
    """Return the environment in which Python runs with the checks, and finds what is checked."""
    libraries = [
        subprocess.run(
            [os.environ.get("CXX", "g++"), f"-print-file-name={name}"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    log = f"log_path={FOLDER / 'found'}"  # pytest swallows what is written to stderr
    return places(
        FOLDER / "src",
        ROOT / "tests",
        # Python leaves objects behind when it ends.
        ASAN_OPTIONS=f"detect_leaks=0:handle_abort=1:{log}",
        UBSAN_OPTIONS=f"halt_on_error=1:print_stacktrace=1:{log}",
        LD_PRELOAD=" ".join(libraries),
    )


def found() -> str:
    """Return what the checks have said since it was asked last."""
    said = ""
    for path in FOLDER.glob("found.*"):
        said += path.read_text(encoding="utf-8", errors="replace")
        path.unlink()
    return said


def must_be_caught(planted: Planted) -> None:
    """Build a bug in, and stop unless it ends the process with what must be said."""
    path = FOLDER / "src" / DOOR
    before = path.read_text(encoding="utf-8")
    if before.count(LINE) != 1:
        raise SystemExit(f"{DOOR} does not have once: {LINE}")
    path.write_text(before.replace(LINE, LINE + planted.code), encoding="utf-8")
    build(FOLDER, *SETTINGS)
    run = subprocess.run(
        [sys.executable, "-c", PLAY], env=environment(), capture_output=True, text=True, check=False
    )
    path.write_text(before, encoding="utf-8")
    said = run.stderr + found()
    if run.returncode == 0 or planted.said not in said:
        raise SystemExit(f"not caught: {planted.name}\n{said}")
    print(f"caught: {planted.name} ({planted.said})", flush=True)


def main(sequences: int) -> None:
    """Show that bugs are caught, run the tests, then play random operations."""
    bring_sources()
    build(FOLDER, *SETTINGS)
    for planted in PLANTED:
        must_be_caught(planted)
    build(FOLDER, *SETTINGS)
    checked, python = environment(), [sys.executable]
    plugins = ("-p", "no:cacheprovider", "-p", "no:faulthandler")
    tests = [*python, "-m", "pytest", "-q", *plugins, "-n", "2", *TESTS]
    soak = [*python, str(ROOT / "benchmarks" / "soak.py"), str(sequences)]
    for command in (tests, soak):
        done = subprocess.run(command, cwd=ROOT, env=checked, check=False)
        said = found()
        if done.returncode or said:
            raise SystemExit(f"something was found\n{said[:8_000]}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
