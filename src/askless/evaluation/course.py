"""How a way of running a study goes as more and more people come, over all worlds of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from askless.core.arrays import Floats
from askless.evaluation.intervals import Interval, predictive
from askless.evaluation.ways import SINGLE

if TYPE_CHECKING:
    from askless.evaluation.plan import Plan

__all__ = ["Course", "course_of"]

POINTS = 40


class Course(NamedTuple):
    """Medians over the worlds up to each number of people, and the range of 90% of worlds."""

    people: Floats
    questions: list[Interval]  # a visit
    over_single: list[Interval]  # reward a person more than by one arm for all


def course_of(plan: Plan, way: str) -> Course:
    """Return how a way goes, by its label, up to the largest number of people."""
    most = plan.respondents[-1]
    people = np.linspace(most / POINTS, most, POINTS)
    questions, over_single = [], []
    for number in people:
        own = plan.outcomes[way, most].at(number)
        single = plan.outcomes[SINGLE, most].at(number)
        questions.append(predictive(own.asked / own.completed))
        over_single.append(predictive((own.reward - single.reward) / number))
    return Course(people, questions, over_single)
