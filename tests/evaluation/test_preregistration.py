"""A plan's paragraph for a pre-registration says what was planned."""

import pytest

import askless as al
from askless.evaluation.preregistration import preregistration_of
from small_plans import SMALL, study_of


def test_a_paragraph_for_a_preregistration_is_filled_in(small):
    said = preregistration_of(small)
    for part in ("1,500 participants", "2 arms (letter, call)", "beta_min 3", "price: 0.02", "2%"):
        assert part in said


@pytest.mark.parametrize("floor", [0, 0.1])
def test_a_paragraph_has_the_least_that_arms_are_drawn_with(floor):
    """Fails if a study that draws one arm in ten by lot promises a draw that fades away."""
    settings = (
        f"{{beta_min: 3, price: 0.02, explore: 0.2, full_floor: 0.004, explore_floor: {floor}}}"
    )
    study = study_of("{useful: [1, 2], effect: [3, 5], noise: [0.5, 1.5]}", settings)
    found = al.plan(study, respondents=[300], prices=(), worlds=20, workers=1)
    assert found.verdict.kind == "shorten"
    said = preregistration_of(found)
    assert "(never less often than in 0.4% of the visits)" in said
    chance = "0.2/t^(1/3) or 0.1, whichever is larger, the" if floor else "0.2/t^(1/3), the"
    assert f"with a probability of {chance} arm is drawn" in said


def test_a_plan_says_that_its_rewards_come_at_once():
    """Fails if a study whose rewards take 90 days is planned as if they did not, silently."""
    for window, count in ((", window: 90 days, silence: 0", 1), ("", 0)):
        text = SMALL.replace("high: 10}", f"high: 10{window}}}")
        found = al.plan(al.Study.parse(text), respondents=[300], worlds=20, workers=1)
        assert found.verdict.kind == "shorten"
        said = [one for one in found.warnings() if "taken to come at once" in one]
        assert len(said) == count
        assert all("(within 90 days)" in one for one in said)
        paragraph = preregistration_of(found)
        assert paragraph.count("assumptions, in which rewards come at once, a") == count


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
