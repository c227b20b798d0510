"""What in the core stands for itself, without a policy, at its border."""

import numpy as np
import pytest

import askless as al
from askless import core
from askless.core import inside
from askless.core.words import SIGNS, SUMS, Columns
from border_scene import HUGE, Scene, survives, world, wrong_values


def alone():
    """Doors that need no policy, with arguments that are right."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 5))
    gram, moment, ones = rows.T @ rows, rows.sum(axis=0), np.ones(5)
    square, vector, taus = np.zeros((24, 24)), np.zeros(24), np.zeros(40)
    people = np.hstack([np.ones((30, 1)), rows])
    yield core.ElasticNet, (gram, moment, ones, 0.5)
    for name, more in {"start": (ones,), "add_row": (ones, 0.5), "set_penalty": (ones,)}.items():
        yield getattr(core.ElasticNet(gram, moment, ones, 0.5), name), more
    yield core.ElasticNet(gram, moment, ones, 0.5).follow, (rows, np.ones(30))
    yield core.lasso_path, (gram, moment.copy(), 0.1, np.array([2.0, 1.0]), 1e-3, np.zeros((2, 5)))
    yield core.outcomes, (0, 0.1, -0.5, 1.0, np.zeros((4, 3)), np.full(4, 0.5), np.zeros((4, 3)))
    words = np.full((4, 2), 2**64 - 1, dtype=np.uint64)
    yield core.draw_scales, (words, 0.5, np.zeros((4, 8)))
    yield core.noise, (0, 0.1, 0.5)
    yield core.add_at_the_end, (0.1, 1.0, 0.2, 0.1, np.zeros(SUMS))
    models = rng.normal(size=(2, 6))
    flags, may = np.ones(5, dtype=np.int64), np.ones((30, 2), dtype=bool)
    wanted = (people, people.T @ people, models, may, flags, 0 * flags, ones, 1)
    yield core.Forming, wanted
    yield core.Forming(*wanted).find_path, (al.Survey.unit(5).core, 0.1)
    yield core.Forming(*wanted).trim, (al.Survey.unit(5).core, 0.1)
    yield inside.lane_steps, (np.ones(9), np.ones(8), np.ones(8), np.zeros((11, 8)), np.zeros(6))
    yield inside.totals, (np.ones((8, 8)), np.zeros(8))
    yield inside.ln_of_parts, (np.full(16, 0.5), np.zeros(16))
    yield inside.factor, (square, 0.5, 16, square.copy(), vector)
    yield inside.times, (square, vector, 16, vector.copy())
    yield inside.transposed_times, (square, vector, 16, vector.copy())
    yield inside.squared_length, (vector, vector, 16)
    yield inside.add_row, (np.ones(24), vector, 16, taus, vector.copy(), vector.copy())
    yield inside.sweep, (square, 16, vector, vector, vector.copy())
    yield inside.sweep_twice, (square, 16, *(np.zeros((2, 24)) for _ in range(3)))
    yield inside.diagonal_of, (square, vector, 16, vector.copy())
    yield inside.inverse_of, (square, vector, 16, square.copy())
    yield inside.dot, (vector, vector, 16)
    yield inside.inner, (vector, vector)
    yield inside.add_multiple, (0.5, vector, vector.copy(), 16)


@pytest.mark.parametrize("number", range(len(list(alone()))))
def test_doors_without_a_policy_survive_every_wrong_argument(number):
    door, right = list(alone())[number]
    assert not survives(door, right)
    for place, argument in enumerate(right):
        for wrong in wrong_values(argument):
            survives(door, (*right[:place], wrong, *right[place + 1 :]))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, -1e300, 0.0])
def test_a_net_of_anything_ends(value):
    net = core.ElasticNet(np.full((20, 20), value), np.full(20, value), np.ones(20), 1.0)
    net.solve(), net.descend()
    net.coef[:] = value
    net.start(np.full(20, value))
    net.follow(np.full((40, 20), value), np.full(40, value))


def test_a_net_without_columns_is_one():
    net = core.ElasticNet(np.empty((0, 0)), np.empty(0), np.empty(0), 1.0)
    net.solve()
    assert net.coef.shape == (0,)


@pytest.mark.parametrize("part", Columns._fields)
def test_surveys_whose_columns_are_out_of_place_are_refused(part):
    right = world().survey.columns._asdict()
    assert not survives(lambda: core.Survey.of(**right), ())
    for wrong in wrong_values(right[part]):
        given = right | {part: wrong}
        survives(lambda given=given: core.Survey.of(**given), ())
    for other in (-1, 10**6, HUGE):
        given = right | {part: np.full_like(right[part], other)}
        if part not in ("kind", "low", "high", "directions"):
            with pytest.raises(ValueError, match=r"out of place|own all columns"):
                core.Survey.of(**given)


def test_a_form_for_other_people_is_refused():
    *_, (_, wanted) = ((door, given) for door, given in alone() if door is core.Forming)
    for other in (al.Survey.unit(4), al.Survey.unit(6), al.Survey([al.Choice("c", list("abcde"))])):
        for name in ("find_path", "trim"):
            with pytest.raises(ValueError, match="another survey"):
                getattr(core.Forming(*wanted), name)(other.core, 0.1)


def test_a_question_with_more_points_than_can_be_counted_is_weighed():
    width, template = 71, Scene("by question").policy._model.rule
    ends = [np.r_[1.0, np.full(width - 1, 0.5), 1.0], np.r_[1.0, np.full(width - 1, -0.5), 0.0]]
    survey = core.Survey.of(
        *(np.array([number]) for number in (SIGNS, 1, width, 1)),
        start=np.array([0, 1]),
        high=ends[0],
        low=ends[1],
        directions=np.eye(1, width),
    )
    rule = template._replace(log_supports=np.zeros(2))
    arms = core.Arms(survey, rule, 2, np.zeros(1, dtype=np.int64), np.ones(1))
    arms.share[:] = 0.1
    arms.derive(np.arange(2))
    nothing = np.r_[1.0, np.full(width, np.nan)]
    assert {inside.levels(arms, 0, nothing, limit)[4] for limit in (-1.0, 1.0)} == {inside.UNKNOWN}
