"""Policies of one's own that ask parts, in kinds of visits, beside what a visit carries with it."""

import json

import numpy as np
import pytest

import askless as al
from askless.errors import ContractError
from visiting import Visiting

SURVEY = al.Survey([*al.Survey.unit(3), al.YesNo("last", always_ask=True)])
ANSWERS = {"x1": 0.25, "x2": 0.5, "x3": 0.75, "last": True}


class Short(al.VisitKind):
    """Short visits: one question, counted apart."""

    def _may_ask(self, mask):
        return np.arange(len(self.survey)) == 1

    def _decide(self, z, mask, number):
        return al.Decision(int(np.flatnonzero(mask)[-1]), np.where(mask, 0.0, -np.inf))

    def _learn(self, played, rows, ys):
        assert np.isnan(rows[:, 1]).all()
        self.policy.short += len(played)


class InKinds(al.Policy):
    """Every visit is full until some have been learned; then every other one is short."""

    name = "in_kinds"

    def __init__(self, survey, *, arms, reward, after=3):
        super().__init__(survey, arms=arms, reward=reward)
        self.after, self.full, self.short = after, 0, 0

    def _kind(self, mask, number):
        return "short" if self.full >= self.after and number % 2 else "full"

    def _of_kind(self, kind):
        return Short(self) if kind == "short" else self

    def _decide(self, z, mask, number):
        return al.Decision(int(np.flatnonzero(mask)[0]), np.where(mask, 0.0, -np.inf))

    def _learn(self, played, rows, ys):
        assert not np.isnan(rows).any()
        self.full += len(played)

    def _state(self):
        return {"full": self.full, "short": self.short}

    def _restore(self, state):
        self.full, self.short = state["full"], state["short"]

    def _settings(self):
        return {"after": self.after}


def in_kinds():
    return InKinds(SURVEY, arms=["a", "b"], reward=(0, 1))


def filled(visit):
    while visit.asks:
        visit.answer({q: ANSWERS[q] for q in visit.asks})
    return visit


def test_a_kind_is_fixed_when_a_visit_starts_and_travels_with_it():
    policy = in_kinds()
    early = [policy.visit() for _ in range(4)]
    for visit in early[:3]:
        policy.learn(filled(visit), 1)
    short = policy.visit(number=5)
    assert (early[3].number, early[3].kind, short.kind) == (3, "full", "short")
    assert early[3].asks == ("x1", "x2", "x3", "last")
    assert short.asks == ("x2", "last")  # and what everyone is asked
    copied = InKinds.from_dict(json.loads(json.dumps(policy.to_dict())))
    copied.full = 0  # a visit that starts now would be full
    resumed = copied.visit(json.loads(json.dumps(short.to_dict())))
    assert (resumed.kind, resumed.asks, copied.visit(number=7).kind) == (
        "short",
        short.asks,
        "full",
    )
    policy.learn(filled(short), 1)
    policy.learn(filled(early[3]), 1)
    assert (short.arm, early[3].arm) == ("b", "a")
    assert (policy.full, policy.short) == (4, 1)


def test_kinds_keep_the_contract_and_are_simulated_as_visits_are():
    al.check_policy(in_kinds())
    world = al.LinearEnvironment(
        SURVEY, arms=["a", "b"], reward=(0, 1), coefficients=np.zeros((2, 5)), spread=0.1
    )
    run = al.simulate(in_kinds(), world, 100, seed=3).runs[0]
    block = next(world.respondents(3, 0)).first(100)
    visiting = Visiting(in_kinds())
    played = visiting.play(block, 0, np.zeros((2, 4), dtype=np.int64))
    assert (
        run.plays.tolist() == np.bincount(played.arms).tolist() == [51, 49]
    )  # odd ones from the third
    assert run.asked == played.asked.sum() == 51 * 4 + 49 * 2
    assert (visiting.policy.full, visiting.policy.short) == (51, 49)


class Screening(al.Uniform):
    """Asks the first question; those who say little are asked no more."""

    name = "screening"

    def _ask(self, z, mask, number):
        missing = np.isnan(z[self.survey.columns.first])
        wanted = np.ones(4, dtype=bool) if z[1] > 0 else np.arange(4) == 0
        return al.Asked(missing & wanted, np.array(mask))

    def _needs(self, arm):
        return np.arange(4) == 0


def test_what_everyone_is_asked_is_asked_whatever_a_policy_asks():
    policy = Screening(SURVEY, arms=["a", "b"], reward=(0, 1))
    al.check_policy(policy)
    visit = policy.visit()
    assert visit.asks == ("x1",)
    visit.answer({"x1": 0.1})
    assert visit.asks == ("last",)
    visit.answer({"last": False})
    assert visit.decided
    talkative = policy.visit(known={"x1": 0.9})
    assert talkative.asks == ("x2", "x3", "last")


class Careless(al.Uniform):
    """Leaves its arm's needs unasked."""

    name = "careless"

    def _ask(self, z, mask, number):
        return al.Asked(np.zeros(4, dtype=bool), np.array(mask))


