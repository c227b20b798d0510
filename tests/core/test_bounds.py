"""Bounds on an arm's UCB over unasked answers, against every extreme point and an SDP solver.

What would make these fail: a bound below the exact maximum (half a reach forgotten, a pair of
columns counted once, a skip taken for an answer), a feasible point that no answers give, a search
that skips a branch, or a dual point that is trusted without its check.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
import pytest

import askless as al
from askless.core import inside
from askless.policies.loops import Interactive
from exact_bounds import completions, dense_arm, heuristic, places, shor_bound, ucbs
from sizes import whole
from worlds import QUESTIONS, mixed_world, survey_of


class Said(NamedTuple):
    """What each level says of an arm; `found` and `settled` for a limit."""

    missing: int  # questions
    feasible: float
    interval: float
    dual: float
    found: int  # CANNOT, CAN or UNKNOWN
    settled: bool
    paper: float


def said(policy, k, z, limit):
    return Said(*inside.levels(policy._model.arms, k, np.ascontiguousarray(z), limit))


MIXED = [
    [("scale", 0, False)] * 6,
    [("raw", 0, False)] * 8,
    [("yes_no", 0, True)] * 4 + [("scale", 0, True)] * 2,
    [("choice", 4, False), ("choice", 3, True), ("scale", 0, False), ("yes_no", 0, False)],
    [("multi", 3, False), ("multi", 2, True), ("scale", 0, True), ("choice", 2, False)],
    [("choice", 5, True), ("multi", 4, False), ("yes_no", 0, True), ("scale", 0, False)],
    [("multi", 3, True), ("choice", 3, False), ("choice", 2, True), ("multi", 2, False)],
    [("scale", 0, False)] * 14,
]
ROWS = [0, 1, 7, 60, 2_000, 100_000]


def random_rows(rng, questions, count, *, twins=False):
    """Contexts of random answers on the grid; twins: the last question answers like the first."""
    from exact_bounds import extreme_points  # noqa: PLC0415

    rows = np.ones((count, 1 + sum(extreme_points(*q).shape[1] for q in questions)))
    for question, own in zip(questions, places(questions), strict=True):
        points = extreme_points(*question)
        rows[:, own] = points[rng.integers(len(points), size=count)]
        if question[0] in ("scale", "raw"):
            low, high = points[:, 0].min(), points[:, 0].max()
            between = np.round(rng.uniform(low, high, size=count) * 1024) / 1024
            answered = rows[:, own[-1]] == 0 if question[2] else np.ones(count, dtype=bool)
            rows[answered, own[0]] = between[answered]
    if twins:
        rows[:, places(questions)[-1]] = rows[:, places(questions)[0]]
    return rows


@functools.cache
def learned(which, count, radius, alpha, twins):
    """A policy whose first arm has learned so many rows of a survey."""
    questions = MIXED[which]
    rng = np.random.default_rng([which, count, twins])
    policy = al.RidgeSurveyUCB(
        survey_of(questions),
        arms=["a", "b"],
        reward=(-1, 1),
        beta_min=0,
        radius=radius,
        alpha=alpha,
        interactive=True,
    )
    rows = random_rows(rng, questions, count, twins=twins)
    truth = rng.normal(size=rows.shape[1]) / rows.shape[1]
    ys = np.clip(rows @ truth + rng.uniform(-0.3, 0.3, size=count), -1, 1)
    policy.learn_rows([0] * count, rows, ys.tolist())
    return policy


def instances(per_state):
    """Policies in many states, each with contexts of which something is missing."""
    for which, questions in enumerate(MIXED):
        for count in ROWS:
            raw = questions[0][0] == "raw"
            for radius, alpha in (("valid", None), ("published_sqrt", 1e-3)):
                twins = alpha is not None and not raw and questions[0] == questions[-1]
                policy = learned(which, count, radius, alpha, twins)
                rng = np.random.default_rng([which, count, 7])
                for z in random_rows(rng, questions, per_state):
                    for own in places(questions):
                        if rng.random() < (1.0 if which == 7 and z[1] > 0.4 else 0.6):
                            z[own] = np.nan
                    yield questions, policy, z


@pytest.mark.slow
def test_no_level_is_ever_below_the_exact_maximum():
    tried, settled, count = 0, 0, whole(14, 1)
    for questions, policy, z in instances(count):
        arm = dense_arm(policy, 0)
        every = ucbs(arm, completions(questions, z, policy.support[0]))
        exact = float(every.max())
        scale = abs(exact) + float(np.abs(every).max())
        tight, above = 1e-12 * scale, exact + 1e-5 * scale
        out = said(policy, 0, z, above)
        assert out.interval >= exact - tight
        assert out.dual >= exact - tight
        # A feasible point is one: some answers give that value.
        assert np.abs(every - out.feasible).min() <= 1e-7 * scale
        # What is above every point cannot be exceeded; a search that gives up says so.
        assert out.found != inside.CAN
        settled += out.settled
        assert out.settled or out.found == inside.UNKNOWN
        below = said(policy, 0, z, exact - 1e-6 * scale)
        assert below.found != inside.CANNOT
        assert not below.settled
        tried += 1
    assert tried >= 72 * count
    assert settled >= 0.99 * tried  # the search gives up on few of these small ones


def test_a_bound_on_a_known_context_is_the_ucb():
    questions, policy = MIXED[4], learned(4, 60, "valid", None, False)
    z = random_rows(np.random.default_rng(3), questions, 1)[0]
    exact = ucbs(dense_arm(policy, 0), z[None, :])[0]
    out = said(policy, 0, z, 0.0)
    assert out.missing == 0
    np.testing.assert_allclose([out.feasible, out.interval], exact, rtol=1e-9)


@functools.cache
def paper_states():
    """The paper's policy after some thousand visits: dense arms with 50 columns."""
    world = al.paper_environment(arms=5, coding="raw")
    policy = al.RidgeSurveyUCB(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=0.3,
        radius="published_sqrt",
        interactive=True,
    )
    states = []
    for block in world.respondents(0, 0):
        for z, luck in zip(block.contexts, block.luck, strict=True):
            k = policy.play(z)
            policy.learn_row(k, z, float(world.coefficients[k] @ z + luck - 0.5))
        n = int(policy.rows.sum())
        if n in (1_024, 5_120, 20_480):
            states.append(al.RidgeSurveyUCB.from_dict(policy.to_dict()))
        if n >= 20_480:
            return states
    return states


