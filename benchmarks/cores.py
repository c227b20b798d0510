"""Runs shared out among the cores of this machine, timed."""

from __future__ import annotations

import os
import time

import askless as al

MOST = os.cpu_count() or 1
CORES = tuple(n for n in (1, 2, 4, 8, 16, 32) if n <= max(MOST, 2))
RUNS, HORIZON = 4 * max(MOST, 2), 100_000
WORLD = al.paper_environment()


def measure_cores(workers: int) -> float:
    """Return the seconds that all runs take."""
    policy = al.RidgeSurveyUCB(
        WORLD.survey, arms=WORLD.arms, reward=WORLD.reward, beta_min=0.3, delta=0.1
    )
    start = time.perf_counter()
    al.simulate(policy, WORLD, HORIZON, runs=RUNS, workers=workers)
    return time.perf_counter() - start
