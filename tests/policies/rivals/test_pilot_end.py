"""Where a pilot ends: what is learned no more, late rewards, visits across it, saved states."""

import json
import math

import numpy as np
import pytest

import askless as al
from askless.errors import AnswerError, SettingError, StateError
from pilot_people import ARMS, SURVEY, after_pilot, made, people, played


def test_nothing_is_learned_after_the_pilot():
    """Fails if a later row is refused, or changes a model."""
    policy = after_pilot()
    before = policy.to_dict()["state"]
    block = people(50, seed=1)
    arms = {visit.arm for visit in played(policy, block)}
    policy.learn_rows([0, 1], block.contexts[:2], [0.0, 1.0])
    assert len(arms) > 1
    assert policy.to_dict()["state"] == before
    lacking = block.contexts[0].copy()
    lacking[SURVEY.columns_of("x0")] = np.nan
    with pytest.raises(AnswerError, match="x0"):
        policy.learn_row(0, lacking, 0.5)


def test_rewards_of_the_pilot_may_come_after_it():
    """Fails if the pilot ends by visits instead of rows, or a late row is refused or used."""
    policy, block = made(planned=400), people(100)
    visits = [policy.visit(known=SURVEY.decode(z)) for z in block.contexts]
    assert all(visit.decided and visit.propensity == 0.25 for visit in visits)
    assert policy.in_pilot
    rewards = [float(block.rewards[i, visit.arm_index]) for i, visit in enumerate(visits)]
    for i in range(99, 19, -1):  # the last ones first
        policy.learn(visits[i], rewards[i])
        assert policy.in_pilot == (i > 20)
    before = policy.to_dict()["state"]
    for i in range(20):
        policy.learn(visits[i], rewards[i])
    assert policy.to_dict()["state"] == before


def test_a_visit_across_the_end_of_the_pilot_asks_nothing_twice_and_no_more():
    """Fails if a visit that began in the pilot cannot go on, by itself or from a file."""
    policy, answers = made(), SURVEY.decode(people(1).contexts[0])
    early = [policy.visit() for _ in range(3)]
    early[1].answer({"x0": 0.5, "x5": 0.5})
    played(policy, people(policy.pilot))
    kept = set(policy.asked_now())
    assert set(early[0].asks) == set(SURVEY.names)  # it has been shown them
    resumed = [policy.visit(json.loads(json.dumps(visit.to_dict()))) for visit in early]
    assert set(resumed[0].asks) == kept
    assert set(resumed[1].asks) == kept - {"x0", "x5"}
    for visit in (*resumed[:2], early[2]):
        while visit.asks:
            asks = visit.asks
            assert not set(asks) & set(visit.answers)
            visit.answer({asks[0]: answers[asks[0]]})
        assert set(visit.asked) <= set(visit.promised)
        assert visit.propensity == 1
        policy.learn(visit, 0.5)


@pytest.mark.parametrize("learned", [0, 77, 199, 200, 260])
def test_a_saved_policy_has_the_same_future(tmp_path, learned):
    """Fails if the rows of the pilot, or the models after it, are not saved exactly."""
    policy, block = made(), people(400)
    played(policy, block.first(learned))
    policy.save(tmp_path / "state.json")
    loaded = al.load(tmp_path / "state.json")
    rest = al.Block(block.contexts[learned:], block.rewards[learned:])
    futures = [
        [(v.arm, v.asked, v.propensities, v.reward) for v in played(one, rest)]
        for one in (policy, loaded)
    ]
    assert futures[0] == futures[1]
    assert loaded.to_dict() == policy.to_dict()


def test_a_damaged_state_is_refused():
    """Fails if models of another shape, or a pilot that should have ended, are taken."""
    whole, begun = after_pilot().to_dict(), made()
    played(begun, people(5))
    for state in (
        {**whole["state"], "kept": [[True]]},
        {**whole["state"], "coefficients": [[math.inf]]},
        {**begun.to_dict()["state"], "ys": [0.0]},
        {"played": [0] * 200, "rows": [[0.0] * SURVEY.column_count] * 200, "ys": [0.0] * 200},
    ):
        with pytest.raises(StateError, match=r"models|pilot"):
            al.PilotThenScreen.from_dict(whole | {"state": state})


def test_arms_come_in_the_pilot_alone_and_go_at_any_time(tmp_path):
    """Fails if an added arm has no model, a late one is taken, or a retired one is asked for."""
    policy = made(arms=ARMS[:3])
    played(policy, people(20))
    policy.add_arm("grey")
    played(policy, people(180, seed=1))
    assert policy.coefficients.shape == (4, SURVEY.column_count)
    policy.save(tmp_path / "state.json")
    for one in (policy, al.load(tmp_path / "state.json")):
        before = one.to_dict()
        with pytest.raises(SettingError, match=r"pilot is over.*start a new study"):
            one.add_arm("black")
        assert one.to_dict() == before
    policy.retire_arm("blue")
    policy.retire_arm("red")
    asked = {*policy.needs("green"), *policy.needs("grey"), "member"}
    assert set(policy.asked_now()) == asked
    assert {visit.arm for visit in played(policy, people(50, seed=2))} <= {"green", "grey"}
