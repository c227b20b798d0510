"""What makes no sense together in a study and its plan is said."""

import pytest

import askless as al
from askless.evaluation.sense import doubts_of
from small_plans import SMALL, study_of


@pytest.mark.parametrize(
    ("policy", "plan", "doubt"),
    [
        ("{beta_min: 3}", "{skips: {donor: 0.2}}", "donor, which may not be skipped"),
        ("{beta_min: 3}", "{skips: 0.2}", "no question may be skipped"),
        ("{beta_min: 3}", "{effect: [1, 5]}", "begins at 1, below beta_min (3)"),
        ("{beta_min: 3}", "{effect: [1, 2]}", "at most 2, below beta_min (3)"),
        ("{beta_min: 3}", "{effect: [3, 20]}", "[3, 8.2] or less"),  # 10 less 2 · √3 · 0.5
        ("{beta_min: 3}", "{effect: [3, 9], noise: 0}", None),
        ("{beta_min: 3}", "{effect: [3, 10.1], noise: ends}", "room for 10 at most"),
        ("{beta_min: 3, questions: 5}", "{}", "at the lowest price that is tried"),
        ("{beta_min: 6}", "{}", "by default the effect is at most 5, below beta_min (6)"),
        ("{beta_min: 3, price: 1}", "{}", "is the price meant for one question?"),
        ("{beta_min: 3, questions: 0.01}", "{}", "the budget cannot be kept"),
    ],
)
def test_what_makes_no_sense_together_is_said(policy, plan, doubt):
    said = doubts_of(study_of(plan, policy))
    assert [doubt in one for one in said] == [True] * (doubt is not None)


@pytest.mark.parametrize(
    ("reward", "doubt"),
    [
        ("{low: 0, high: 10}", None),
        ("{low: 0, high: 10, window: 90 days, silence: 3}", None),
        ("{low: 0, high: 10, window: 90 days}", "then say silence: 0."),
        ("{low: -5, high: 5, window: 90 days}", "then say silence: 0."),
        ("{low: 2, high: 12, window: 90 days}", "then say silence: 2."),
    ],
)
def test_a_window_without_a_silence_is_said(reward, doubt):
    """Fails if nobody is reminded, if a silence does not end it, or if it names no reward."""
    study = al.Study.parse(SMALL.replace("{low: 0, high: 10}", reward))
    said = doubts_of(study)
    assert [study.silence is None and doubt in one for one in said] == [True] * (doubt is not None)
    for one in said:
        assert "has not come within 90 days teaches nothing" in one
