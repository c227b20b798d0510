"""What short forms cost in time: choosing one, and a fused visit with and without them."""

from __future__ import annotations

import time

import numpy as np

import askless as al

WORLD = al.paper_environment()
FORMS = {"every visit is full": al.EpochSurveyUCB, "short forms": al.SurveyBandit}
CHOICE = (45, 3)  # questions and arms of a choice


def run_forms(name: str, visits: int) -> float:
    """Return the microseconds a visit of a simulation, people drawn and all."""
    policy = FORMS[name](WORLD.survey, arms=WORLD.arms, reward=WORLD.reward, beta_min=0.3)
    start = time.perf_counter()
    al.simulate(policy, WORLD, visits, seed=1)
    return 1e6 * (time.perf_counter() - start) / visits


def choosing(questions: int, arms: int) -> al.SurveyBandit:
    """Return a policy with a full ring and nothing dropped."""
    world = al.paper_environment(arms=arms, features=questions)
    policy = al.SurveyBandit(world.survey, arms=world.arms, reward=world.reward, beta_min=0.01)
    drops = np.zeros(policy.support.shape, dtype=np.int64)
    people, player = world.respondents(1, 0), policy.player()
    while policy.short_form().full < 500:
        player.play(next(people), 0, drops)
    return policy


def measure_choice(policy: al.SurveyBandit) -> float:
    """Return the milliseconds that choosing a form takes, and deriving its models."""
    start = time.perf_counter()
    for _ in range(10):
        policy._short.choose(policy._model)
    return 1e3 * (time.perf_counter() - start) / 10
