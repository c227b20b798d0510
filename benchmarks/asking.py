"""Interactive surveys: what a certified bound costs, and a run of them beside one that asks all."""

from __future__ import annotations

import time

import numpy as np

import askless as al
from askless.core import inside

ARMS, FEATURES, BETA_MIN, VISITS = 5, 50, 0.3, 20_480
REPEATS = 200


def policy_of(world, **settings):
    """Return the paper's policy."""
    return al.RidgeSurveyUCB(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=BETA_MIN,
        radius="published_sqrt",
        **settings,
    )


def measure_bounds() -> dict[str, list[float]]:
    """Return the microseconds of a bound with 50 unasked columns, in states of a real run."""
    world = al.paper_environment(arms=ARMS, features=FEATURES, coding="raw")
    policy = policy_of(world, interactive=True)
    nothing = np.full(FEATURES + 1, np.nan)
    nothing[0] = 1.0
    times: dict[str, list[float]] = {"interval": [], "interval and dual": [], "whole cascade": []}
    seen = 0
    for block in world.respondents(0, 0):
        for z, luck in zip(block.contexts, block.luck, strict=True):
            k = policy.play(z)
            policy.learn_row(k, z, float(world.coefficients[k] @ z + luck - 0.5))
        seen += len(block.luck)
        arms, limits = policy._model.arms, policy.ucb(block.contexts[-1])
        for k in np.flatnonzero(policy.support.all(axis=1)):
            for what, name in enumerate(times):
                inside.bound(arms, k, nothing, limits.max(), what, 1)
                start = time.perf_counter()
                inside.bound(arms, k, nothing, limits.max(), what, REPEATS)
                times[name].append(1e6 * (time.perf_counter() - start) / REPEATS)
        if seen >= VISITS:
            return times
    return times


def run_everything() -> float:
    """Return the microseconds a visit of a run that asks everything, one visit after the other."""
    world = al.paper_environment(arms=ARMS, features=FEATURES, coding="raw")
    policy = policy_of(world)
    spent, seen = 0.0, 0
    noise = world.noise_form, world.spread, 0.0
    for block in world.respondents(0, 0):
        start = time.perf_counter()
        arms = policy._model.arms
        inside.ask_everything(arms, block.contexts, block.luck, world.coefficients, noise)
        spent += time.perf_counter() - start
        seen += len(block.luck)
        if seen >= VISITS:
            break
    return 1e6 * spent / seen


def run_interactive(grain: str, visits: int) -> float:
    """Return the microseconds a visit of an interactive run."""
    world = al.paper_environment(arms=ARMS, features=FEATURES, coding="raw")
    runs = al.simulate(policy_of(world, interactive=True, grain=grain), world, visits)
    return 1e6 * runs.seconds / visits
