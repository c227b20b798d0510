"""All builds of the core give the same numbers, bit for bit, whatever processor they are for.

What would make these fail: a sum in another order, a product and a sum that one build rounds once
and another twice, a comparison that treats NaN or the sign of a zero otherwise.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from askless import core

pytestmark = pytest.mark.slow

LEVELS = ("any", "v3", "v4")
RUNS = LEVELS[: LEVELS.index(core._processor.level()) + 1]
BUILDS = [name for name in RUNS if importlib.util.find_spec(f"askless.core._core_{name}")]


def everything(build):
    """What one build computes, in digests by name."""
    places = {"ASKLESS_CORE": build, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("everything.py")],
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.pop("build") == build
    return found


def test_every_build_gives_the_same_bytes():
    """Fails if builds differ; where one alone can run, if it cannot play everything."""
    one, *others = map(everything, BUILDS)
    assert len(one) > 50
    for build, other in zip(BUILDS[1:], others, strict=True):
        differ = [name for name in one if other[name] != one[name]]
        assert one.keys() == other.keys()
        assert not differ, f"{BUILDS[0]} and {build}"
