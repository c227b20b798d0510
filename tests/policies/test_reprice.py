"""A price that changes in mid-study: the form is chosen anew by it."""

import numpy as np
import pytest

import askless as al


def study(price):
    survey = al.Survey([al.YesNo(f"q{i}") for i in range(6)])
    return al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.3, price=price)


def play(policy, visits, seed=0, unit=1):
    """People of whom one question says most about the better arm, and two others the rest."""
    rng = np.random.default_rng(seed)
    for _ in range(visits):
        person = {name: bool(rng.integers(2)) for name in policy.survey.names}
        visit = policy.visit()
        while visit.asks:
            visit.answer({name: person[name] for name in visit.asks})
        sides = [1 if person[name] else -1 for name in ("q0", "q1", "q2")]
        gap = 0.2 * sides[0] + 0.13 * sides[1] + 0.13 * sides[2]
        good = 0.5 + (gap if visit.arm == "a" else -gap)
        policy.learn(visit, reward=unit * float(rng.random() < good))


def test_a_form_is_chosen_anew_at_the_price():
    """Fails if a form that stands is kept although questions are no longer worth their price."""
    policy = study(0.001)
    play(policy, 2000)
    before = policy.short_form()
    policy.reprice(0.04)
    after = policy.short_form()
    assert policy.price == pytest.approx(0.04)
    assert after.price == pytest.approx(0.04)
    assert len(after.questions) < len(before.questions)
    # Dear enough, and only what moves the reward most is worth asking.
    assert after.questions == ("q0",)


def test_before_any_visit_it_is_as_if_it_had_begun_so():
    """Fails if anything of the old price stays."""
    one, other = study(0.02), study(0.004)
    one.reprice(0.004)
    for policy in (one, other):
        play(policy, 400)
    first, second = one.to_dict(), other.to_dict()
    assert first.pop("version", None) is not None or "version" not in second
    second.pop("version", None)
    assert first["settings"] == second["settings"]
    assert one.short_form().questions == other.short_form().questions
    assert (one.support == other.support).all()
    np.testing.assert_array_equal(one.estimate, other.estimate)


def test_a_price_is_in_the_units_of_rewards():
    """Fails if a new price is taken as a share of the range, or a share as a price."""
    forms = []
    for unit in (1, 100):
        survey = al.Survey([al.YesNo(f"q{i}") for i in range(6)])
        policy = al.SurveyBandit(
            survey, arms=["a", "b"], reward=(0, unit), beta_min=0.3 * unit, price=0.001 * unit
        )
        play(policy, 1000, unit=unit)
        policy.reprice(0.04 * unit)
        forms.append(policy.short_form())
    small, large = forms
    assert large.questions == small.questions
    assert large.price == pytest.approx(100 * small.price)
    assert large.saving == pytest.approx(100 * small.saving)


def test_a_saved_state_keeps_it():
    """Fails if a state after a change cannot be loaded, or goes on otherwise."""
    policy = study(0.02)
    play(policy, 300)
    policy.reprice(0.03)
    loaded = al.SurveyBandit.from_dict(policy.to_dict())
    assert loaded.price == policy.price
    for one in (policy, loaded):
        play(one, 200, seed=5)
    assert loaded.to_dict() == policy.to_dict()


@pytest.mark.parametrize("price", [0, -0.1, 1.5, float("nan"), "much", True, 1e-12])
def test_what_is_no_price_is_refused(price):
    """Fails if a wrong price gets in, or changes anything."""
    policy = study(0.02)
    before = policy.to_dict()
    with pytest.raises(al.errors.SettingError, match="price"):
        policy.reprice(price)
    assert policy.to_dict() == before


def test_a_budget_or_no_short_visits_have_no_price_to_change():
    """Fails if the kind of study changes on the way."""
    survey = al.Survey([al.YesNo("q")])
    common = {"arms": ["a", "b"], "reward": (0, 1), "beta_min": 0.3}
    for settings in ({"questions": 1.0}, {"price": 0}):
        with pytest.raises(al.errors.SettingError, match="no price to change"):
            al.SurveyBandit(survey, **common, **settings).reprice(0.1)
