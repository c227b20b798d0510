"""Whole studies, played and analysed: which intervals of the analysis miss the truth.

For `tests/evaluation/test_coverage.py`, reduced, and `make guarantee`.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

import askless as al
from askless.environments.base import first_respondents
from askless.evaluation.arm_means import arm_models, contrasts, means
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.history import FullVisit, History
from askless.evaluation.policy_value import policy_values
from askless.policies.effects import POCOCK

ARMS = ("a", "b", "c")
SURVEY = al.Survey(
    [
        al.Scale("scale", low=0, high=1),
        al.YesNo("skippable", may_skip=True),
        al.Choice("choice", ("x", "y", "z")),
        al.YesNo("useless"),
    ]
)
# The scale tells two arms apart, a yes or no brings the third; each effect is above beta_min: what
# is smaller may be dropped, and is then in the means of early epochs and not in those of late ones.
EFFECTS = {"a": {"scale": 0.3}, "b": {"scale": -0.3}, "c": {"skippable": 0.3}}


class World(NamedTuple):
    """A kind of study."""

    arms: int
    visits: int
    spread: float | None  # of two-point noise; None: rewards are 0 or 1
    effects: float  # how large they are, beside EFFECTS
    settings: dict
    delay: al.Delay | None
    correlation: float = 0.0
    base: float = 0.5  # the reward of everybody, but for effects


LATE = al.Delay(20, "random", lost=0.05, deadline=120)
WORLDS = {
    "short forms": World(
        *(2, 1_200, 0.25, 1.0),
        {"beta_min": 0.25, "price": 0.02, "full_floor": 0.5, "explore_floor": 0.2},
        LATE,
    ),
    # Who is asked what depends on other answers, which are correlated with it.
    "asked in parts": World(
        *(3, 1_200, None, 1.0), {"beta_min": 0.25, "price": 0, "explore_floor": 0.2}, LATE, 0.8
    ),
    "yes or no": World(3, 3_000, None, 1.0, {"beta_min": 0.2, "price": 0}, None),
    # One person in fifty brings anything: an epoch may have seen no reward at all.
    "rare": World(
        *(3, 1_500, None, 0.06, {"beta_min": 0.05, "price": 0}, None),
        base=0.02,
    ),
    "arms alike": World(3, 1_500, 0.3, 0.0, {"beta_min": 0.3, "price": 0}, None),
}
BY_VISITS = ("short forms", "asked in parts")  # the others are played as rows, which is faster
LAG = 20  # rows


@cache
def environment(name):
    world = WORLDS[name]
    columns = {
        arm: {column: world.effects * size for column, size in own.items()}
        for arm, own in list(EFFECTS.items())[: world.arms]
    }
    for own in columns.values():
        own[SURVEY.column_names[0]] = world.base - 0.5
    return al.LinearEnvironment(
        SURVEY,
        arms=ARMS[: world.arms],
        reward=(0, 1),
        coefficients=columns,
        noise="two_point",
        spread=world.spread,
        skips={"skippable": 0.25},
        correlation=world.correlation,
    )


@cache
def centre(name):
    """The mean context, from so many people that it is as good as known."""
    contexts, _ = _people(environment(name), 99, 0, 1_000_000)
    return contexts.mean(axis=0)


def missed(row, truth):
    """Whether an interval misses; None where there is none."""
    return None if row.low is None else not row.low - 1e-12 <= truth <= row.high + 1e-12


def play(name, run):
    """Play and analyse one study: per kind of interval, whether the one looked at misses.

    One interval of a kind is looked at in each study, another one every time, so that studies are
    independent. Beside ours are those that pooled least squares and arm averages would give. And
    how far estimates are off, with their sign: in standard errors, times the square root of the
    number of epochs. That is a sum of terms each of which has mean 0 given all before it, so that
    its mean is 0 however many epochs an arm gets; without the root it would not be.
    """
    world, env = WORLDS[name], environment(name)
    policy = al.SurveyBandit(SURVEY, arms=ARMS[: world.arms], reward=(0, 1), **world.settings)
    history = History(policy)
    if name in BY_VISITS:
        done = al.record_visits(
            policy, env, world.visits, seed=7, run=run, delay=world.delay, watch=history
        )
        policy = done.policy
        rows = [(v.record.arm, v.record.answers, v.record.reward) for v in done.visits]
        rows = [(ARMS.index(arm), SURVEY.encode(a), y) for arm, a, y in rows if y is not None]
    else:
        rows = play_rows(policy, env, world.visits, run, history)
    beta, mean = env.coefficients, 0.5 + env.coefficients @ centre(name)
    k = run % world.arms
    found, errors = of_effects(policy, beta, run)
    models = arm_models(history, policy)
    errors["arm mean"] = 0.0
    if models[k].epochs:
        off = (models[k].estimate + 0.5 - mean[k]) / models[k].error
        errors["arm mean"] = off * math.sqrt(models[k].epochs)
    pairs = contrasts(history, policy, models)
    pair = run % len(pairs)
    j, other = (ARMS.index(arm) for arm in (pairs[pair].arm, pairs[pair].other))
    found["arm mean"] = missed(means(history, policy, models)[k], mean[k])
    found["contrast"] = missed(pairs[pair], mean[j] - mean[other])
    if name in BY_VISITS:
        by_draws, drawn_pairs = drawn_means(history, policy)
        found["arm mean by draws"] = missed(by_draws[k], mean[k])
        found["contrast by draws"] = missed(drawn_pairs[pair], mean[j] - mean[other])
        found |= of_values(policy, history, models, done.visits, env, mean, run)
    own = [(z, y) for arm, z, y in rows if arm == k and not np.isnan(z).any()]
    usual, error = naive(own, beta[k], mean[k], centre(name), run)
    return found | usual, errors | {"mean by pooled least squares": error}


def play_rows(policy, env, visits, run, history):
    """Play with all answers at hand; each reward comes after the next LAG decisions."""
    rows = []
    blocks = first_respondents(env, 7, run, visits)
    people = (
        (z, ys) for block in blocks for z, ys in zip(block.contexts, block.rewards, strict=True)
    )
    for z, ys in people:
        arm = policy.play(z)
        used = policy.support.any(axis=0)
        history.full.append(FullVisit(None, z, 1.0, used, np.full(len(policy.arms), np.nan)))
        rows.append((arm, z, float(ys[arm])))
        if len(rows) > LAG:
            k, context, reward = rows[-1 - LAG]
            history.row(policy, k, context, reward)
            policy.learn_row(k, context, reward)
    return rows[:-LAG]


def of_effects(policy, beta, run):
    """Whether both intervals of one direction miss, in each arm."""
    rows, directions, found, errors = policy.effects(ended=True), _directions(), {}, {}
    one = run % len(directions)
    for k, arm in enumerate(policy.arms):
        row, truth = rows[k * len(directions) + one], float(directions[one] @ beta[k])
        found[f"effect at all times, {arm}"] = missed(row, truth)
        end = None if row.end_low is None else not row.end_low <= truth <= row.end_high
        found[f"effect at the end, {arm}"] = end
        errors[f"effect, {arm}"] = 0.0
        if end is not None and row.end_low > -1 and row.end_high < 1:
            error = (row.end_high - row.end_low) / 2 / POCOCK[0.05]
            errors[f"effect, {arm}"] = (row.estimate - truth) / error * math.sqrt(row.epochs)
    return found, errors


def _directions():
    """All directions, on the columns of a context."""
    columns = SURVEY.columns
    found = np.zeros((len(columns.directions), SURVEY.column_count))
    for g, question in enumerate(SURVEY):
        own = slice(columns.first[g], columns.first[g] + question.width)
        found[columns.start[g] : columns.start[g + 1], own] = question.directions()
    return found


def _people(env, seed, run, count):
    """The first people of a run, with what each arm may be expected to bring them."""
    blocks = list(first_respondents(env, seed, run, count))
    return np.vstack([b.contexts for b in blocks]), np.vstack([b.expected for b in blocks])


def of_values(policy, history, models, visits, env, mean, run):
    """Whether the intervals of what decisions were worth miss."""
    _, expected = _people(env, 7, run, len(visits))
    rewarded = [(i, v.record) for i, v in enumerate(visits) if v.record.reward is not None]
    own = np.mean([expected[i, ARMS.index(r.arm)] for i, r in rewarded])
    losses = [
        expected[v.record.number, ARMS.index(v.record.check["short"])]
        - expected[v.record.number, ARMS.index(v.record.check["full"])]
        for v in history.full
        if v.record.check and v.record.number in history.rewards
    ]
    share = np.mean([r.kind == "short" for _, r in rewarded])
    full = [
        expected[i, ARMS.index(r.check["full"] if r.check else r.arm)]
        for i, r in rewarded
        if r.kind != "short"
    ]
    truths = {
        "decisions": own,
        "full visits": np.mean(full),
        "less the best single arm": own - mean.max(),
        "less asking everything": share * np.mean(losses) if losses else 0.0,
    }
    found = {}
    for row in policy_values(history, policy, models, visits):
        if row.what in truths:
            found[row.what] = missed(row, truths[row.what])
    return found


def naive(rows, beta, mean, middle, run):
    """What is usually done: all rows of an arm in one regression, or their average."""
    contexts, ys = np.array([z for z, _ in rows]), np.array([y for _, y in rows])
    slack = 1.96 * ys.std(ddof=1) / np.sqrt(len(ys))
    average = bool(abs(ys.mean() - mean) > slack)
    gram = contexts.T @ contexts
    inverse = np.linalg.pinv(gram)
    estimate = inverse @ contexts.T @ (ys - 0.5)
    freedom = len(ys) - np.linalg.matrix_rank(gram)
    noise = np.sum((ys - 0.5 - contexts @ estimate) ** 2) / freedom
    directions = _directions()
    w = directions[run % len(directions)]
    off, spread = (
        (float(u @ (estimate - beta)) for u in (w, middle)),
        [math.sqrt(noise * (u @ inverse @ u)) for u in (w, middle)],
    )
    effect, whole = (error / size for error, size in zip(off, spread, strict=True))
    found = {"arm average": average, "pooled least squares": abs(effect) > 1.96}
    return found | {"mean by pooled least squares": abs(whole) > 1.96}, whole
