"""Every policy keeps the contract, and the contract catches those that do not."""

import copy
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import askless as al
from askless.errors import ContractError, SettingError
from askless.policies import policy_of
from askless.policies.building import settings_of
from askless.policies.numbers import Numbers
from sizes import LONG
from worlds import survey_of

MIXED = survey_of(
    [("scale", 1, True), ("choice", 3, True), ("multi", 2, False), ("yes_no", 1, False)]
)
RAW = al.Survey.unit(3, coding="raw")
ALWAYS = al.Survey([al.Scale("a", low=0, high=1, always_ask=True), al.YesNo("b")])


def catalogue():
    """Every policy of the catalogue, with what it must be given and all else at its default."""
    for survey in (MIXED, RAW, ALWAYS) if LONG else (MIXED,):
        truth = np.random.default_rng(survey.column_count).normal(size=(3, survey.column_count))
        truth[:, 1] = 0
        world = SimpleNamespace(
            survey=survey, arms=["red", "blue", "green"], reward=(-2, 3), coefficients=truth
        )
        for name, kind in al.POLICIES.items():
            taken = settings_of(kind).items()
            needed = {key: it.setting.example for key, it in taken if it.needed}
            yield policy_of({"name": name, **needed}, world)


def variants():
    """Settings with which a policy does something else."""
    for survey in (MIXED, RAW, ALWAYS):
        arms = ["red", "blue", "green"]
        yield al.EpochSurveyUCB(survey, arms=arms, reward=(0, 1), beta_min=0.2, judge_skips=False)
        yield al.EpochSurveyUCB(
            survey, arms=arms, reward=(0, 1), beta_min=0.8, interactive=True, explore=0.3
        )
        yield al.SurveyBandit(survey, arms=arms, reward=(-2, 3), beta_min=4)
        # Sets this tight drop within a few visits.
        yield al.RidgeSurveyUCB(survey, arms=arms, reward=(-2, 3), beta_min=4, sigma=0.1, b2=0.1)
        for radius in ("published", "published_sqrt"):
            yield al.RidgeSurveyUCB(survey, arms=arms, reward=(0, 1), beta_min=0.9, radius=radius)
        for radius in ("valid", "ridge", "published_scaled_sqrt"):
            yield al.ElasticNetSurveyUCB(
                survey, arms=arms, reward=(-2, 3), beta_min=4, radius=radius, sigma=0.05, b1=0.1
            )
        yield al.LinUCB(survey, arms=arms, reward=(0, 1))
        yield al.OFUL(survey, arms=["only"], reward=(0, 1))
        # In the pilot to the end, and hardly in it.
        for planned in (100_000, 20):
            yield al.PilotThenScreen(survey, arms=arms, reward=(-2, 3), planned=planned)
    yield al.WTSRC(MIXED, arms=arms, reward=(-2, 3), window=20, v=0.5)
    yield al.SparseUCB(MIXED, arms=arms, reward=(-2, 3), size=1)


def some_policies():
    """All of them with the first survey, in `make long` with every one; else a third with each."""
    every = list(variants())
    count = len(every) // 3
    some = [own for i, own in enumerate(every) if i < count or i % 3 == 0 or LONG]
    return [*catalogue(), *some]


@pytest.mark.parametrize("policy", some_policies(), ids=str)
def test_our_policies_keep_the_contract(policy):
    before = policy.to_dict()
    al.check_policy(policy)
    assert policy.to_dict() == before


def test_the_contract_is_checked_where_questions_are_dropped():
    policy = al.RidgeSurveyUCB(
        MIXED, arms=["a", "b"], reward=(-2, 3), beta_min=4, sigma=0.1, b2=0.1
    )
    played = copy.deepcopy(policy)
    for _ in range(60):
        visit = played.visit(known={"scale0": 0.5, "choice1": "o1", "multi2": [], "yes_no3": True})
        played.learn(visit, 0.5)
    assert not played.support.all()


class Base(al.Uniform):
    """A correct policy, to be broken in one place."""

    name = "broken"

    def __init_subclass__(cls):
        cls.name = cls.__name__


class PlaysRetired(Base):
    def _decide(self, z, mask, number):
        return al.Decision(0, np.zeros(len(mask)))


class LooksAtTheClock(Base):
    calls = itertools.count()

    def _decide(self, z, mask, number):
        return super()._decide(z, mask, next(self.calls))


class GrowsSupports(Base):
    learned = 0

    def _needs(self, arm):
        used = super()._needs(arm)
        used[0] = self.learned % 2 == 1
        return used

    def _learn(self, played, rows, ys):
        self.learned += len(played)


