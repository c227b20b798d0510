"""SurveyBandit without short forms is Epoch SurveyUCB, interactive, decision by decision."""

import inspect

import numpy as np
import pytest

import askless as al

SHORT = {"price": 0, "questions": None, "planned": None, "full_floor": 0.02}


def both(world, **settings):
    made = {"arms": world.arms, "reward": world.reward, **settings}
    return (
        al.SurveyBandit(world.survey, price=0, **made),
        al.EpochSurveyUCB(world.survey, interactive="certified", **made),
    )


@pytest.mark.parametrize("settings", [{}, {"grain": "question"}, {"explore": 0.2, "seed": 5}])
def test_it_asks_and_plays_as_epoch_surveyucb_that_is_interactive(settings):
    """Fails if a setting does not reach the base or its loops treat the class otherwise."""
    world = al.paper_environment(arms=3, features=4)
    one, other = (
        al.simulate(policy, world, 1_500, seed=3).to_dict()
        for policy in both(world, beta_min=0.8, **settings)
    )
    assert one["runs"] == other["runs"]
    assert one["settings"] == other["settings"] | SHORT
    assert (one["policy"], other["policy"]) == ("survey-bandit", "epoch")
    assert one["mean"]["questions_per_visit"] < 4  # some were dropped or not asked


def test_its_keywords_are_those_of_epoch_surveyucb_and_those_of_short_forms():
    own, base = (
        inspect.signature(kind.__init__).parameters for kind in (al.SurveyBandit, al.EpochSurveyUCB)
    )
    assert set(own) == {*base, *SHORT}
    made = {"arms": ["a", "b"], "reward": (0, 10), "beta_min": 3}
    bandit, epoch = (
        kind(al.Survey.unit(2), **made, **given)
        for kind, given in ((al.SurveyBandit, {"price": 0}), (al.EpochSurveyUCB, {}))
    )
    ours, theirs = bandit.to_dict()["settings"], epoch.to_dict()["settings"]
    assert {n for n in theirs if ours[n] != theirs[n]} == {"interactive", "grain"}
    given = {"beta_min": 3, "delta": 0.2, "alpha": 2, "sigma": 1, "b1": 9, "b2": 8, "growth": 2}
    given |= {"optimism": 0.5, "payback": False, "explore_floor": 0.01}
    given |= {"explore": 0.1, "seed": 7, "judge_skips": False, "radius": "valid"}
    given |= {"interactive": True, "grain": "question", **SHORT, "planned": 300}
    policy = al.SurveyBandit(al.Survey.unit(2), arms=["a", "b"], reward=(0, 10), **given)
    assert policy.to_dict()["settings"] == given | {"interactive": "certified"}
    assert set(given) == set(own) - {"self", "survey", "arms", "reward"}


def test_saved_states_of_both_load_as_what_they_were(tmp_path):
    world = al.paper_environment(arms=2, features=3)
    for policy in both(world, beta_min=0.9):
        rng = np.random.default_rng(1)
        for row in rng.random((40, 3)):
            policy.learn_row(int(rng.integers(2)), [1, *(row - 0.5)], 1.0)
        policy.save(tmp_path / "state.json")
        loaded = al.load(tmp_path / "state.json")
        assert type(loaded) is type(policy)
        assert loaded.to_dict() == policy.to_dict()
        assert loaded.interactive == "certified"
