"""Worlds of known truth, each of a kind that is hard for somebody; drawn anew for every number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.environments.answers import AnswerModel
from askless.environments.base import Environment
from askless.environments.linear import (
    BLOCK,
    LUCK,
    PEOPLE,
    LinearEnvironment,
    check_world_number,
    stream,
)
from askless.errors import SettingError, meant, shown
from askless.policies.player import Block
from askless.survey import Choice, RewardRange, Scale, Survey, YesNo

__all__ = ["FAMILIES", "Family", "family"]

QUESTIONS, ARMS = 12, 3
DRIFT = 5_000  # visits after which other questions matter
GIVERS, MOST_GIVEN = 0.15, 100.0  # heavy noise: who gives at all, and the most that is given


@dataclass(frozen=True)
class Family:
    """A kind of worlds.

    Attributes
    ----------
    name, title : str
        How it is called, and what is hard about it.
    make : callable
        Draws a world with a random generator, given its number.

    Examples
    --------
    >>> import askless as al
    >>> al.FAMILIES["drift"].title
    'after 5,000 people other questions matter'
    """

    name: str
    title: str
    make: Callable[[np.random.Generator, int], Environment] = field(repr=False)


def family(name: str, number: int = 0) -> Environment:
    """Return a world of one of the kinds in `FAMILIES`; other numbers are other worlds.

    Parameters
    ----------
    name : str
        Which kind.
    number : int
        Which world of the kind.

    Examples
    --------
    >>> import askless as al
    >>> world = al.family("many-arms")
    >>> len(world.arms), int(world.useful.any(axis=1).sum())
    (20, 3)
    """
    known = FAMILIES.get(name) if isinstance(name, str) else None
    if known is None:
        raise SettingError(f"there is no family {shown(name)}{meant(name, FAMILIES, 'there are')}")
    checked = check_world_number(number)
    rng = np.random.default_rng([list(FAMILIES).index(name), checked])
    return known.make(rng, checked)


class CurvedEnvironment:
    """People of an answer model whose rewards are any function of their answers, or of time.

    Parameters
    ----------
    survey : Survey
        The questions.
    arms : int
        How many.
    reward : (float, float)
        The range of rewards.
    expect : callable
        Contexts (n × p) and the visits at which these people come, to expected rewards (n × K).
    useful : array of bool (K × questions)
        Which questions matter to which arm.
    draw : callable
        Expected rewards and a number from 0 to 1 for each (n × K) to rewards.
    """

    def __init__(
        self,
        survey: Survey,
        *,
        arms: int,
        reward: tuple[float, float],
        expect: Callable[[Floats, Floats], Floats],
        useful: Flags,
        draw: Callable[[Floats, Floats], Floats],
        number: int,
        answers: dict[str, Any] | None = None,
    ) -> None:
        self.survey, self.useful, self.number = survey, useful, number
        self.arms = tuple(f"arm{k + 1}" for k in range(arms))
        self.reward = RewardRange.of(reward)
        self._expect, self._draw = expect, draw
        self._people = AnswerModel(survey, answers)

    def __repr__(self) -> str:
        counts = f"{len(self.survey)} questions, {len(self.arms)} arms"
        return f"{type(self).__name__}({counts}, number={self.number})"

    def respondents(self, seed: int, run: int) -> Iterator[Block]:
        """Draw the respondents of a run, block after block, for ever."""
        people, luck = (stream((seed, run), self.number, which) for which in (PEOPLE, LUCK))
        first = 0
        while True:
            contexts = self._people.contexts(people, BLOCK)
            expected = self._expect(contexts, first + np.arange(float(BLOCK)))
            rewards = self._draw(expected, luck.random(expected.shape))
            yield Block(contexts, rewards, expected)
            first += BLOCK


# -- linear kinds ----------------------------------------------------------------------------------


def _scales(count: int) -> Survey:
    return Survey([Scale(f"q{i + 1}", low=0, high=1) for i in range(count)])


def _yes_or_no(expected: Floats, luck: Floats) -> Floats:
    """Draw rewards of 0 and 1."""
    return (luck < expected).astype(np.float64)


def _linear(
    rng: np.random.Generator,
    number: int,
    survey: Survey,
    *,
    arms: int = ARMS,
    good: int = ARMS,
    effects: tuple[float, float] = (0.3, 0.6),
    **people: Any,
) -> LinearEnvironment:
    """Return yes/no rewards: two questions, each with an effect on each of the `good` arms."""
    table = np.zeros((arms, survey.column_count))
    table[good:, 0] = -0.15  # the others are worse for everyone, or nearly
    for g in rng.permutation(len(survey))[:2]:
        question = survey.questions[int(g)]
        for k in range(good):
            shape = rng.normal(size=question.width)
            size = rng.uniform(*effects) / 2  # two questions share the range
            table[k, survey.columns_of(question.name)] = size * shape / question.effect(shape)
    return LinearEnvironment(
        survey,
        arms=[f"arm{k + 1}" for k in range(arms)],
        coefficients=table,
        reward=(0, 1),
        noise="two_point",
        number=number,
        **people,
    )


def _correlated(rng: np.random.Generator, number: int) -> Environment:
    return _linear(rng, number, _scales(QUESTIONS), correlation=0.8)


def _many_choices(rng: np.random.Generator, number: int) -> Environment:
    options = tuple(f"o{i + 1}" for i in range(8))
    return _linear(rng, number, Survey([Choice(f"q{i + 1}", options) for i in range(8)]))


def _small_effects(rng: np.random.Generator, number: int) -> Environment:
    return _linear(rng, number, _scales(QUESTIONS), effects=(0.06, 0.12))


def _many_arms(rng: np.random.Generator, number: int) -> Environment:
    return _linear(rng, number, _scales(QUESTIONS), arms=20)


def _many_questions(rng: np.random.Generator, number: int) -> Environment:
    return _linear(rng, number, _scales(500))


# -- the others ------------------------------------------------------------------------------------


def _useful(count: int, *pairs: tuple[int, int]) -> Flags:
    """Return which questions matter to which arm, given as (arm, question)."""
    useful = np.zeros((ARMS, count), dtype=bool)
    for arm, question in pairs:
        useful[arm, question] = True
    return useful


def _interactions(rng: np.random.Generator, number: int) -> Environment:
    a, b, c = map(int, rng.permutation(QUESTIONS)[:3])
    stake = rng.uniform(0.2, 0.35)

    def expect(z: Floats, visits: Floats) -> Floats:  # noqa: ARG001
        both = np.sign(z[:, 1 + a] * z[:, 1 + b])
        return np.asarray(np.c_[0.5 + stake * both, 0.5 - stake * both, 0.5 + 0.2 * z[:, 1 + c]])

    return CurvedEnvironment(
        Survey([YesNo(f"q{i + 1}") for i in range(QUESTIONS)]),
        arms=ARMS,
        reward=(0, 1),
        expect=expect,
        useful=_useful(QUESTIONS, (0, a), (0, b), (1, a), (1, b), (2, c)),
        draw=_yes_or_no,
        number=number,
    )


def _rare_stakes(rng: np.random.Generator, number: int) -> Environment:
    rare, common = map(int, rng.permutation(QUESTIONS)[:2])
    chance = rng.uniform(0.02, 0.05)

    def expect(z: Floats, visits: Floats) -> Floats:  # noqa: ARG001
        yes, other = z[:, 1 + rare] > 0, 0.1 * z[:, 1 + common]
        return np.asarray(np.c_[np.where(yes, 0.05, 0.55), np.where(yes, 0.95, 0.5), 0.5 + other])

    return CurvedEnvironment(
        Survey([YesNo(f"q{i + 1}") for i in range(QUESTIONS)]),
        arms=ARMS,
        reward=(0, 1),
        expect=expect,
        useful=_useful(QUESTIONS, (0, rare), (1, rare), (2, common)),
        draw=_yes_or_no,
        number=number,
        answers={f"q{rare + 1}": chance},
    )


def _drift(rng: np.random.Generator, number: int) -> Environment:
    before, after = map(int, rng.permutation(QUESTIONS)[:2])
    effect = rng.uniform(0.4, 0.6)

    def expect(z: Floats, visits: Floats) -> Floats:
        matters = np.where(visits < DRIFT, z[:, 1 + before], z[:, 1 + after])
        return np.asarray(
            np.c_[0.5 + effect * matters, 0.5 - effect * matters, np.full(len(z), 0.5)]
        )

    return CurvedEnvironment(
        _scales(QUESTIONS),
        arms=ARMS,
        reward=(0, 1),
        expect=expect,
        useful=_useful(QUESTIONS, *((k, g) for k in (0, 1) for g in (before, after))),
        draw=_yes_or_no,
        number=number,
    )


def _heavy_noise(rng: np.random.Generator, number: int) -> Environment:
    """Return donations: most people give nothing, a few a lot."""
    matters = int(rng.integers(QUESTIONS))
    effect = rng.uniform(0.6, 0.9)
    # A gift is the most that is given times a number u⁴, whose mean is a fifth.
    mean = GIVERS * MOST_GIVEN / 5

    def expect(z: Floats, visits: Floats) -> Floats:  # noqa: ARG001
        moved = effect * z[:, 1 + matters]
        return np.asarray(mean * np.c_[1 + moved, 1 - moved, np.full(len(z), 0.9)])

    def draw(expected: Floats, luck: Floats) -> Floats:
        gives = expected / (MOST_GIVEN / 5)  # the probability of a gift
        # Of the number that says whether, what is left says how much.
        gift = MOST_GIVEN * (luck / np.maximum(gives, 1e-12)) ** 4
        return np.asarray(np.where(luck < gives, gift, 0.0))

    return CurvedEnvironment(
        _scales(QUESTIONS),
        arms=ARMS,
        reward=(0, MOST_GIVEN),
        expect=expect,
        useful=_useful(QUESTIONS, (0, matters), (1, matters)),
        draw=draw,
        number=number,
    )


FAMILIES: dict[str, Family] = {
    kind.name: kind
    for kind in (
        Family("correlated", "answers that go together: a correlation of 0.8", _correlated),
        Family("many-choices", "eight choices of eight options each", _many_choices),
        Family("small-effects", "effects below a beta_min of 0.1", _small_effects),
        Family("interactions", "answers that matter together: means not linear", _interactions),
        Family("many-arms", "twenty arms, of which three are worth playing", _many_arms),
        Family("rare-stakes", "an answer that few give, with a large stake", _rare_stakes),
        Family("drift", f"after {DRIFT:,} people other questions matter", _drift),
        Family("heavy-noise", "donations: most give nothing, a few a lot", _heavy_noise),
        Family("many-questions", "500 questions, of which two matter", _many_questions),
    )
}
