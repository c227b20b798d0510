"""Whole studies, played and analysed: which intervals of the analysis miss the truth.

For `tests/evaluation/test_coverage.py`, reduced, and `make guarantee`.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

import askless as al
from askless.environments.base import first_respondents
from askless.evaluation.arm_means import arm_models, contrasts, means
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.history import History
from askless.evaluation.policy_value import policy_values

ARMS = ("a", "b", "c")
SURVEY = al.Survey(
    [
        al.Scale("scale", low=0, high=1),
        al.YesNo("skippable", may_skip=True),
        al.Choice("choice", ("x", "y", "z")),
        al.YesNo("useless"),
    ]
)
# The scale tells arms apart; the choice and the skip matter to one of them.
EFFECTS = {
    "a": {"scale": 0.3, "choice = x": 0.1},
    "b": {"scale": -0.3},
    "c": {"skippable": 0.2, "choice = y": -0.1},
}


class World(NamedTuple):
    """A kind of study."""

    visits: int
    spread: float | None  # of two-point noise; None: rewards are 0 or 1
    effects: float  # how large they are, beside EFFECTS
    settings: dict
    delay: al.Delay | None


LATE = al.Delay(20, "random", lost=0.05, deadline=120)
WORLDS = {
    "short forms": World(
        *(1_200, 0.25, 1.0),
        {"beta_min": 0.3, "price": 0.02, "full_floor": 0.5, "explore_floor": 0.3},
        LATE,
    ),
    "all is asked": World(1_200, None, 1.0, {"beta_min": 0.3, "price": 0}, LATE),
    "arms alike": World(600, 0.3, 0.0, {"beta_min": 0.3, "price": 0}, None),
}


@cache
def environment(name):
    world = WORLDS[name]
    columns = {
        arm: {column: world.effects * size for column, size in own.items()}
        for arm, own in EFFECTS.items()
    }
    return al.LinearEnvironment(
        SURVEY,
        arms=ARMS,
        reward=(0, 1),
        coefficients=columns,
        noise="two_point",
        spread=world.spread,
        skips={"skippable": 0.25},
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
    independent. Beside ours are those that pooled least squares and arm averages would give.
    """
    world, env = WORLDS[name], environment(name)
    policy = al.SurveyBandit(SURVEY, arms=ARMS, reward=(0, 1), **world.settings)
    history = History(policy)
    done = al.record_visits(
        policy, env, world.visits, seed=7, run=run, delay=world.delay, watch=history
    )
    policy, beta = done.policy, env.coefficients
    mean = 0.5 + beta @ centre(name)
    found = {}
    rows = policy.effects(ended=True)
    directions = _directions()
    one = run % len(directions)
    for k in range(len(ARMS)):
        row, truth = rows[k * len(directions) + one], float(directions[one] @ beta[k])
        found[f"effect at all times, {ARMS[k]}"] = missed(row, truth)
        end = None if row.end_low is None else not row.end_low <= truth <= row.end_high
        found[f"effect at the end, {ARMS[k]}"] = end
    models = arm_models(history, policy)
    k, pair = run % 3, run % 3
    by_draws, drawn_pairs = drawn_means(history, policy)
    pairs = contrasts(history, policy, models)
    j, other = (ARMS.index(arm) for arm in (pairs[pair].arm, pairs[pair].other))
    found["arm mean"] = missed(means(history, policy, models)[k], mean[k])
    found["contrast"] = missed(pairs[pair], mean[j] - mean[other])
    found["arm mean by draws"] = missed(by_draws[k], mean[k])
    found["contrast by draws"] = missed(drawn_pairs[pair], mean[j] - mean[other])
    found |= _values(policy, history, models, done.visits, env, mean, world, run)
    found |= _naive(done.visits, k, one, directions, beta, mean)
    return found, rows, policy


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


def _values(policy, history, models, visits, env, mean, world, run):
    _, expected = _people(env, 7, run, world.visits)
    rewarded = [(i, v.record) for i, v in enumerate(visits) if v.record.reward is not None]
    own = np.mean([expected[i, ARMS.index(r.arm)] for i, r in rewarded])
    losses = [
        expected[v.record.number, ARMS.index(v.record.check["short"])]
        - expected[v.record.number, ARMS.index(v.record.check["full"])]
        for v in history.full
        if v.record.check and v.record.number in history.rewards
    ]
    share = np.mean([r.kind == "short" for _, r in rewarded])
    truths = {
        "decisions": own,
        "less the best single arm": own - mean.max(),
        "less asking everything": share * np.mean(losses) if losses else 0.0,
    }
    found = {}
    for row in policy_values(history, policy, models, visits):
        if row.what in truths:
            found[row.what] = missed(row, truths[row.what])
    return found


def _naive(visits, k, one, directions, beta, mean):
    """What is usually done: all rows of an arm in one regression, or their average."""
    rows = [
        (SURVEY.encode(v.record.answers), v.record.reward)
        for v in visits
        if v.record.arm == ARMS[k] and v.record.reward is not None
    ]
    ys = np.array([y for _, y in rows])
    average = ys.mean()
    slack = 1.96 * ys.std(ddof=1) / np.sqrt(len(ys))
    found = {"naive average": bool(abs(average - mean[k]) > slack)}
    whole = [(z, y) for z, y in rows if not np.isnan(z).any()]
    contexts, ys = np.array([z for z, _ in whole]), np.array([y for _, y in whole])
    gram = contexts.T @ contexts
    inverse = np.linalg.pinv(gram)
    estimate = inverse @ contexts.T @ (ys - 0.5)
    rank = np.linalg.matrix_rank(gram)
    noise = np.sum((ys - 0.5 - contexts @ estimate) ** 2) / (len(ys) - rank)
    w = directions[one]
    slack = 1.96 * np.sqrt(noise * (w @ inverse @ w))
    found["naive effect"] = bool(abs(w @ (estimate - beta[k])) > slack)
    return found
