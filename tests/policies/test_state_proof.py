"""Rows that can be, and their sums, are taken; others are refused, each for its own reason."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askless as al
from askless.policies.state_proof import RowSpace, is_square_sum
from worlds import random_answers, survey_of

QUESTION = st.tuples(
    st.sampled_from(["scale", "yes_no", "choice", "multi"]), st.integers(2, 4), st.booleans()
)
SURVEY = survey_of(
    [
        ("scale", 0, False),
        ("yes_no", 0, True),
        ("choice", 3, False),
        ("multi", 2, False),
        ("choice", 2, True),
        ("scale", 0, True),
    ]
)
REWARD = al.RewardRange(-1, 3)


def rows_of(survey, rng, count, reward=REWARD):
    """Contexts, and rewards in units of the range, as a policy learns them."""
    contexts = [survey.encode(random_answers(survey, rng)) for _ in range(count)]
    raw = survey.coding == "raw"
    rewards = rng.choice([reward.low, reward.high, 0.3, float(rng.uniform(-1, 3))], size=count)
    ys = [reward.in_units(float(y), raw=raw) for y in rewards]
    return np.array(contexts).reshape(count, survey.column_count), np.array(ys)


def sums_of(rows, ys):
    """n, the lower triangle of sum zz', sum zy and sum yy."""
    return len(rows), np.tril(rows.T @ rows), rows.T @ ys, float(ys @ ys)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(QUESTION, min_size=1, max_size=5), st.integers(0, 40), st.integers(0, 2**32))
def test_what_people_can_answer_is_never_refused(questions, count, seed):
    """Fails if a real state would be refused: rows, their sums, and those of fewer questions."""
    rng, survey = np.random.default_rng(seed), survey_of(questions)
    rows, ys = rows_of(survey, rng, count)
    used = np.append(True, (rng.random(len(survey)) < 0.5)[survey.owner])
    for columns in (np.arange(survey.column_count), np.flatnonzero(used)):
        space, own = RowSpace(survey, REWARD, columns), rows[:, columns]
        assert space.doubt_rows(own, ys) is None
        assert space.doubt_sums(*sums_of(own, ys)) is None
        assert space.doubt_sums(*sums_of(own, ys)[:3], None) is None
        forecasts = rng.uniform(space.least, space.most, size=count)
        assert space.doubt_sums(*sums_of(own, forecasts), told=True) is None
    asked = (rng.random((count, len(survey))) < 0.5)[:, survey.owner]
    gaps = rows.copy()
    gaps[:, 1:] = np.where(asked, rows[:, 1:], 0.0)
    assert RowSpace(survey, REWARD, gaps=True).doubt_sums(*sums_of(gaps, ys)) is None
    unknown = rows.copy()
    unknown[:, 1:] = np.where(asked, rows[:, 1:], np.nan)
    assert RowSpace(survey, REWARD).doubt_rows(unknown, ys) is None


@pytest.mark.parametrize("reward", [(0, 2), (1000, 1001), (-3, 5)])
def test_the_papers_coding_is_taken_too(reward):
    """Fails if a far reward range, whose squares are beyond what floats count, is refused."""
    survey, ends = al.Survey.unit(3, coding="raw"), al.RewardRange(*reward)
    rng = np.random.default_rng(0)
    rows = np.array([survey.encode({f"x{j}": float(rng.random()) for j in (1, 2, 3)})] * 500)
    ys = np.array([ends.in_units(float(rng.uniform(*reward)), raw=True) for _ in rows])
    space = RowSpace(survey, ends)
    assert space.doubt_rows(rows, ys) is None
    assert space.doubt_sums(*sums_of(rows, ys)) is None
    low = -0.5 if reward != (0, 2) else 1.2
    assert space.doubt_rows(rows, np.full(500, low)) is not None


# Columns of SURVEY: constant, scale, yes/no and its skip, choice of three, multi of two, choice of
# two and its skip, scale and its skip.
SCALE, YES, YES_SKIP, CHOICE, MULTI, TOWN, TOWN_SKIP, LAST, LAST_SKIP = 1, 2, 3, 4, 7, 9, 11, 12, 13


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, 2),
        (0, np.nan),
        (SCALE, 0.51),
        (SCALE, 0.1),
        (SCALE, np.inf),
        (YES, 0.25),
        (YES_SKIP, 1),
        (YES_SKIP, 0.5),
        (YES_SKIP, np.nan),
        (CHOICE, 0),
        (CHOICE + 1, 1),
        (CHOICE + 1, np.nan),
        (MULTI, 0),
        (MULTI + 1, 0.25),
        (TOWN_SKIP, 1),
        (LAST_SKIP, 1),
    ],
)
def test_a_row_that_is_no_answer_is_refused(place, value):
    """Fails if a single value that the core would not read either is taken for an answer."""
    answers = {"scale0": 0.75, "yes_no1": True, "choice2": "o0", "multi3": ["o0"]}
    row = SURVEY.encode(answers | {"choice4": "o0", "scale5": 0.75})
    space = RowSpace(SURVEY, REWARD)
    assert space.doubt_rows(row[None, :], np.zeros(1)) is None
    row[place] = value
    assert space.doubt_rows(row[None, :], np.zeros(1)) is not None


