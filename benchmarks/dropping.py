"""The fused loops of the policies that drop questions, beside each other."""

from __future__ import annotations

import time

import numpy as np

import askless as al
from askless.policies.loops import Fused

WORLD = al.paper_environment()
# With the smaller beta_min nothing is dropped: every test is made, for fifty questions.
DROPPING = {
    "ridge, beta_min 0.3": (al.RidgeSurveyUCB, 0.3),
    "epoch, beta_min 0.3": (al.EpochSurveyUCB, 0.3),
    "ridge, beta_min 0.02": (al.RidgeSurveyUCB, 0.02),
    "epoch, beta_min 0.02": (al.EpochSurveyUCB, 0.02),
}


def run_dropping(name: str, visits: int) -> float:
    """Return the microseconds a visit; the contexts are drawn beforehand."""
    kind, beta_min = DROPPING[name]
    policy = kind(WORLD.survey, arms=WORLD.arms, reward=WORLD.reward, beta_min=beta_min)
    player = Fused(policy)
    drops = np.zeros(policy.support.shape, dtype=np.int64)
    people = WORLD.respondents(1, 0)
    blocks = [next(people) for _ in range(visits // 1_024)]
    start = time.perf_counter()
    for i, block in enumerate(blocks):
        player.play(block, 1_024 * i, drops)
    return 1e6 * (time.perf_counter() - start) / visits
