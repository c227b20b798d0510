"""Slips that were found by attack; each test fails on the code that had one."""

import numpy as np
import pytest

import askless as al
from askless.environments.base import first_respondents
from askless.errors import SettingError
from askless.policies.loops import Fused


def test_a_context_with_gaps_leaves_no_trace_in_an_arm_that_shrinks():
    # Explaining a visit of one arm scores the others with NaN; a later drop must not keep it.
    survey = al.Survey.unit(5)
    policy = al.RidgeSurveyUCB(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.5, sigma=0.01)
    rng = np.random.default_rng(0)

    def row():
        return np.r_[1.0, np.round(rng.uniform(-0.5, 0.5, 5) * 1024) / 1024]

    while policy.support[0].any():
        policy.learn_row(0, row(), 0.5)
    sizes = set()
    while policy.support[1].any():
        policy.visit(arms=["a"]).explain()
        z = row()
        policy.learn_row(1, z, float(np.clip(0.5 + 0.1 * z[1] + 0.2 * z[2] + 0.3 * z[3], 0, 1)))
        sizes.add(int(policy._model.arms.size[1]))
        z = row()
        fresh = al.RidgeSurveyUCB.from_dict(policy.to_dict())
        np.testing.assert_allclose(policy.ucb(z), fresh.ucb(z), rtol=1e-9)
    assert len(sizes) > 2  # it shrank in steps


def test_the_widest_comparison_is_named():
    survey = al.Survey([al.Choice("c", ["w", "x", "y", "v"]), al.Scale("s", low=0, high=1)])
    policy = al.RidgeSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.01)
    rng = np.random.default_rng(1)
    for _ in range(1_000):
        option = rng.choice(["w", "x", "y", "v"], p=[0.9, 0.04, 0.04, 0.02])
        z = survey.encode({"c": str(option), "s": float(rng.random())})
        policy.learn_row(0, z, 0.5 + 0.2 * (option == "y"))
    gram = policy._model.gram(0)
    inverse = np.linalg.inv(gram + policy.alpha * np.eye(len(gram)))
    ends = {}
    for i, one in enumerate("wxyv"):
        for j, other in enumerate("wxyv"):
            if i < j:
                w = np.zeros(len(gram))
                w[1 + i], w[1 + j] = 1, -1
                slack = policy.radius[0] * np.sqrt(w @ inverse @ w)
                ends[one, other] = abs(w @ policy.estimate[0]) + slack
    (one, other), high = max(ends.items(), key=lambda item: item[1])
    effect = policy.evidence()[0]
    assert effect.high == pytest.approx(high)
    assert f"between {one} and {other}" in effect.reason


def test_a_run_reports_only_drops_of_its_own():
    world = al.paper_environment(arms=3, features=8)
    settings = {"beta_min": 0.6, "sigma": 0.05, "alpha": 1}
    policy = al.RidgeSurveyUCB(world.survey, arms=world.arms, reward=world.reward, **settings)
    drops = np.zeros(policy.support.shape, dtype=np.int64)
    block = next(first_respondents(world, 3, 0, 1_024))
    for i in range(0, 1_024, 16):
        few = world.block(block.contexts[i : i + 16], block.luck[i : i + 16])
        Fused(policy).play(few, i, drops)
        if drops.any():
            break
    gone = {(policy.arms[k], policy.survey.names[g]) for k, g in np.argwhere(~policy.support)}
    reported = {
        (d.arm, d.question) for d in al.simulate(policy, world, 5_000, seed=4).runs[0].drops
    }
    assert {arm for arm, _ in gone} & {arm for arm, _ in reported}  # an arm drops again
    assert not gone & reported


@pytest.mark.parametrize("arm", [2**63, -(2**70)])
def test_a_huge_arm_number_is_refused_like_any_other(arm):
    policy = al.LinUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1))
    with pytest.raises(SettingError, match="no arm number"):
        policy.learn_row(arm, np.array([1.0, 0.5]), 0.5)


def test_a_study_that_no_machine_holds_is_refused():
    with pytest.raises(SettingError, match="GiB"):
        al.LinUCB(al.Survey.unit(3_000), arms=[f"a{k}" for k in range(1_000)], reward=(0, 1))