def test_real_states_are_bounded_too():
    rng = np.random.default_rng(5)
    questions, tried = [("raw", 0, False)] * 50, 0
    for policy in paper_states():
        for _ in range(12):
            z = random_rows(rng, questions, 1)[0]
            k = int(rng.integers(5))
            z[1 + rng.choice(50, size=int(rng.integers(1, 14)), replace=False)] = np.nan
            every = ucbs(dense_arm(policy, k), completions(questions, z, policy.support[k]))
            exact = float(every.max())
            out = said(policy, k, z, exact * (1 + 1e-9))
            assert min(out.interval, out.dual) >= exact * (1 - 1e-12)
            assert out.found != inside.CAN
            assert not said(policy, k, z, exact * (1 - 1e-9)).settled
            tried += 1
    assert tried == 36


def test_states_of_real_runs_with_every_kind_are_bounded_from_the_first_visit_to_the_last():
    """A run of 100,000 visits, looked at on the way; questions leave supports as they may."""
    world, rng, rows = mixed_world(5), np.random.default_rng(8), []
    policy = al.RidgeSurveyUCB(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=0.2,
        sigma=0.1,
        alpha=1.0,
        radius="published_sqrt",
        interactive=True,
    )
    player, drops, begun = Interactive(policy), np.zeros((5, len(QUESTIONS)), int), 0
    for block in world.respondents(4, 0):
        if begun in (0, 1_024, 10_240, 100_352):
            rows.append(int(policy.rows.max()))
            for z in block.contexts[:12].copy():
                for own in places(QUESTIONS):
                    if rng.random() < 0.7:
                        z[own] = np.nan
                for k in range(5):
                    contexts = completions(QUESTIONS, z, policy.support[k])
                    exact = float(ucbs(dense_arm(policy, k), contexts).max())
                    scale = abs(exact) + 1e-3
                    out = said(policy, k, z, exact + 1e-5 * scale)
                    assert min(out.interval, out.dual) >= exact - 1e-12 * scale
                    assert out.found != inside.CAN
                    assert not said(policy, k, z, exact - 1e-5 * scale).settled
        if begun > 100_000:
            break
        player.play(block, begun, drops)
        begun += len(block)
    assert rows[0] == 0
    assert rows[-1] > 30_000
    assert not policy.support.all()


