"""Short forms saved, loaded and unlearned; what cannot be is refused."""

import math

import numpy as np
import pytest

import askless as al
from askless.core.words import PEOPLE
from saved_states import opened
from yes_no_surveys import played, yes_no_policy


def test_tampered_visits_are_refused_and_rows_leave_the_ring():
    policy, rng = yes_no_policy(arms=["a", "b"]), np.random.default_rng(2)
    visit = None
    for _ in range(400):
        visit = policy.visit()
        visit.answer({q: bool(rng.random() < 0.5) for q in visit.asks}) if visit.asks else None
        if visit.check is not None:
            break
        policy.learn(visit, float(rng.random() < 0.5))
    saved = visit.to_dict()
    assert policy.visit(saved).check == visit.check
    for change in ({"saving": 20.0, "bet": 0.125}, {"expected": 1.5}, {"full": "z"}, {"bet": -1.0}):
        with pytest.raises(al.errors.StateError, match="damaged"):
            policy.visit(saved | {"check": saved["check"] | change})
    with pytest.raises(al.errors.VisitError, match="kind 'banana'"):
        policy.visit(saved | {"kind": "banana", "arm": None} | dict.fromkeys(DECIDED))
    z = np.append(1.0, np.full(6, 0.5))
    ring = policy._short.shorts.counts[PEOPLE]
    policy.learn_row(0, z, 1.0)
    policy.unlearn_row(0, z, 1.0)
    assert policy._short.shorts.counts[PEOPLE] == ring


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("told", lambda x: x[0] - 1e6),  # no sum of squares is negative
        ("tells", lambda x: x[0] + 1e6),  # nor can rewards be that large
        ("gram", lambda x: [x[0][0] + 1, *x[0][1:]]),  # not as many rows as there are
        ("moment", lambda x: x[0] + 1e6),
        ("prior", lambda x: [-1.0, *x[0][1:]]),
        ("spread", lambda x: [-1.0, *x[0][1:]]),
        ("whole_root", lambda x: -x[0]),
        ("whole_estimate", lambda x: math.inf),
        ("rows", None),
    ],
)
def test_sums_that_cannot_be_are_refused(where, change):
    """Fails if a damaged file is loaded and played; its checksum is made anew here."""
    policy = played(yes_no_policy(arms=["a", "b"]), 400)
    saved = policy.to_dict()
    assert al.SurveyBandit.from_dict(saved).to_dict() == saved
    saved = opened(saved)
    assert al.SurveyBandit.from_dict(saved).to_dict() == policy.to_dict()
    arm = saved["state"]["short_form"]["arms"][0]
    if change is None:
        arm[where] += 10**9
    else:
        arm[where][0] = change(arm[where])
    with pytest.raises(al.errors.StateError):
        al.SurveyBandit.from_dict(saved)


def test_what_is_saved_can_be_loaded_with_small_costs_and_arms_that_went(tmp_path):
    """Fails if a price a unit of cost above 1, or a late next choice, is taken for damage."""
    path = tmp_path / "state.json"
    survey = al.Survey([al.YesNo(f"q{i}", cost=0.001) for i in range(6)])
    for given in ({}, {"questions": 0.002}):
        policy = al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.1, **given)
        played(policy, 120).save(path)
        assert al.load(path).price == policy.price > 1
    many = al.Survey([al.YesNo(f"q{i}") for i in range(40)])
    policy = al.SurveyBandit(many, arms=list("abcd"), reward=(0, 1), beta_min=0.1)
    policy.add_arm("e")
    policy.retire_arm("a")
    policy.retire_arm("b")
    policy.save(path)
    assert al.load(path).to_dict() == policy.to_dict()


def test_checks_can_be_unlearned_after_a_drop_and_the_policy_saved(tmp_path):
    """Fails if what is left of a check in columns that are gone is taken for damage."""
    survey = al.Survey.unit(6)
    policy = al.SurveyBandit(
        survey, arms=list("abc"), reward=(0, 1), beta_min=0.4, full_floor=0.6, price=0.02
    )
    rng, checks = np.random.default_rng(0), []
    slopes = np.array([[0.5, 0, 0], [-0.5, 0, 0], [0, 0.5, 0]])
    for _ in range(3_000):
        visit, x = policy.visit(), rng.uniform(-0.5, 0.5, 6)
        if visit.asks:
            visit.answer({q: float(x[survey.names.index(q)] + 0.5) for q in visit.asks})
        mean = 0.5 + slopes[visit.arm_index] @ x[:3] + rng.normal() / 10
        policy.learn(visit, float(np.clip(mean, 0, 1)))
        checks += [visit] * (visit.kind == "check")
        if policy.support.sum() < 10:
            break
    assert policy.support.sum() < 10
    assert len(checks) > 5
    for visit in checks:
        policy.unlearn(visit)
    policy.save(tmp_path / "state.json")
    assert al.load(tmp_path / "state.json").to_dict() == policy.to_dict()


DECIDED = ("decided_at", "propensities", "check", "learned_in", "reward")
