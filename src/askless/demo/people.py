"""Simulated people of a study: what they would answer and bring, when they lose patience."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from askless.environments import Prior
from askless.environments.linear import LinearEnvironment
from askless.survey import Study
from askless.survey.eligibility import Eligibility
from askless.survey.question import Answer

__all__ = ["Person", "people_of", "world_of"]

LOST_A_QUESTION = 0.015  # share of the people whom each question loses
LATE = 0.2  # share of rewards that do not come at once
MEAN_WAIT, LONGEST_WAIT = 1.0, 3.0  # seconds that those take


@dataclass(frozen=True)
class Person:
    """Somebody who comes.

    Attributes
    ----------
    answers : dict
        What they would answer, to everything.
    arms : tuple of str or None
        The arms that they may get, whatever they answer; None for all.
    open_to : frozenset of str
        Those of them whose rules their answers satisfy.
    rewards : dict
        What each arm would bring.
    patience : int
        How many questions they answer before they go.
    wait : float
        Seconds until their reward comes.
    """

    answers: dict[str, Answer] = field(repr=False)
    arms: tuple[str, ...] | None
    open_to: frozenset[str]
    rewards: dict[str, float] = field(repr=False)
    patience: int
    wait: float


def world_of(study: Study, seed: int) -> LinearEnvironment:
    """Return a world that is plausible for a study, as `askless plan` draws them.

    Where a file says neither `beta_min` nor which effects are plausible, they are from a fifth of
    the reward's range to half of it.
    """
    if not study.settings.get("beta_min") and "effect" not in study.plan:
        effect = study.reward.span / 5, study.reward.span / 2
        study = replace(study, plan={**study.plan, "effect": effect})
    return Prior.of(study).world(0, seed=seed)


def people_of(study: Study, seed: int = 0) -> Iterator[Person]:
    """Draw the people of a plausible world of a study, one after the other, for ever.

    They depend on the study and the seed alone.

    Examples
    --------
    >>> import askless as al
    >>> person = next(people_of(al.Study.example(), seed=1))
    >>> sorted(person.answers) == sorted(al.Study.example().survey.names)
    True
    >>> sorted(person.rewards)
    ['msf', 'red_cross', 'wwf']
    """
    world, rules = world_of(study, seed), Eligibility(study.survey, study.arms)
    names = tuple(arm.name for arm in study.arms)
    rng = np.random.default_rng([seed, 1])
    for block in world.respondents(seed, 0):
        open_to = rules.allowed(block.contexts)
        if block.allowed is not None:
            open_to &= block.allowed
        for i, context in enumerate(block.contexts):
            allowed = None if block.allowed is None else _named(names, block.allowed[i])
            yield Person(
                answers=rules.decode(context),
                arms=allowed,
                open_to=frozenset(_named(names, open_to[i])),
                rewards=dict(zip(names, map(float, block.rewards[i]), strict=True)),
                patience=int(rng.geometric(LOST_A_QUESTION)) - 1,
                wait=_wait(rng),
            )


def _named(names: tuple[str, ...], flags: Any) -> tuple[str, ...]:
    return tuple(name for name, flag in zip(names, flags, strict=True) if flag)


def _wait(rng: np.random.Generator) -> float:
    late, seconds = rng.random() < LATE, float(rng.exponential(MEAN_WAIT))
    return min(seconds, LONGEST_WAIT) if late else 0.0
