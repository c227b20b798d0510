"""What a visit takes in Python: so few calls that a reader can follow all of them."""

import sys

import numpy as np
import pytest

import askless as al

MOST_CALLS = 60
WIDE = al.Survey.unit(50)
NARROW = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor"),
        al.Choice("cause", ["children", "animals", "climate"]),
    ]
)
PERSON = {"age": 44, "donor": True, "cause": "animals", **{f"x{i + 1}": 0.3 for i in range(50)}}


def walk(policy):
    visit = policy.visit()
    visit.answer({name: PERSON[name] for name in visit.asks})
    arm = visit.arm
    policy.learn(visit, reward=0.5)
    return visit, arm


def calls_of(policy):
    """Every call of a Python function in a full visit, from its start to its learned reward."""
    calls = []

    def note(frame, event, _):
        if event == "call":
            calls.append(frame.f_code.co_qualname)

    while True:
        calls.clear()
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            visit, _ = walk(policy)
        finally:
            sys.setprofile(before)
        if visit.kind == "full":
            return calls[1:-1]  # without `walk` itself, and what ends the profile


@pytest.mark.parametrize("survey", [NARROW, WIDE], ids=["3 questions", "50 questions"])
@pytest.mark.parametrize("kind", [al.LinUCB, al.RidgeSurveyUCB, al.SurveyBandit])
def test_a_full_visit_takes_few_calls_however_many_questions(kind, survey):
    # Fails as soon as a question has a call of its own, or a step is taken twice.
    settings = {} if kind is al.LinUCB else {"beta_min": 0.3}
    policy = kind(survey, arms=["a", "b", "c"], reward=(0, 1), **settings)
    walk(policy)
    calls = calls_of(policy)
    assert len(calls) <= MOST_CALLS, calls


def test_a_full_visit_beside_a_short_form_takes_no_more():
    policy = al.SurveyBandit(NARROW, arms=["a", "b"], reward=(0, 1), beta_min=0.3, full_floor=0.5)
    rng = np.random.default_rng(0)
    while policy.short_form().questions is None:
        visit = policy.visit()
        if visit.asks:
            person = {
                "age": float(rng.uniform(18, 90)),
                "donor": bool(rng.integers(2)),
                "cause": str(rng.choice(["children", "animals", "climate"])),
            }
            visit.answer({name: person[name] for name in visit.asks})
        policy.learn(visit, reward=float(rng.random()))
    calls = calls_of(policy)
    # A form may be chosen when it is learned; that is not a step of the visit.
    if "ShortState.choose" in calls:
        calls = calls_of(policy)
    assert len(calls) <= MOST_CALLS, calls
