"""How often the intervals of an analysis miss the truth, in studies that allocate adaptively.

`make guarantee` plays 1,000 studies a world.
"""

from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, norm

from coverage_studies import WORLDS, play
from sizes import whole

pytestmark = pytest.mark.slow

CHANCE = 1e-6  # that a right method fails here, all of its intervals together
REDUCED = {  # "yes or no" must show that pooling misses
    "short forms": 40,
    "asked in parts": 40,
    "yes or no": 120,
    "rare": 80,
    "arms alike": 80,
}
NEVER = {"asked in parts": ("less asking everything",)}  # there are no short visits
USUAL = ("arm average", "pooled least squares", "mean by pooled least squares")


def most(count, kinds):
    """How many of so many intervals of 95% may miss."""
    return int(binom.ppf(1 - CHANCE / kinds, count, 0.05))


@cache
def played(name):
    return [play(name, run) for run in range(whole(1_000, REDUCED[name]))]


@pytest.mark.parametrize("name", WORLDS)
def test_every_interval_misses_in_at_most_5_percent_of_studies(name):
    """Fails if intervals are too narrow, or if estimates lean to one side.

    The latter shows what looks at an epoch's rewards where the wide constants hide it.
    """
    found = played(name)
    kinds = [kind for kind in found[0][0] if kind not in (*USUAL, *NEVER.get(name, ()))]
    for kind in kinds:
        missed = [study[kind] for study, _ in found if study[kind] is not None]
        assert len(missed) > len(found) / 10, kind
        assert sum(missed) <= most(len(missed), len(kinds)), kind
    signed = [kind for kind in found[0][1] if kind not in USUAL]
    assert len(signed) == WORLDS[name].arms + 1
    for kind in signed:
        errors = np.array([own[kind] for _, own in found])
        line = norm.isf(CHANCE / 2 / len(signed))
        assert abs(errors.mean()) <= line * errors.std(ddof=1) / np.sqrt(len(errors)), kind


@pytest.mark.parametrize("name", ["arms alike", "yes or no"])
def test_what_is_usually_done_misses(name):
    """Fails if the worlds are so easy that ordinary intervals would do."""
    found = played(name)
    errors = [own["mean by pooled least squares"] for _, own in found]
    assert np.mean(errors) * np.sqrt(len(errors)) < -norm.isf(CHANCE)
    pooled = sum(study["mean by pooled least squares"] for study, _ in found)
    assert pooled > binom.ppf(0.999, len(found), 0.05)  # as seldom as one of 1,000 would it be 5%
    if name == "yes or no":  # arms are given to those whom they suit
        assert sum(study["arm average"] for study, _ in found) > len(found) / 2