@pytest.mark.parametrize("y", [0.6, -0.6, 1e-5, np.nan, np.inf])
def test_a_reward_that_cannot_be_is_refused(y):
    rows, _ = rows_of(SURVEY, np.random.default_rng(0), 1)
    assert RowSpace(SURVEY, REWARD).doubt_rows(rows, np.array([y])) is not None
    assert RowSpace(SURVEY, REWARD).doubt_rows(rows, np.zeros(2)) is not None


def changed(at, by):
    """Sums with one entry of the lower triangle changed."""

    def change(n, gram, moment, squares):
        gram[at] += by
        return n, gram, moment, squares

    return change


SUMS = {
    "do not count": [
        changed((0, 0), 1),
        lambda n, *rest: (n + 1, *rest),
        lambda n, *rest: (n + 0.9, *rest),
    ],
    "no numbers": [changed((3, 2), np.nan), lambda n, g, m, s: (n, g, m * np.inf, s)],
    "not on their grid": [
        changed((SCALE, 0), 1 / 2048),
        changed((SCALE, SCALE), 1 / 2**21),
        changed((YES, 0), 0.25),
        changed((CHOICE, 0), 0.5),
        lambda n, g, m, s: (n, g, m + 1 / 2**26, s),
    ],
    "leave the range": [changed((SCALE, 0), 100), changed((SCALE, 0), -100)],
    "more than so many rows": [changed((SCALE, SCALE), 100)],
    "counts of answers differ": [changed((CHOICE, CHOICE), 1), changed((YES_SKIP, YES_SKIP), 1)],
    "its sums are of no answers": [changed((MULTI, MULTI), -0.25)],
    "of no answers": [
        changed((CHOICE + 1, CHOICE), 1),
        changed((YES_SKIP, YES), 0.5),
        changed((YES, YES), -0.25),
        changed((LAST_SKIP, LAST), 1 / 1024),
    ],
    "not those of its rows": [changed((SCALE + 3, SCALE), 1 / 1024)],
    "rewards leave their range": [lambda n, g, m, s: (n, g, m + 100, s)],
    "squared rewards is not on": [lambda n, g, m, s: (n, g, m, s + 1 / 2**29)],
    "squared rewards cannot": [
        lambda n, g, m, s: (n, g, m, s + 100),
        lambda n, g, m, s: (n, g, m, -s),
    ],
    "of a choice's options": [lambda n, g, m, s: (n, g, m + np.eye(14)[CHOICE] / 16384, s)],
    "no sums of squares": [
        lambda n, g, m, s: (n, g, m, 0.0),
        changed((MULTI + 1, SCALE), 8),
        lambda n, g, m, s: (n, g, m + 5 * np.eye(14)[SCALE], s),
    ],
}


@pytest.mark.parametrize(
    ("reason", "change"), [(r, c) for r, several in SUMS.items() for c in several]
)
def test_sums_of_no_rows_are_refused_for_their_own_reason(reason, change):
    """Fails if one of the checks is left out: each has a change that no other one notices."""
    rows, ys = rows_of(SURVEY, np.random.default_rng(1), 40)
    space = RowSpace(SURVEY, REWARD)
    assert space.doubt_sums(*sums_of(rows, ys)) is None
    found = space.doubt_sums(*change(*sums_of(rows, ys)))
    assert found is not None
    if reason != "not those of its rows":
        assert reason in found


def test_all_sums_of_few_rows_are_told_from_others():
    """Fails if a Gram matrix of two yes/no questions is taken that no three rows have."""
    survey = survey_of([("yes_no", 0, False), ("yes_no", 0, False)])
    space = RowSpace(survey, al.RewardRange(0, 1))
    points = [np.array([1, a, b]) for a in (-0.5, 0.5) for b in (-0.5, 0.5)]
    real = {
        tuple((rows.T @ rows)[np.tril_indices(3)])
        for rows in map(np.array, itertools.product(points, repeat=3))
    }
    steps = np.arange(-1.5, 1.75, 0.5)
    for a, b, ab in itertools.product(steps, steps, np.arange(-0.75, 1, 0.25)):
        gram = np.array([[3, 0, 0], [a, 0.75, 0], [b, ab, 0.75]])
        taken = space.doubt_sums(3, gram, np.zeros(3), 0.0) is None
        if tuple(gram[np.tril_indices(3)]) in real:
            assert taken
        elif taken:  # not of three rows: but no sum of squares is negative, as far as that goes
            whole = gram + np.tril(gram, -1).T
            assert np.linalg.eigvalsh(whole)[0] > -1e-9


def test_a_square_sum_is_told_by_its_own_scale():
    """Fails if a large sum hides a small one that cannot be, or rounding is taken for damage."""
    rng = np.random.default_rng(2)
    for size in (1, 3, 60):
        rows = rng.normal(size=(size // 2 + 1, size)) * np.logspace(-6, 6, size)
        assert is_square_sum(rows.T @ rows)
    assert is_square_sum(np.zeros((3, 3)))
    assert is_square_sum(np.zeros((0, 0)))
    assert not is_square_sum(np.diag([1e12, 1e-6, -1e-9]))
    assert not is_square_sum(np.array([[1e12, 0, 0], [0, 1e-6, 2e-6], [0, 2e-6, 1e-6]]))
    assert not is_square_sum(np.array([[0.0, 1.0], [1.0, 5.0]]))
