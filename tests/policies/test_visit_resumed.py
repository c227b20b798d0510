"""Visits that were interrupted, saved and resumed; records that cannot be are refused."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askless as al
from askless.errors import AsklessError, StateError, VisitError
from visited_survey import ANSWERS, drop
from worlds import random_answers, survey_of

DECIDED = {"arm": "red", "decided_at": 0, "propensities": {"red": 1.0}}


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.integers(0, 2**32))
def test_an_interrupted_visit_equals_one_that_was_not(seed):
    rng = np.random.default_rng(seed)
    kinds = ["scale", "yes_no", "choice", "multi"]
    survey = survey_of([(str(rng.choice(kinds)), 3, bool(rng.random() < 0.5)) for _ in range(5)])
    policy = al.RidgeSurveyUCB(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.6, sigma=0.02)
    for _ in range(30):
        answers = random_answers(survey, rng)
        twin = copy.deepcopy(policy)
        whole, parted = policy.visit(), twin.visit()
        if whole.asks:
            whole.answer({q: answers[q] for q in whole.asks})
        while asks := parted.asks:
            part = [q for q in asks if rng.random() < 0.5] or asks[:1]
            parted.answer({q: answers[q] for q in part})
            parted = twin.visit(json.loads(json.dumps(parted.to_dict())))
        one, other = whole.to_dict(), parted.to_dict()
        assert one == other | {"answers": other["answers"], "asked": one["asked"]}
        assert set(one["asked"]) == set(other["asked"])
        reward = float(rng.random())
        policy.learn(whole, reward)
        twin.learn(parted, reward)
        assert policy.to_dict() == twin.to_dict()


def test_a_learned_visit_stays_learned_when_resumed(policy):
    visit = policy.visit(known=ANSWERS)
    policy.learn(visit, 25)
    again = policy.visit(visit.to_dict())
    policy.learn(again, 25)
    assert policy.rows.sum() == 1
    with pytest.raises(AsklessError, match="25"):
        policy.learn(again, 26)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a saved visit"),
        ({"version": 1}, "version 1.*older"),
        ({"version": 4}, "version 4.*newer"),
        ({"version": True}, "version True"),
        ({"kind": 3}, "kind is 3"),
        ({"eligible": ["pink"]}, "'pink'"),
        ({"arm": "pink"}, "'pink'"),
        ({"answers": {"colour": 1}}, "'colour'"),
        ({"answers": {"age": 300}}, "'age'"),
        ({"answers": {"cause": "animals"}}, "never asked"),
        (DECIDED | {"reward": 1000}, "1000"),
        ({"answers": None}, "damaged"),
        ({"eligible": ["red"], "arm": "blue"}, "none that it could play"),
        ({"reward": 5}, "reward and no arm"),
        ({"known": "age"}, "damaged"),
        ({"known": ["donor"]}, "damaged"),
        ({"promised": ["donor"]}, "promised"),
        ({"number": -5}, "number is -5"),
        ({"number": 2**70}, "number is"),
        ({"number": float("inf")}, "number is inf"),
        ({"number": "x"}, "damaged"),
        ({"arm": "red"}, "decided at None"),
        (DECIDED | {"propensities": None}, "propensities are None"),
        (DECIDED | {"propensities": {"red": 0, "blue": 1}}, "propensities are"),
        (DECIDED | {"propensities": {"red": "1"}}, "propensities are"),
        (DECIDED | {"propensities": {"red": 0.5}}, "propensities are"),
        (DECIDED | {"propensities": {"red": 0.5, "pink": 0.5}}, "propensities are"),
        ({"propensities": {"red": 1.0}}, "propensities are"),
    ],
)
def test_a_damaged_visit_is_refused(policy, change, message):
    visit = policy.visit()
    visit.answer({"age": 30})
    saved = visit.to_dict() | {"asked": ["age"]}
    with pytest.raises(StateError, match=message):
        policy.visit(saved | change)


def test_a_visit_without_a_part_is_refused(policy):
    saved = policy.visit().to_dict()
    for key in saved:
        with pytest.raises(StateError):
            policy.visit({k: v for k, v in saved.items() if k != key})
    with pytest.raises(StateError, match="not a saved visit"):
        policy.visit(["age"])


def test_a_state_older_than_the_visit_is_noticed(policy):
    old = copy.deepcopy(policy)
    drop(policy, "age")
    visit = policy.visit()
    visit.answer({"donor": True, "cause": "animals"})
    with pytest.raises(VisitError, match=r"still uses age.*newest state"):
        old.visit(visit.to_dict())


def test_a_saved_visit_can_be_read_without_its_policy(policy):
    drop(policy, "cause", arms=[1, 2])
    visit = policy.visit(known={"age": 44}, arms=["blue", "green"])
    visit.answer({"donor": None})
    record = al.VisitRecord.read(json.loads(json.dumps(visit.to_dict())))
    assert record == visit.record()
    assert (record.number, record.kind, record.eligible) == (0, "full", ("blue", "green"))
    assert record.promised == ("age", "donor", "media")
    assert (record.known, record.skipped) == (("age",), ("donor",))
    assert (record.unanswered, record.not_reached) == (("media",), ())
    assert (record.arm, record.propensities) == (None, None)
    visit.answer({"media": []})
    record = al.VisitRecord.read(visit.to_dict())
    assert (record.arm, record.propensities) == ("blue", {"blue": 1.0, "green": 0.0})
    assert al.VisitRecord.read(record.to_dict()) == record


def test_a_saved_visit_takes_no_options(policy):
    with pytest.raises(VisitError, match="alone"):
        policy.visit(policy.visit().to_dict(), known={"age": 30})
