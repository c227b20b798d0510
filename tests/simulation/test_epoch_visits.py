"""The compiled loop of epochs, full and interactive, beside plain visits."""

import numpy as np
import pytest

import askless as al
from askless.simulation.simulate import MIX
from epoch_world import EVERY, SCALES, through
from outcomes import outcome
from worlds import survey_of


def simulated_world():
    survey = survey_of([*EVERY[:5], *SCALES[:2]])
    table = np.zeros((3, survey.column_count))
    table[0, -1], table[1, -2], table[2, 3:8] = 0.6, -0.5, [0.3, -0.2, 0, 0, -0.1]
    return al.LinearEnvironment(
        survey, arms=["a", "b", "c"], coefficients=table, reward=(10, 11), spread=0.15
    )


@pytest.mark.parametrize("floor", [0.0, 0.2])
@pytest.mark.parametrize("interactive", [False, "arm", "question"])
def test_the_compiled_loop_does_what_a_plain_one_does(floor, interactive):
    """Fails if arms, regret, questions asked or drops differ between `simulate` and visits."""
    world, visits = simulated_world(), 1200
    settings = {"beta_min": 0.3, "explore_floor": floor, "seed": 11}
    if interactive:
        settings |= {"interactive": "certified", "grain": interactive}
    made = {"arms": world.arms, "reward": world.reward}
    run = al.simulate(
        al.EpochSurveyUCB(world.survey, **made, **settings), world, visits, seed=5, checkpoints=200
    ).runs[0]
    policy = al.EpochSurveyUCB(world.survey, **made, **settings)
    policy._stream = (5 * MIX + 1) % 2**64  # the first run of seed 5
    law, span = (world.noise_form, world.spread, -0.5), world.reward.span
    regret, asked, drops, plays, t = [0.0], [0], set(), np.zeros(3, dtype=int), 0
    for block in world.respondents(5, 0):
        for z, luck in zip(block.contexts, block.luck, strict=True):
            if t == visits:
                break
            t += 1
            arm = policy.play(z)
            visit = through(policy.visit(), world.survey.decode(z))
            assert visit.arm_index == arm
            questions = len(visit.asked)
            if not interactive:  # what scores need and what the played arm learns; only that first
                put = policy.support[arm].copy()
                if (policy._model.arms.n >= 3 * world.survey.column_count // 10).all():
                    put |= policy.active.any(axis=0)
                assert set(visit.asked) == set(world.survey.names_of(put))
            means = world.coefficients @ z
            units = outcome(law, span, float(means[arm]), luck)
            reward = world.reward.from_units(units, raw=False)
            before = policy.support
            policy.learn(visit, reward)
            for k, g in np.argwhere(before & ~policy.support):
                row = int(policy._model.arms.dropped_at[k, g])
                drops.add((policy.arms[k], world.survey.names[g], t, row))
            plays[arm] += 1
            regret.append(regret[-1] + float(means.max() - means[arm]))
            asked.append(asked[-1] + questions)
        if t == visits:
            break
    assert run.plays.tolist() == plays.tolist()
    np.testing.assert_allclose(run.regret_at, np.array(regret)[run.visits], rtol=1e-12, atol=1e-12)
    assert run.asked_at.tolist() == np.array(asked)[run.visits].tolist()
    assert {(d.arm, d.question, d.visit, d.row) for d in run.drops} == drops
    assert len(drops) > 3
    assert run.support.tolist() == policy.support.tolist()
    assert run.other_arms == 0
