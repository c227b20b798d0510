"""The cache of compiled kernels: an edit anywhere among the kernels recompiles their callers."""

import shutil
import subprocess
import sys
from pathlib import Path

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

    @compiling.kernel()
    def seven():
        return 7

    assert not compiling.is_cached(seven)
    assert seven() == 7
    assert compiling.is_cached(seven)  # compiled, in this process
