"""How often the intervals of an analysis miss the truth, in studies that allocate adaptively.

`make guarantee` plays 1,000 studies a world, with late rewards and short forms too.
"""

import numpy as np
import pytest
from scipy.stats import binom, norm

from coverage_studies import ARMS, play
from sizes import whole

CHANCE = 1e-6  # that a right method fails here, all of its intervals together
USUAL = ("arm average", "pooled least squares", "mean by pooled least squares")


def most(count, kinds):
    """How many of so many intervals of 95% may miss."""
    return int(binom.ppf(1 - CHANCE / kinds, count, 0.05))


@pytest.fixture(scope="module", params=["arms alike", "yes or no"])
def played(request):
    return request.param, [play(request.param, run) for run in range(whole(1_000, 120))]


def test_every_interval_misses_in_at_most_5_percent_of_studies(played):
    """Fails if intervals are too narrow, or if estimates lean to one side.

    The latter shows what looks at an epoch's rewards where the wide constants hide it.
    """
    _, found = played
    kinds = [kind for kind in found[0][0] if kind not in USUAL]
    for kind in kinds:
        missed = [study[kind] for study, _ in found if study[kind] is not None]
        assert len(missed) > len(found) / 5, kind
        assert sum(missed) <= most(len(missed), len(kinds)), kind
    for kind in ["arm mean", *(f"effect, {arm}" for arm in ARMS)]:
        errors = np.array([own[kind] for _, own in found])
        line = norm.isf(CHANCE / 2 / (len(ARMS) + 1))
        assert abs(errors.mean()) <= line * errors.std(ddof=1) / np.sqrt(len(errors)), kind


def test_what_is_usually_done_misses(played):
    """Fails if the worlds are so easy that ordinary intervals would do."""
    name, found = played
    errors = [own["mean by pooled least squares"] for _, own in found]
    assert np.mean(errors) * np.sqrt(len(errors)) < -norm.isf(CHANCE)
    pooled = sum(study["mean by pooled least squares"] for study, _ in found)
    assert pooled > binom.ppf(0.999, len(found), 0.05)  # as seldom as one of 1,000 would it be 5%
    if name == "yes or no":  # arms are given to those whom they suit
        assert sum(study["arm average"] for study, _ in found) > len(found) / 2
