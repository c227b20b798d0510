"""Forecasts of a plan hold what happens in worlds that it has not seen."""

import numpy as np
import pytest
from scipy.stats import binom

import askless as al
from askless.evaluation.intervals import predictive
from sizes import whole
from small_plans import OWN, SMALL

pytestmark = pytest.mark.slow

HELD_OUT = whole(600, 100)


@pytest.fixture(scope="module")
def held_out():
    study = al.Study.parse(SMALL)
    few = {"prices": (), "worlds": HELD_OUT, "seed": 1, "workers": 2}
    return al.plan(study, respondents=[400, 1500], **few)


def test_intervals_hold_the_truth_of_held_out_worlds(small, held_out):
    # Worlds that the plan has not seen. Its worlds (400; 100) and these (600; 100) let the share
    # inside vary by 0.02 (0.042; a deviation) around 0.9; an interval that forgot that people
    # differ from world to world, or took the mean's error for the spread, would be far outside.
    for people in small.respondents:
        for way in (OWN, "asking everything", "pilot of 20%"):
            truth, forecast = held_out.figures(way, people), small.forecast(way, people)
            figures = {
                "reward": (truth.reward, forecast.reward),
                "net": (truth.net, forecast.net),
            }
            if way == OWN:
                figures["questions"] = truth.asked, forecast.questions
            for name, (values, interval) in figures.items():
                inside = np.mean([float(value) in interval for value in values])
                assert abs(inside - 0.9) <= whole(0.06, 0.128), (way, name)  # three of them


def test_intervals_hold_where_people_give_up(leaving):
    """As above, for those who complete, and for the reward a person who starts."""
    here, there = leaving
    truth, forecast = there.figures(OWN, 400), here.forecast(OWN, 400)
    completed = there.outcomes[OWN, 400].at(400).completed / 400
    for values, interval in ((completed, forecast.completed), (truth.net, forecast.net)):
        inside = np.mean([float(value) in interval for value in values])
        assert abs(inside - 0.9) <= whole(0.06, 0.128)  # three deviations


def test_the_chance_of_losing_a_question_is_that_of_held_out_worlds(small, held_out):
    for way in (OWN, "pilot of 10%"):
        lost = int((held_out.outcomes[way, 1500].lost <= 1500).sum())
        rate = small.forecast(way, 1500).losing
        low, high = binom.ppf([1e-6, 1 - 1e-6], HELD_OUT, [rate.low, rate.high])
        assert low <= lost <= high
    # Fewer are lost by then, and no more are counted.
    early = int((small.outcomes["pilot of 10%", 400].lost <= 400).sum())
    assert small.forecast("pilot of 10%", 400).losing.middle == early / small.worlds
    # With beta_min below every effect the guarantee holds.
    assert small.forecast(OWN, 1500).losing.middle <= 0.05


def test_forecasts_are_quantiles_of_the_worlds(small):
    own, full = small.figures(OWN, 400), small.figures("asking everything", 400)
    forecast = small.forecast(OWN, 400)
    assert forecast.questions == predictive(own.asked)
    assert forecast.over_full == predictive(own.net - full.net)
    single = small.figures("one arm for all", 400)
    assert forecast.over_single == predictive(own.reward - single.reward)
    np.testing.assert_allclose(own.net, own.reward - 0.02 * own.asked)
