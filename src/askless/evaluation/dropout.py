"""People who give up: how many of those who start a survey complete it, and what that brings."""

from __future__ import annotations

import numpy as np

from askless.evaluation.outcomes import Outcome
from askless.kernels.bundles import Floats

__all__ = ["completed_of"]


def completed_of(outcome: Outcome, people: int, dropout: float) -> tuple[Floats, Floats]:
    """Return how many of the people who start complete their visit, and the sum of their rewards.

    Of those who are put a question, the share `dropout` leaves, whoever they are and whatever they
    have answered; who leaves teaches nothing and brings nothing. So the visits of a run are those
    that are completed, and a visit that asks q questions stands for (1 - dropout)^-q people who
    start: the sum of that says how far into the run so many people come.
    """
    completed, rewards = np.empty((2, len(outcome.asked)))
    steps = np.diff(outcome.visits, prepend=0.0)
    for i, (asked, reward) in enumerate(zip(outcome.asked, outcome.reward, strict=True)):
        mean = np.diff(asked, prepend=0.0) / steps
        started = np.concatenate([[0.0], np.cumsum(steps * (1.0 - dropout) ** -mean)])
        visits = np.concatenate([[0.0], outcome.visits])
        completed[i] = np.interp(people, started, visits)
        rewards[i] = np.interp(completed[i], visits, np.concatenate([[0.0], reward]))
    return completed, rewards
