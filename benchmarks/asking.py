"""Interactive surveys: what a certified bound costs, and a run of them beside one that asks all."""

from __future__ import annotations

import math
import time

import numpy as np
from askless.kernels import bounds, diagonal_dual, ridge, unasked
from askless.kernels.asking import open_asking
from askless.kernels.bundles import open_header
from askless.kernels.compiling import kernel
from askless.kernels.outcome import outcome

import askless as al

ARMS, FEATURES, BETA_MIN, VISITS = 5, 50, 0.3, 20_480
INTERVAL, DUAL, CASCADE = 0, 1, 2
REPEATS = 200


@kernel()
def bound(address, k, z, limit, what, repeats):
    """Bound arm k's UCB over all answers that z leaves open, so many times over."""
    columns, rule, arms = open_header(address)
    asking, scratch = open_asking(address)
    view = unasked.view_of(rule, arms, asking, k)
    found = 0.0
    for _ in range(repeats):
        unasked.look(columns, view, z)
        unasked.weigh(view)
        bounds.set_linear(view)
        if what == CASCADE:
            found += bounds.cannot_exceed(view, scratch, 0.0, limit)
            continue
        offset = bounds.rounding(view, 0.0)
        bounds.set_prices(view)
        interval, scale = bounds.interval(view, offset, -math.inf)
        found += interval
        if what == DUAL:
            found += diagonal_dual.diagonal_dual(view, scratch, offset, scale, -math.inf)
    return found / repeats


@kernel()
def ask_everything(address, live, contexts, luck, coefficients, noise):
    """Play visits one after the other, each asked everything; no look at those to come."""
    _, rule, arms = open_header(address)
    form, spread, low = noise
    for now in range(contexts.shape[0]):
        z = contexts[now]
        best = ridge.best_arm(rule, arms, live, z)
        mean = 0.0
        for j in range(contexts.shape[1]):
            mean += coefficients[best, j] * z[j]
        y = outcome(form, spread, low, rule.span, mean, luck[now])
        ridge.learn(rule, arms, best, z, y, 0)


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
        model, limits = policy._model, policy.ucb(block.contexts[-1])
        for k in np.flatnonzero(policy.support.all(axis=1)):
            for what, name in enumerate(times):
                bound(model.address, k, nothing, limits.max(), what, 1)
                start = time.perf_counter()
                bound(model.address, k, nothing, limits.max(), what, REPEATS)
                times[name].append(1e6 * (time.perf_counter() - start) / REPEATS)
        if seen >= VISITS:
            return times
    return times


def run_everything() -> float:
    """Return the microseconds a visit of a run that asks everything, one visit after the other."""
    world = al.paper_environment(arms=ARMS, features=FEATURES, coding="raw")
    policy, live = policy_of(world), np.ones(ARMS, dtype=bool)
    spent, seen = 0.0, 0
    noise = world.noise_form, world.spread, 0.0
    for block in world.respondents(0, 0):
        start = time.perf_counter()
        model = policy._model
        ask_everything(model.address, live, block.contexts, block.luck, world.coefficients, noise)
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
