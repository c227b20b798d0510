"""Policies each of which breaks one promise of the contract."""

import itertools

import numpy as np

import askless as al
from askless.errors import SettingError
from askless.policies.numbers import Numbers


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


class RefusesWhatItLearns(Base):
    def _learn(self, played, rows, ys):
        raise SettingError("never")


class WithoutRestore(Base):
    count = 0

    def _learn(self, played, rows, ys):
        self.count += len(played)

    def _state(self):
        return {"count": self.count}


class SaysNothing(WithoutRestore):
    def _state(self):
        return {}

    def _restore(self, state):
        self.count = state["count"]


class DecidesByLess(Base):
    def _decide(self, z, mask):
        return super()._decide(z, mask, 0)


class LearnsByLess(Base):
    def _of_kind(self, kind):
        return OneRow(self)


class OneRow(al.VisitKind):
    def _decide(self, z, mask, number):
        return self.policy._decide(z, mask, number)

    def _learn(self, arm, row):
        pass


class Misspelled(Base):
    def _lern(self, played, rows, ys):
        pass
