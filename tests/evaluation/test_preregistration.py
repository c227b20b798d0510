"""A plan's paragraph for a pre-registration says what was planned."""

import pytest

import askless as al
from askless.evaluation.preregistration import preregistration_of


def test_a_paragraph_for_a_preregistration_is_filled_in(small):
    said = preregistration_of(small)
    for part in ("1,500 participants", "2 arms (letter, call)", "beta_min 3", "price: 0.02", "2%"):
        assert part in said


@pytest.mark.parametrize("coding", ["raw", "centred"])
def test_a_paragraph_names_the_delta_that_the_policy_has(coding):
    """Fails if plans have a default of their own: that of raw coding is another."""
    study = al.Study(
        al.Survey.unit(2, coding=coding),
        (al.Arm("letter"), al.Arm("call")),
        al.RewardRange(0, 1),
        settings={"beta_min": 0.2},
    )
    found = al.plan(study, respondents=[100], worlds=20)
    assert f"delta {al.policy_for(study).delta:g}" in preregistration_of(found)
