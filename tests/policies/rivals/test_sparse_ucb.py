"""Sparse UCB: its forecaster and its sets beside naive ones, and that they hold."""

from itertools import chain, combinations

import numpy as np
import pytest
from scipy import stats

import askless as al
from askless.policies.rivals.forecaster import Forecaster, Supports

SURVEY = al.Survey(
    [
        al.Scale("age", low=0, high=1),
        al.Choice("cause", ["x", "y", "z"]),
        al.YesNo("donor", may_skip=True),
    ]
)
P = SURVEY.column_count


def supports(size):
    """All sets of at most so many questions."""
    names = SURVEY.names
    return list(chain.from_iterable(combinations(names, h) for h in range(size + 1)))


def columns_of(chosen):
    return [0, *(j + 1 for j, g in enumerate(SURVEY.owner) if SURVEY.names[g] in chosen)]


def contexts(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield SURVEY.encode(
            {
                "age": float(rng.random()),
                "cause": "xyz"[rng.integers(3)],
                "donor": [True, False, None][rng.integers(3)],
            }
        )


def test_forecasts_are_those_of_a_naive_mixture():
    """Every support with all its rows anew; fails if a weight, a clip or a step is wrong."""
    found = Forecaster(Supports.of(SURVEY, 2), (-0.5, 0.5))
    rng, rows, ys = np.random.default_rng(1), [], []
    losses = dict.fromkeys(supports(2), 0.0)
    prior = {s: 1 / (3 * sum(len(o) == len(s) for o in supports(2))) for s in supports(2)}
    for z in contexts(40, 2):
        each = {}
        for chosen in losses:
            own = columns_of(chosen)
            past = np.array(rows).reshape(-1, P)[:, own]
            gram = np.eye(len(own)) + past.T @ past + np.outer(z[own], z[own])
            value = z[own] @ np.linalg.solve(gram, past.T @ np.array(ys))
            each[chosen] = min(max(float(value), -0.5), 0.5)
        weights = {s: prior[s] * np.exp(-losses[s] / 2) for s in losses}
        expected = sum(weights[s] * each[s] for s in losses) / sum(weights.values())
        y = float(np.clip(z[1] + 0.1 * rng.normal(), -0.5, 0.5))
        assert found.learn(z, y) == pytest.approx(expected, abs=1e-10)
        for s in losses:
            losses[s] += (each[s] - y) ** 2
        rows.append(z)
        ys.append(y)


@pytest.mark.parametrize("seed", range(6))
def test_the_regret_bound_holds_whatever_the_rewards_are(seed):
    """No probability is in it: it must hold for the best parameter of any support, in hindsight."""
    found = Forecaster(Supports.of(SURVEY, 1), (-0.5, 0.5))
    rng, rows, ys, lost = np.random.default_rng(seed), [], [], 0.0
    for i, z in enumerate(contexts(150, seed)):
        # At random, in turn, or against the forecast that is to be expected.
        y = [rng.uniform(-0.5, 0.5), 0.5 * (-1) ** i, -0.5 if z[1] > 0 else 0.5][seed % 3]
        lost += (found.learn(z, y) - y) ** 2
        rows.append(z)
        ys.append(y)
    table, target = np.array(rows), np.array(ys)
    for chosen in supports(1):
        own = table[:, columns_of(chosen)]
        best = np.linalg.lstsq(own, target, rcond=None)[0]
        regret = lost - ((own @ best - target) ** 2).sum()
        assert regret <= found.regret(float(np.linalg.norm(best))) + 1e-9


def test_radius_and_centre_are_the_published_formulas():
    policy = al.SparseUCB(SURVEY, arms=["a", "b"], reward=(0, 4), size=1, delta=0.1)
    other = Forecaster(Supports.of(SURVEY, 1), (-0.5, 0.5))
    rng, rows, forecasts = np.random.default_rng(0), [], []
    for z in contexts(50, 3):
        y = float(np.clip(0.4 * z[1] + 0.1 * rng.normal(), -0.5, 0.5))
        policy.learn_row(0, z, 2 + 4 * y)
        forecasts.append(other.learn(z, policy.reward.in_units(2 + 4 * y)))
        rows.append(z)
    table, said = np.array(rows), np.array(forecasts)
    v = np.eye(P) + table.T @ table
    centre = np.linalg.solve(v, table.T @ said)
    sigma, b2 = 0.5, policy.b2 / 4
    # maths 6: B = b2² + the largest of Y² ln det A + 2 ln(1/prior), Y = 1/2, over supports.
    each = []
    for chosen in supports(1):
        own = table[:, columns_of(chosen)]
        log_det = np.linalg.slogdet(np.eye(own.shape[1]) + own.T @ own)[1]
        each.append(0.25 * log_det + 2 * np.log(2 * (3 if chosen else 1)))
    regret = b2**2 + max(each)
    beta = (
        1
        + 2 * regret
        + 32 * sigma**2 * np.log((sigma * np.sqrt(8) + np.sqrt(1 + regret)) / (0.1 / 2))
    )
    left = centre @ centre + ((said - table @ centre) ** 2).sum()
    radius = np.sqrt(b2**2 + beta - left)
    assert policy.radius[0] == pytest.approx(4 * radius)
    z = next(contexts(1, 9))
    means, uppers = policy._outlook(z)
    assert means[0] == pytest.approx(4 * centre @ z)
    assert uppers[0] == pytest.approx(
        4 * (centre @ z + radius * np.sqrt(z @ np.linalg.solve(v, z)))
    )


@pytest.mark.slow
def test_sets_hold_the_truth_in_as_many_runs_as_promised():
    """Of 100 runs, more than delta miss with a chance below 1e-6 where the promise is kept."""
    survey, runs, delta = al.Survey.unit(4), 100, 0.1
    allowed = int(stats.binom.isf(1e-6, runs, delta))
    truth = np.array([[0.1, 0.7, 0, 0, 0], [0, 0, 0, -0.6, 0]])
    world = al.LinearEnvironment(
        survey, arms=["a", "b"], coefficients=truth, reward=(-0.5, 0.5), noise="two_point"
    )
    missed = 0
    for run in range(runs):
        policy = al.SparseUCB(survey, arms=["a", "b"], reward=(-0.5, 0.5), size=1, delta=delta)
        block = next(world.respondents(0, run))
        inside = True
        for z, rewards in zip(block.contexts[:60], block.rewards, strict=False):
            arm = policy.play(z)
            policy.learn_row(arm, z, rewards[arm])
            own = policy._forecasts
            off = truth[arm] - own.mean[arm]
            norm = np.sqrt(off @ (np.eye(5) + own.gram[arm]) @ off)
            inside = inside and bool(norm <= policy.radius[arm])
        missed += not inside
    assert missed <= allowed
    assert allowed < runs / 2


def test_too_many_supports_are_refused():
    with pytest.raises(al.errors.SettingError, match=r"supports of 500 questions are too many"):
        al.SparseUCB(al.Survey.unit(500), arms=["a", "b"], reward=(0, 1), size=3)
