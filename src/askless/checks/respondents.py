"""Simulated people for the contract: random answers to every question, and a random reward."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from askless.policies import Policy
from askless.survey import Question
from askless.survey.question import Answer


class Respondents:
    """The same people at every pass; rewards lie in the policy's range."""

    def __init__(self, policy: Policy, count: int, seed: int) -> None:
        self.survey, self.reward = policy.survey, policy.reward
        self.count, self.seed = count, seed

    def __iter__(self) -> Iterator[tuple[dict[str, Answer], float]]:
        return self.first(self.count)

    def first(self, count: int) -> Iterator[tuple[dict[str, Answer], float]]:
        """Return the first so many of them: answers and a reward."""
        rng = np.random.default_rng(self.seed)
        for _ in range(count):
            answers = {question.name: self._answer(question, rng) for question in self.survey}
            yield answers, float(rng.uniform(self.reward.low, self.reward.high))

    def _answer(self, question: Question, rng: np.random.Generator) -> Answer:
        if question.may_skip and rng.random() < 0.2:
            return None
        raw = self.survey.coding == "raw"
        extremes = question.extremes(raw=raw)
        values = np.zeros(question.width)
        values[: question.own_width] = extremes[rng.integers(len(extremes))]
        if len(extremes) == 2 and question.kind == "scale":
            values[0] = rng.uniform(extremes[0, 0], extremes[1, 0])
        return question.decode(values, raw=raw)
