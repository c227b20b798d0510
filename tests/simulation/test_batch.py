"""Many policies at once are what each is by itself, on any number of processes."""

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from askless.simulation.batch import simulate_all


def tasks():
    world, raw = al.paper_environment(arms=3, features=4), al.paper_environment(2, 3, coding="raw")
    same = {"arms": world.arms, "reward": world.reward, "beta_min": 0.8}
    return [
        (al.SurveyBandit(world.survey, **same), world),
        (al.RidgeSurveyUCB(world.survey, **same, sigma=0.3, interactive=True), world),
        (al.LinUCB(raw.survey, arms=raw.arms, reward=raw.reward), raw),
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_each_policy_runs_as_if_it_were_alone(workers):
    played = []
    together = simulate_all(
        tasks(), 1_500, runs=3, seed=8, workers=workers, checkpoints=7, progress=played.append
    )
    assert sum(played) == 3 * 3 * 1_500
    for (policy, world), found in zip(tasks(), together, strict=True):
        alone = al.simulate(policy, world, 1_500, runs=3, seed=8, checkpoints=7)
        assert (found.policy, found.settings, found.seed) == (
            alone.policy,
            alone.settings,
            alone.seed,
        )
        assert found.seconds > 0
        for one, other in zip(found.runs, alone.runs, strict=True):
            assert (one.index, one.drops, one.questions_left) == (
                other.index,
                other.drops,
                other.questions_left,
            )
            for name in (
                "visits",
                "regret_at",
                "reward_at",
                "asked_at",
                "plays_at",
                "widest_at",
                "support",
            ):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"horizon": 0}, "horizon is 0"),
        ({"runs": 0}, "runs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0; give a whole number from 1"),
        ({"checkpoints": 0}, "checkpoints is 0"),
    ],
)
def test_what_cannot_be_is_refused_before_the_work(setting, message):
    played = []
    with pytest.raises(SettingError, match=message):
        simulate_all(tasks(), **({"horizon": 10} | setting), progress=played.append)
    assert played == []
