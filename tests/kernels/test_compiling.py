"""The cache of compiled kernels, and that whoever waits for them is told so, once.

An edit anywhere among the kernels recompiles their callers.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from askless.kernels import ahead, bundles, compiling, doors, radius, ridge, rows, triangle

CALLEE = "from compiling import kernel\n\n@kernel()\ndef number():\n    return {}\n"
CALLER = """\
from compiling import kernel
from callee import number

@kernel()
def twice():
    return 2 * number()

print(twice(), sum(twice.stats.cache_hits.values()))
"""


def run(folder):
    command = [sys.executable, "caller.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_an_edit_of_a_callee_recompiles_its_caller(tmp_path):
    # Plain numba answers 42 again after the edit: its stamp is of the caller's file alone.
    shutil.copy(compiling.__file__, tmp_path / "compiling.py")
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "callee.py").write_text(CALLEE.format(21))
    assert run(tmp_path) == ["42", "0"]
    assert run(tmp_path) == ["42", "1"]  # the second process finds it compiled
    (tmp_path / "callee.py").write_text(CALLEE.format(50))
    assert run(tmp_path) == ["100", "0"]


def test_every_kernel_carries_the_common_stamp():
    kernels = [
        thing
        for module in (ahead, bundles, triangle, rows, radius, ridge, doors)
        for thing in vars(module).values()
        if hasattr(thing, "py_func") and hasattr(thing._cache, "_cache_file")
    ]
    assert len(kernels) > 15
    stamps = {thing._cache._cache_file._source_stamp for thing in kernels}
    assert stamps == {compiling.fingerprint(Path(compiling.__file__).parent)}


def test_where_no_cache_can_be_written_kernels_are_compiled_all_the_same(monkeypatch):
    real = compiling.njit

    def njit(**options):
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return real(**options)

    monkeypatch.setattr(compiling, "njit", njit)
    monkeypatch.setattr(compiling, "notice", compiling.Notice())

    @compiling.kernel()
    def seven():
        return 7

    assert seven() == 7
    assert compiling.notice.folder is None  # which is said to who waits, below


# -- who waits is told -----------------------------------------------------------------------------


FIRST_DECISION = """
import askless as al
from askless.kernels import compiling

compiling.PATIENCE = 0.0  # whatever the machine
policy = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
print(policy.visit(known={"x1": 0.5, "x2": 0.5}).arm, compiling.notice.seconds > 0)
"""


def test_a_first_decision_says_once_that_it_compiles_and_never_again(tmp_path):
    """Many kernels are compiled in it; a line for each of them would be some ten lines."""

    def decide():
        done = subprocess.run(
            [sys.executable, "-c", FIRST_DECISION],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout, done.stderr

    assert decide() == ("a True\n", f"{compiling.ONCE}\n")
    assert decide() == ("a False\n", "")  # it comes from the cache


@pytest.mark.parametrize(("folder", "line"), [("/a", "ONCE"), (None, "EVERY_TIME")])
def test_the_line_says_how_often(folder, line, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    notice = compiling.Notice()
    notice.folder = folder
    for _ in range(3):
        notice.begin()
        if notice.timer.ident is not None:
            notice.timer.join()
        notice.end()
    assert capsys.readouterr().err == f"{getattr(compiling, line)}\n"
    assert ("NUMBA_CACHE_DIR" in getattr(compiling, line)) == (folder is None)
    assert ("askless warm-up" in getattr(compiling, line)) == (folder is not None)


def test_one_waits_two_seconds_for_all_kernels_together(capsys):
    """Not for each: half a minute is made up of many that take less."""
    notice = compiling.Notice()
    for before, left in ((0.0, 2.0), (1.5, 0.5), (9.0, 0.0)):
        notice.seconds = before
        notice.begin()
        assert notice.timer.interval == left
        assert notice.timer.daemon
        notice.timer.cancel()
        notice.end()
        assert notice.seconds > before
    notice.said = False
    notice.hush()
    notice.begin()
    assert notice.timer.ident is None  # not started
    notice.end()


def test_only_our_own_kernels_count_and_those_reached_by_address_do():
    before, int64 = compiling.notice.seconds, numba.types.int64

    @numba.njit
    def theirs(x):
        return x + 1

    def ours(address, k):
        return address + k

    assert theirs(1) == 2
    assert compiling.notice.seconds == before
    ours.__module__ = "askless.kernels.nowhere"
    compiling.Step(ours, ((int64, int64), int64), {}, compiling.PLAIN).compile()
    assert compiling.notice.seconds > before
    assert compiling.notice.depth == 0