def test_what_an_arm_needs_must_be_known_to_learn_a_visit():
    policy = Careless(SURVEY, arms=["a"], reward=(0, 1))
    visit = policy.visit(known={"last": True})
    before = policy.to_dict()
    with pytest.raises(al.errors.AnswerError, match="'x1' is not answered"):
        policy.learn(visit, 1)
    assert policy.to_dict() == before


@pytest.mark.parametrize(
    "decision",
    [
        al.Decision(2, np.zeros(2)),
        al.Decision(0, np.zeros(3)),
        al.Decision(0, np.zeros(2), np.array([0.5, 0.6])),
        al.Decision(0, np.zeros(2), np.array([0.0, 1.0])),
        al.Decision(0, np.zeros(2), np.array([1.5, -0.5])),
        al.Decision(0, np.zeros(2), np.array([np.nan, 1.0])),
        al.Decision(0, np.zeros(2), 1.0),
        (0, np.zeros(2)),
    ],
)
def test_a_decision_that_cannot_be_is_refused_and_the_visit_stays_open(decision):
    policy = al.Uniform(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    visit = policy.visit()
    policy._decide = lambda *given: decision
    before = visit.to_dict()
    with pytest.raises(ContractError, match="define `_decide`"):
        visit.answer({"x1": 0.5})
    assert visit.to_dict() == before


class Adds(al.Policy):
    """Adds up what it learns; asks the first question, and then all."""

    name = "adds"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        self.total = 0.0

    def _ask(self, z, mask, number):
        first = np.isnan(z[1])
        open_now = self.survey.open_questions(z)
        return al.Asked(open_now & ((np.arange(4) == 0) | ~first), np.array(mask))

    def _decide(self, z, mask, number):
        return al.Decision(int(mask.argmax()), np.where(mask, 0.0, -np.inf))

    def _learn(self, played, rows, ys):
        self.total += float(rows.sum())

    def _state(self):
        return {"total": self.total}

    def _restore(self, state):
        self.total = state["total"]


class Scribbles(Adds):
    """The same, and writes into all that it is handed."""

    name = "scribbles"

    def _kind(self, mask, number):
        mask[:] = False
        return "full"

    def _may_ask(self, mask):
        mask[:] = False
        return np.ones(4, dtype=bool)

    def _ask(self, z, mask, number):
        asked = super()._ask(z, mask, number)
        z[np.isnan(z)] = 0.0
        mask[:] = False
        return asked

    def _decide(self, z, mask, number):
        decision = super()._decide(z, mask, number)
        z -= z.mean()
        mask[:] = False
        return decision

    def _drawn(self, decision, mask, number):
        mask[:] = False
        return decision

    def _outlook(self, z):
        z[:] = 7.0

    def _learn(self, played, rows, ys):
        super()._learn(played, rows, ys)
        rows[:] = 7.0


@pytest.mark.parametrize("arms", [None, ["b"]])
def test_what_a_policy_writes_into_its_arguments_changes_no_visit(arms):
    """Fails if a hook is handed the visit's own answers or arms, in visits or in simulations."""
    found = []
    for kind in (Adds, Scribbles):
        policy = kind(SURVEY, arms=["a", "b"], reward=(0, 1))
        visit = filled(policy.visit(arms=arms))
        before = visit.context()
        visit.explain()
        policy.learn(visit, 1)
        np.testing.assert_array_equal(visit.context(), before)
        world = al.LinearEnvironment(
            SURVEY, arms=["a", "b"], reward=(0, 1), coefficients=np.zeros((2, 5)), spread=0.1
        )
        run = al.simulate(kind(SURVEY, arms=["a", "b"], reward=(0, 1)), world, 30, seed=1).runs[0]
        found.append((visit.to_dict(), policy.total, run.reward, run.asked, run.plays.tolist()))
    assert found[0] == found[1]
    al.check_policy(policy)


def test_a_score_that_is_no_number_is_refused():
    """Fails if an arm is played by a NaN, which `argmax` takes for the largest."""

    class ByWhatItDoesNotAsk(al.Policy):
        name = "by-what-it-does-not-ask"

        def _may_ask(self, mask):
            return np.arange(len(self.survey)) == 0

        def _decide(self, z, mask, number):
            scores = np.where(mask, [0.0, z[2]], -np.inf)
            return al.Decision(int(np.argmax(scores)), scores)

    survey = al.Survey.unit(3)
    policy = ByWhatItDoesNotAsk(survey, arms=["a", "b"], reward=(0, 1))
    match = "broken promise: a policy scores arms by what it has asked.*define `_decide`"
    with pytest.raises(ContractError, match=match):
        policy.visit(known={"x1": 0.5})
    with pytest.raises(ContractError, match=match):
        al.check_policy(policy)
    place = al.LinearEnvironment(
        survey, arms=["a", "b"], reward=(0, 1), coefficients=np.zeros((2, 4)), spread=0.1
    )
    with pytest.raises(ContractError, match=match):
        al.simulate(policy, place, 30)
    assert policy.visit(known={"x1": 0.5}, arms=["a"]).arm == "a"  # nobody compares with b
