"""The paper's experiment: its curves, their settings, and that they are what simulate gives."""

import numpy as np
import pytest

import askless as al
from askless.experiments import paper_experiment
from askless.experiments.paper import ASKS, EPOCH, NET, NET_NEVER, NEVER, RIDGE, STATED, VALID, Key

HORIZON, RUNS = 250, 2


@pytest.fixture(scope="module")
def done():
    return paper_experiment(HORIZON, RUNS, seed=4, workers=1)


def test_the_figures_have_the_curves_that_the_claims_and_the_reader_need(done):
    shown = {figure.name: set(figure.curves) for figure in done.figures}
    ridge = {RIDGE, RIDGE + ASKS, NEVER, EPOCH, RIDGE + VALID}
    net = {NET, NET + ASKS, RIDGE, NEVER, NET_NEVER, EPOCH, NET + VALID, RIDGE + VALID}
    assert shown == {
        "ridge-arms3-betamin0.3": ridge,
        "ridge-arms5-betamin0.3": ridge,
        "ridge-arms5-betamin0.5": ridge,
        "net-arms5-betamin0.7": net,
        "net-arms5-betamin1.5": net,
    }
    assert list(done.others) == [
        *(Key(NET, 3, 0.7), Key(NET, 3, 1.5)),
        *(Key(NET + STATED, k, at) for k, at in ((5, 0.7), (5, 1.5), (3, 1.5))),
    ]
    never = {id(f.curves[NEVER]) for f in done.figures if f.about.arms == 5}
    assert len(never) == 1  # simulated once, and shown in four figures


def test_curves_have_the_settings_that_are_stated(done):
    published = {"sigma": 1.0, "alpha": 1.0, "delta": 0.1, "b1": 2.0, "coding": "raw"}
    shown = {}  # the page has a row a label: nothing but beta_min may differ within it
    for key, curve in done.curves.items():
        settings = curve.runs.settings
        assert shown.setdefault(key.label, settings | {"beta_min": 0}) == settings | {"beta_min": 0}
        assert settings["beta_min"] == key.beta_min
        assert settings["delta"] == 0.1
        assert len(curve.runs.runs) == RUNS
        if key.label == EPOCH:
            assert (curve.runs.policy, settings["coding"], settings["interactive"]) == (
                "survey-bandit",
                "centred",
                "certified",
            )
            assert curve.bounds is None
        elif key.label.endswith(VALID):
            assert (settings["radius"], settings["coding"], settings["alpha"]) == (
                "valid",
                "centred",
                5.0,
            )
        else:
            is_net = curve.runs.policy == "elastic-net"
            assert is_net == key.label.startswith("Elastic Net")
            assert settings["radius"] == ("published_scaled_sqrt" if is_net else "published_sqrt")
            stated = {"b1": 50.0} if key.label.endswith(STATED) else {}
            assert settings.items() >= (published | stated).items()
            assert settings["b2"] == pytest.approx(50**0.5)
            assert settings["interactive"] == ("certified" if ASKS in key.label else False)


def test_a_curve_is_what_simulate_gives_with_the_lemma_s_bound(done):
    world = al.paper_environment(arms=3)
    policy = al.RidgeSurveyUCB(
        world.survey, arms=world.arms, reward=world.reward, beta_min=0.3, delta=0.1
    )
    expected = al.simulate(policy, world, HORIZON, RUNS, seed=4)
    curve = done.curves[Key(RIDGE + VALID, 3, 0.3)]
    for found, other in zip(curve.runs.runs, expected.runs, strict=True):
        np.testing.assert_array_equal(found.regret_at, other.regret_at)
        np.testing.assert_array_equal(found.asked_at, other.asked_at)
    run = expected.runs[1]
    n, theta = run.plays_at[-1], run.widest_at[-1]
    # p = 51 columns, L² = 1 + 50/4, α = 5
    bound = (theta * np.sqrt(8 * n * 51 * np.log(1 + n * 13.5 / (51 * 5)))).sum()
    assert curve.bounds[1, -1] == pytest.approx(bound)
    assert curve.bound[-1] == pytest.approx(curve.bounds[:, -1].mean())
    assert (curve.bounds >= [run.regret_at for run in curve.runs.runs]).all()


def test_only_valid_sets_with_beta_min_below_the_effects_have_a_guarantee(done):
    safe = {key for key, curve in done.curves.items() if curve.has_guarantee}
    ridge = {Key(RIDGE + VALID, k, at) for k, at in ((3, 0.3), (5, 0.3), (5, 0.5), (5, 0.7))}
    epoch = {Key(EPOCH, k, at) for k, at in ((3, 0.3), (5, 0.3), (5, 0.5), (5, 0.7))}
    assert safe == {*ridge, *epoch, Key(NET + VALID, 5, 0.7)}