class ForgetsToSave(Base):
    total = 0.0

    def _learn(self, played, rows, ys):
        self.total += float(ys.sum())

    def _decide(self, z, mask, number):
        return super()._decide(z, mask, number + int(abs(self.total) > 1))


class LearnsFromUnused(Base):
    total = 0.0

    def _needs(self, arm):
        used = super()._needs(arm)
        used[0] = False
        return used

    def _learn(self, played, rows, ys):
        self.total += float(np.nansum(rows))

    def _state(self):
        return {"total": self.total}

    def _restore(self, state):
        self.total = state["total"]


class ChangesOtherArms(Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.count = 0

    def _learn(self, played, rows, ys):
        self.count += len(played)

    def _state(self):
        return {"arms": [self.count] * len(self.arms)}

    def _restore(self, state):
        self.count = state["arms"][0]


class ShrinksOtherArms(Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.counts = [0] * len(self.arms)

    def _needs(self, arm):
        used = super()._needs(arm)
        used[0] = sum(self.counts) == self.counts[arm]
        return used

    def _learn(self, played, rows, ys):
        for arm in played:
            self.counts[arm] += 1

    def _grow(self):
        self.counts.append(0)

    def _state(self):
        return {"arms": list(self.counts)}

    def _restore(self, state):
        self.counts = list(state["arms"])


class LearnsTwice(Base):
    def learn(self, visit, reward):
        visit.reward = None
        self._learned = Numbers()
        super().learn(visit, reward)


class TakesAnyReward(Base):
    def learn(self, visit, reward):
        visit.reward = reward
        self._version += 1


class StatefulLook(Base):
    def asked_now(self):
        self._version += 1
        return super().asked_now()


class KeepsGaps(Base):
    gap = 0.0

    def _learn(self, played, rows, ys):
        self.gap = float("nan")

    def _state(self):
        return {"gap": self.gap}


class WithoutRoom(al.LinUCB):
    name = "broken"

    def _grow(self):
        pass


class IgnoresBatches(Base):
    total = 0.0

    def _learn(self, played, rows, ys):
        self.total += float(ys[0])

    def _state(self):
        return {"total": self.total}

    def _restore(self, state):
        self.total = state["total"]


class HidesASetting(Base):
    def __init__(self, survey, *, arms, reward, seed=0, share=0.5):
        super().__init__(survey, arms=arms, reward=reward, seed=seed)


class SettingsOfNothing(Base):
    def _settings(self):
        return None


class StateInArrays(Base):
    def _state(self):
        return {"sums": np.zeros(2)}


class WinsForOthers(Base):
    def _ask(self, z, mask, number):
        return super()._ask(z, mask, number)._replace(possible=np.ones(len(mask), dtype=bool))


class ChancesForOthers(Base):
    def _decide(self, z, mask, number):
        even = np.full(len(mask), 1 / len(mask))
        return super()._decide(z, mask, number)._replace(propensities=even)


class DecidesWithAFloat(Base):
    def _decide(self, z, mask, number):
        return al.Decision(float(np.argmax(mask)), np.zeros(len(mask)))


class AnswersForNobody(Base):
    def _of_kind(self, kind):
        return None


class OutlookOfOne(Base):
    def _outlook(self, z):
        return np.zeros(2)


class ReachOfOne(Base):
    def _reach(self, z, mask):
        return 1.0


class PlayerOfNone(Base):
    def _player(self):
        return "fast"


class SaysALittleTooMuch(Base):
    """Draws the other arm in one visit of twenty, and says one of seven."""

    def _decide(self, z, mask, number):
        arms = np.flatnonzero(mask)
        other = self.rng(number).random() < 0.05
        chances = np.where(np.arange(len(mask)) == arms[0], 1 - 1 / 7, 1 / 7) * mask
        arm = int(arms[-1] if other else arms[0])
        return al.Decision(arm, np.zeros(len(mask)), chances / chances.sum())


Unnamed = type("Unnamed", (al.Uniform,), {})


class DecidesWithANumber(Base):
    def _decide(self, z, mask, number):
        return 0


class WrongNeeds(Base):
    def _needs(self, arm):
        return np.ones((1, 1))


class WrongMayAsk(Base):
    def _may_ask(self, mask):
        return [True] * len(self.survey)


class NeedsMoreThanItMayAsk(Base):
    def _may_ask(self, mask):
        return np.zeros(len(self.survey), dtype=bool)

    def _needs(self, arm):
        return np.ones(len(self.survey), dtype=bool)


class AsksTooLittle(Base):
    def _ask(self, z, mask, number):
        return al.Asked(np.zeros(len(self.survey), dtype=bool), np.array(mask))


class AsksTwice(Base):
    def _ask(self, z, mask, number):
        return al.Asked(np.ones(len(self.survey), dtype=bool), np.array(mask))


class AsksByName(Base):
    def _ask(self, z, mask, number):
        return self.survey.names


class CountsVisitsNotCopies(Base):
    def learn(self, visit, reward):
        if visit.reward is None:
            self._learned = Numbers()
        super().learn(visit, reward)


class ForgetsWhomItLearned(Base):
    def to_dict(self):
        return super().to_dict() | {"learned": []}


class LoopsAsItsParent(al.LinUCB):
    name = "broken"

    def _decide(self, z, mask, number):
        scores = -super()._decide(z, mask, number).scores
        return al.Decision(int(np.argmax(np.where(mask, scores, -np.inf))), scores)

    def play(self, z):
        return al.Policy.play(self, z)

    def _player(self):
        return super()._player()


class ChancesOfMoreThanOne(Base):
    def _decide(self, z, mask, number):
        return super()._decide(z, mask, number)._replace(propensities=np.ones(len(mask)))


class KindWithoutAName(Base):
    def _kind(self, mask, number):
        return None


class Nameless(al.Policy):
    def _decide(self, z, mask, number):
        return al.Decision(int(np.argmax(mask)), np.zeros(len(mask)))


class Fails(Base):
    def _learn(self, played, rows, ys):
        raise KeyError("oops")


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (WithoutRoom, "arm"),
        (IgnoresBatches, "batch"),
        (HidesASetting, "settings.*share.*define `_settings`"),
        (SettingsOfNothing, "settings; define `_settings`"),
        (StateInArrays, "state as plain data; define `_state`"),
        (WinsForOthers, "lets some arms win that the visit may get.*define `_ask`"),
        (ChancesForOthers, "0 to those that the visit may not get.*define `_decide`"),
        (DecidesWithAFloat, "an arm that the visit may get; 0.0 is none; define `_decide`"),
        (AnswersForNobody, "who answers for 'full' visits.*define `_of_kind`"),
        (OutlookOfOne, "outlook in two rows; define `_outlook`"),
        (ReachOfOne, "how high arms can get; define `_reach`"),
        (PlayerOfNone, "a player that plays; define `_player`"),
        (SaysALittleTooMuch, "draws arms with the propensities it gives.*define `_decide`"),
        (Unnamed, "a text of its own class"),
        (DecidesWithANumber, "define `_decide`, returning an askless.Decision"),
        (WrongNeeds, "says what an arm needs; define `_needs`, returning booleans"),
        (WrongMayAsk, "says what it may ask; define `_may_ask`, returning booleans"),
        (NeedsMoreThanItMayAsk, "may ask for an arm what that arm needs; define `_needs`"),
        (AsksTooLittle, "asks all that the arm it plays needs.*define `_ask`"),
        (AsksTwice, "asks nothing twice; define `_ask`"),
        (AsksByName, "says what to ask.*define `_ask`, returning an askless.Asked"),
        (CountsVisitsNotCopies, "second reward for a visit|forgets what it refused"),
        (ForgetsWhomItLearned, "second reward for a visit|same state after saving"),
        (LoopsAsItsParent, "compiled loop.*define `_player`"),
        (ChancesOfMoreThanOne, "sum to 1.*define `_decide`"),
        (KindWithoutAName, "kind of a visit; None is no name; define `_kind`"),
        (Nameless, "name"),
        (Fails, "KeyError: 'oops'; define `_learn`"),
        (PlaysRetired, "eligible arm|retired arm|an arm that the visit may get"),
        (LooksAtTheClock, "order|twice|same"),
        (GrowsSupports, "shrink only; define `_needs`"),
        (ForgetsToSave, "after saving"),
        (LearnsFromUnused, "only from the questions"),
        (ChangesOtherArms, "not played"),
        (ShrinksOtherArms, "changes only the arm played; define `_needs`"),
        (LearnsTwice, "another reward|at most once"),
        (TakesAnyReward, "refuses"),
        (StatefulLook, "looked at"),
        (KeepsGaps, "finite numbers.*define `_state`"),
    ],
)
def test_a_broken_policy_is_caught(kind, promise):
    policy = kind(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    with pytest.raises(ContractError, match=promise):
        al.check_policy(policy)


def test_settings_may_be_handed_on():
    class HandsOn(al.LinUCB):
        name = "hands-on"

        def __init__(self, survey, **settings):
            super().__init__(survey, **settings)

    al.check_policy(HandsOn(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1)))


@pytest.mark.parametrize("visits", [0, 9, True, 20.0])
def test_too_few_visits_show_nothing(visits):
    policy = al.Uniform(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    with pytest.raises(SettingError, match="visits is"):
        al.check_policy(policy, visits=visits)


def test_a_class_is_not_a_policy():
    with pytest.raises(ContractError, match="instance"):
        al.check_policy(al.Uniform)
