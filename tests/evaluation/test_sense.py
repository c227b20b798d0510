"""What makes no sense together in a study and its plan is said."""

import pytest

from askless.evaluation.sense import doubts_of
from small_plans import study_of


@pytest.mark.parametrize(
    ("policy", "plan", "doubt"),
    [
        ("{beta_min: 3}", "{skips: {donor: 0.2}}", "donor, which may not be skipped"),
        ("{beta_min: 3}", "{skips: 0.2}", "no question may be skipped"),
        ("{beta_min: 3}", "{effect: [1, 5]}", "begins at 1, below beta_min (3)"),
        ("{beta_min: 3}", "{effect: [1, 2]}", "at most 2, below beta_min (3)"),
        ("{beta_min: 3, questions: 5}", "{}", "at the lowest price that is tried"),
        ("{beta_min: 6}", "{}", "by default the effect is at most 5, below beta_min (6)"),
        ("{beta_min: 3, price: 1}", "{}", "is the price meant for one question?"),
        ("{beta_min: 3, questions: 0.01}", "{}", "the budget cannot be kept"),
    ],
)
def test_what_makes_no_sense_together_is_said(policy, plan, doubt):
    (said,) = doubts_of(study_of(plan, policy))
    assert doubt in said
