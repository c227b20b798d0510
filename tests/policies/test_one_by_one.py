"""Policies of one's own in simulations: each visit is that of the public door."""

import numpy as np
import pytest

import askless as al
from askless.errors import AnswerError
from askless.policies.one_by_one import OneByOne
from visiting import Visiting

VISITS = 300


class Means(al.Policy):
    """Plays the arm with the best mean, every fifth visit another one; asks everything."""

    name = "means"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        self.seen, self.rows = np.zeros((2, len(self.arms))), []

    def _decide(self, z, mask, number):
        assert not np.isnan(z).any()
        scores = np.where(mask, self.seen[1] / np.maximum(self.seen[0], 1) + 0.1 * z[1], -np.inf)
        arm = np.flatnonzero(mask)[number % mask.sum()] if number % 5 == 0 else np.argmax(scores)
        return al.Decision(int(arm), scores)

    def _learn(self, played, rows, ys):
        for arm, z, y in zip(played, rows, ys, strict=True):
            self.seen[:, arm] += 1, y
            self.rows.append((int(arm), z.copy(), float(y)))


class Forgets(Means):
    """Asks all but the last question, once its first arm has learned twenty rows."""

    name = "forgets"

    def _decide(self, z, mask, number):
        return super()._decide(np.nan_to_num(z), mask, number)

    def _may_ask(self, mask):
        asks = np.ones(len(self.survey), dtype=bool)
        asks[-1] = self.seen[0, 0] < 20
        return asks


class InTwoParts(Means):
    """Asks the first question, then the others."""

    name = "in-two-parts"

    def _ask(self, z, mask, number):
        missing = np.isnan(z[self.survey.columns.first])
        first = np.arange(len(missing)) == 0
        return al.Asked(missing & (first if missing[0] else ~first), np.array(mask))


class Draws(Means):
    """Draws its arm evenly in one visit of three."""

    name = "draws"

    def _drawn(self, decision, mask, number):
        rng = self.rng(number)
        if rng.random() > 1 / 3:
            return decision
        chances = mask / mask.sum()
        return al.Decision(int(rng.choice(len(mask), p=chances)), decision.scores, chances)


def world(eligible=None):
    survey = al.Survey(
        [
            al.Scale("age", low=18, high=90, cost=0.3),
            al.YesNo("donor", cost=0.1),
            al.Choice("cause", ["children", "animals", "climate"], cost=2.7),
            al.YesNo("member", may_skip=True, always_ask=True),
        ]
    )
    return al.LinearEnvironment(
        survey,
        arms=["a", "b", "c"],
        reward=(0, 10),
        spread=1,
        coefficients={"a": {"age": 2}, "b": {"donor": 2}},
        eligible=eligible,
    )


def changed(policy):
    """The same policy with a hook of its own: what is needed is what the class says."""
    policy._needs = lambda arm: np.arange(len(policy.survey)) < 4 - (policy.seen[0].sum() > 50)
    return policy


@pytest.mark.parametrize("eligible", [None, {"a": 0.6, "b": 0.4}])
@pytest.mark.parametrize("kind", [Means, Forgets, InTwoParts, Draws, "changed"])
def test_visits_are_those_of_the_public_door(kind, eligible):
    """Fails if anything is asked, paid, played, learned or dropped otherwise."""
    place, twins = world(eligible), []
    for _ in range(2):
        made = (Means if kind == "changed" else kind)(
            place.survey, arms=place.arms, reward=place.reward
        )
        twins.append(changed(made) if kind == "changed" else made)
    found = []
    for policy, player in zip(twins, (OneByOne, Visiting), strict=True):
        drops = np.zeros((3, 4), dtype=np.int64)
        (block, *_) = al.environments.base.first_respondents(place, 5, 0, VISITS)
        found.append((player(policy).play(block, 0, drops), drops))
    (one, dropped), (other, theirs) = found
    for name in ("arms", "rewards", "asked", "paid", "others", "regret"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    np.testing.assert_array_equal(dropped, theirs)
    assert dropped.any() == (kind in (Forgets, "changed"))
    assert len(twins[0].rows) == VISITS
    for mine, real in zip(*(policy.rows for policy in twins), strict=True):
        assert (mine[0], mine[2]) == (real[0], real[2])
        np.testing.assert_array_equal(mine[1], real[1])


def test_a_policy_may_keep_or_change_the_context_that_it_is_given():
    """Fails if it is given the block's own rows, which other policies are played on, too."""

    class Scribbles(Means):
        name = "scribbles"

        def _decide(self, z, mask, number):
            decision = super()._decide(z, mask, number)
            z[1:] = 7.0
            return decision

    place = world()
    (block, *_) = al.environments.base.first_respondents(place, 5, 0, VISITS)
    before = block.contexts.copy()
    policy = Scribbles(place.survey, arms=place.arms, reward=place.reward)
    OneByOne(policy).play(block, 0, np.zeros((3, 4), dtype=np.int64))
    np.testing.assert_array_equal(block.contexts, before)


def test_a_policy_that_asks_less_than_its_arms_need_is_refused_as_in_real_visits():
    """Fails if it is told what it has not asked for."""

    class AsksHalf(Means):
        name = "asks-half"

        def _decide(self, z, mask, number):
            return super()._decide(np.nan_to_num(z), mask, number)

        def _ask(self, z, mask, number):
            asked = super()._ask(z, mask, number)
            return asked._replace(questions=asked.questions & (np.arange(4) != 1))

    place = world()
    (block, *_) = al.environments.base.first_respondents(place, 5, 0, VISITS)
    for player in (OneByOne, Visiting):
        policy = AsksHalf(place.survey, arms=place.arms, reward=place.reward)
        with pytest.raises(AnswerError, match="'donor' is not answered"):
            player(policy).play(block, 0, np.zeros((3, 4), dtype=np.int64))
