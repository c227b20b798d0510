"""The families: each is what it says, and other numbers are other worlds."""

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError


@pytest.mark.parametrize("name", [name for name in al.FAMILIES if name != "many-questions"])
def test_families_are_environments_with_a_known_truth(name):
    """Rewards have the stated expectation: four deviations of a mean over 4,096 people."""
    world = al.family(name, 3)
    al.check_environment(world)
    block = next(world.respondents(0, 0))
    off = (block.rewards - block.expected).mean(axis=0)
    error = block.rewards.std(axis=0) / np.sqrt(len(block))
    assert (np.abs(off) < 5 * error + 1e-12).all()
    assert world.useful.any()
    other = al.family(name, 4)
    again = next(al.family(name, 3).respondents(0, 0))
    np.testing.assert_array_equal(again.rewards, block.rewards)
    assert (next(other.respondents(0, 0)).expected != block.expected).any()


@pytest.mark.parametrize("name", ["interactions", "rare-stakes", "drift", "heavy-noise"])
def test_what_is_useful_is_what_moves_expectations(name):
    """Of every question: whether some arm's expectation depends on it, all else equal."""
    world = al.family(name, 1)
    block = next(world.respondents(0, 0))
    m = len(world.survey)
    visits = np.r_[np.zeros(len(block) // 2), np.full(len(block) - len(block) // 2, 9_999.0)]
    before = world._expect(block.contexts, visits)
    for g in range(m):
        moved = block.contexts.copy()
        moved[:, 1 + g] *= -1
        depends = (np.abs(world._expect(moved, visits) - before) > 1e-9).any(axis=0)
        np.testing.assert_array_equal(depends, world.useful[:, g])


def test_each_family_is_hard_in_its_own_way():
    z = next(al.family("correlated").respondents(0, 0)).contexts
    assert np.corrcoef(z[:, 1], z[:, 2])[0, 1] > 0.6
    effects = al.family("small-effects")
    each = [
        q.effect(row[effects.survey.columns_of(q.name)])
        for row in effects.coefficients
        for q in effects.survey
    ]
    assert 0 < max(each) < 0.1
    assert len(al.family("many-questions").survey) == 500
    assert len(al.family("many-arms").arms) == 20
    heavy = next(al.family("heavy-noise").respondents(0, 0)).rewards
    assert (heavy == 0).mean() > 0.75
    assert heavy.max() > 90


def test_families_by_name():
    with pytest.raises(SettingError, match="there is no family 'drfit'; did you mean 'drift'"):
        al.family("drfit")
    with pytest.raises(SettingError, match="number"):
        al.family("drift", -1)
