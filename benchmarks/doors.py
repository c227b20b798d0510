"""What a visit costs through each door: the compiled loop, rows, an own policy, real visits."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import askless as al

ARMS, QUESTIONS = 5, (3, 10, 50)


class OwnLinUCB(al.Policy):
    """LinUCB as a user would write it, in numpy on the hooks."""

    name = "own-linucb"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        k, p = len(self.arms), survey.column_count
        self.inverse, self.estimate = np.repeat(np.eye(p)[None], k, axis=0), np.zeros((k, p))

    def _decide(self, z, mask, number):  # noqa: ARG002
        scores = self.estimate @ z + 2.0 * np.sqrt(self.inverse @ z @ z)
        scores = np.where(mask, scores, -np.inf)
        return al.Decision(int(np.argmax(scores)), scores)

    def _learn(self, played, rows, ys):
        for arm, z, y in zip(played, rows, ys, strict=True):
            product = self.inverse[arm] @ z
            gain = product / (1.0 + product @ z)
            self.inverse[arm] -= np.outer(gain, product)
            self.estimate[arm] += gain * (y - self.estimate[arm] @ z)


def world_of(questions: int) -> al.LinearEnvironment:
    """Return the paper's respondents."""
    return al.paper_environment(arms=ARMS, features=questions)


def made(
    kind: type[al.Policy], world: al.LinearEnvironment, settings: dict[str, float] | None = None
) -> al.Policy:
    """Return a policy for them."""
    return kind(world.survey, arms=world.arms, reward=world.reward, **(settings or {}))


def simulated(kind: type[al.Policy], questions: int, count: int) -> float:
    """Return microseconds a simulated visit, the drawing of respondents included."""
    world = world_of(questions)
    policy = made(kind, world)
    start = time.perf_counter()
    al.simulate(policy, world, count, checkpoints=1)
    return 1e6 * (time.perf_counter() - start) / count


def through_rows(questions: int, count: int) -> float:
    """Return microseconds a visit through the array door: play(z), learn_row(arm, z, reward)."""
    world = world_of(questions)
    policy, block = made(al.LinUCB, world), next(world.respondents(1, 0))
    contexts, rewards = block.contexts, block.rewards
    start = time.perf_counter()
    for i in range(count):
        z = contexts[i % len(contexts)]
        arm = policy.play(z)
        policy.learn_row(arm, z, rewards[i % len(contexts), arm])
    return 1e6 * (time.perf_counter() - start) / count


def through_visits(kind: type[al.Policy], questions: int, count: int, **settings: float) -> float:
    """Return microseconds of CPU a full visit through the public door takes.

    From its start through asks, answers and arm to its learned reward; the median: now and then
    a row ends a block, and its arm's model is fitted and tested.
    """
    world = world_of(questions)
    policy, block = made(kind, world, settings), next(world.respondents(1, 0))
    people, taken = [world.survey.decode(z) for z in block.contexts[:count]], []
    for i, answers in enumerate(people):
        start = time.process_time()
        visit = policy.visit()
        while asks := visit.asks:
            visit.answer({question: answers[question] for question in asks})
        policy.learn(visit, float(block.rewards[i, visit.arm_index]))
        if visit.kind == "full":
            taken.append(time.process_time() - start)
    return 1e6 * float(np.median(taken))


OWN = "simulated, an own Python policy (LinUCB in numpy)"
VISIT = "a full public visit: asks, answers, arm, learn ({})"
GOALS = {
    OWN: "10,000 a second",
    **dict.fromkeys(map(VISIT.format, ("LinUCB", "SurveyBandit")), "30 µs (3), 120 µs (50)"),
}
# Name, and a measurement of so many questions.
DOORS: dict[str, Callable[[int], float]] = {
    "simulated, compiled loop (LinUCB)": lambda q: simulated(al.LinUCB, q, 50_000),
    "rows: play(z) and learn_row (LinUCB)": lambda q: through_rows(q, 10_000),
    OWN: lambda q: simulated(OwnLinUCB, q, 5_000),
    VISIT.format("LinUCB"): lambda q: through_visits(al.LinUCB, q, 500),
    VISIT.format("SurveyBandit"): lambda q: through_visits(
        al.SurveyBandit, q, 500, beta_min=0.3, full_floor=0.5
    ),
}