@pytest.mark.slow
def test_the_dual_is_within_five_percent_of_the_shor_relaxation():
    slacks = []
    for policy in paper_states():
        for k in (0, 3)[: whole(2, 1)]:
            z = np.full(51, np.nan)
            z[0] = 1.0
            arm = dense_arm(policy, k)
            middle = np.where(np.isnan(z), 0.5, z)[None, :]
            best = shor_bound(arm, z, 0.0, 1.0)
            out = said(policy, k, z, 0.0)
            assert out.dual >= best * (1 - 1e-6)  # it cannot be better than its own relaxation
            slacks.append((out.dual - best) / (best - ucbs(arm, middle)[0]))
    assert len(slacks) == 3 * whole(2, 1)
    assert np.mean(slacks) <= 0.05


def test_the_papers_heuristic_is_below_the_exact_maximum():
    questions, short = [("raw", 0, False)] * 50, 0
    rng = np.random.default_rng(6)
    for policy in paper_states():
        for k in range(5):
            z = random_rows(rng, questions, 1)[0]
            z[1:13] = np.nan
            arm = dense_arm(policy, k)
            out = said(policy, k, z, 0.0)
            np.testing.assert_allclose(out.paper, heuristic(arm, z, 0.0, 1.0), rtol=1e-9)
            exact = ucbs(arm, completions(questions, z, policy.support[k])).max()
            short += out.paper < exact * (1 - 1e-9)
    assert short > 0  # not an upper bound: winners can be discarded


@pytest.mark.parametrize("missing", [1, 3, 4, 13, 37, 50])
def test_a_dual_point_passes_only_where_numpy_finds_no_negative_eigenvalue(missing):
    """The elimination must notice every indefinite matrix, whichever pivot shows it."""
    policy, rng = paper_states()[0], np.random.default_rng(missing)
    passed = {True: 0, False: 0}
    for _ in range(200):
        z = random_rows(rng, [("raw", 0, False)] * 50, 1)[0]
        open_columns = 1 + np.sort(rng.choice(50, size=missing, replace=False))
        z[open_columns] = np.nan
        columns, root, _, _ = dense_arm(policy, 3)
        assert (columns == np.arange(51)).all()
        scaled = 0.25 * (root.T @ root)[np.ix_(open_columns, open_columns)]
        top = np.linalg.eigvalsh(scaled)[-1]
        lengths, border = np.zeros(51), np.zeros(51)
        lengths[open_columns] = top * rng.uniform(0.7, 1.3, size=missing)
        border[open_columns] = 0.2 * top * rng.normal(size=missing) / math.sqrt(missing)
        along, shift = float(top * rng.uniform(0.1, 1)), float(top * rng.uniform(0, 0.2))
        matrix = np.zeros((missing + 1, missing + 1))
        matrix[1:, 1:] = np.diag(lengths[open_columns] + shift) - scaled
        matrix[0, 0] = along + shift
        matrix[0, 1:] = matrix[1:, 0] = -border[open_columns]
        least = np.linalg.eigvalsh(matrix)[0]
        if abs(least) > 1e-9 * top:
            found = inside.passes(policy._model.arms, 3, z, lengths, border, along, shift)
            assert found == (least > 0)
            passed[bool(found)] += 1
    assert min(passed.values()) > 5
