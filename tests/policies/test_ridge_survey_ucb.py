"""Ridge SurveyUCB against a dense oracle, and its guarantees against known truths."""

import math

import numpy as np
import pytest

import askless as al
from coverage_runs import SURVEYS, play_through
from naive import NaiveRidge
from sizes import whole
from worlds import random_answers, random_arm, survey_of

MIXED = [
    ("scale", 1, False),
    ("choice", 3, False),
    ("yes_no", 1, True),
    ("multi", 2, False),
    ("scale", 1, True),
    ("choice", 2, True),
    ("scale", 1, False),
    ("multi", 3, True),
]


def mixed(d):
    """d questions of every kind, skips included."""
    return (MIXED + [("scale", 1, i % 5 == 0) for i in range(50)])[:d]


@pytest.mark.parametrize(
    ("questions", "arms", "radius", "beta_min", "settings"),
    [
        (mixed(8), 3, "valid", 0.45, {"sigma": 0.1}),
        (mixed(8), 5, "valid", 0.5, {"sigma": 0.1}),
        (mixed(8), 5, "published", 0.3, {}),
        (mixed(20), 3, "published_sqrt", 0.3, {"sigma": 0.1}),
        (mixed(20), 5, "valid", 0.5, {"sigma": 0.05}),
        (mixed(50), 3, "valid", 0.6, {"sigma": 0.03}),
        ([("scale", 1, False)] * 50, 3, "valid", 0.3, {"sigma": 0.03, "alpha": 1}),
        (mixed(50), 5, "published_sqrt", 0.45, {"sigma": 0.1, "b2": 1.5}),
        ([("raw", 1, False)] * 20, 5, "published_sqrt", 0.6, {"sigma": 0.2, "b2": 1.0}),
    ],
)
def test_agrees_with_the_dense_oracle_visit_by_visit(questions, arms, radius, beta_min, settings):
    # Fails on any slip in radius, drop test, packing, rank-one update or refresh.
    survey = survey_of(questions)
    reward = (0, 1) if survey.coding == "raw" else (10, 11)
    settings = {"delta": 0.1, "alpha": 2.0, "radius": radius, "beta_min": beta_min} | settings
    names = [f"arm{k}" for k in range(arms)]
    policy = al.RidgeSurveyUCB(survey, arms=names, reward=reward, **settings)
    naive = NaiveRidge(questions, arms, reward, **({"sigma": policy.constants.sigma} | settings))
    rng = np.random.default_rng(7)
    effects = np.zeros((arms, len(questions)))
    effects[np.arange(arms), rng.integers(len(questions), size=arms)] = 0.7
    centred = al.Survey(survey.questions)
    truth = [random_arm(centred, rng, effects[k]) for k in range(arms)]
    for _ in range(whole(5_000, 1_500)):
        answers = random_answers(survey, rng)
        z = survey.encode({q: answers[q] for q in policy.asked_now()})
        expected = naive.ucb(z)
        np.testing.assert_allclose(policy.ucb(z), expected, rtol=0, atol=1e-9)
        arm = policy.play(z)
        assert arm == int(np.argmax(expected))
        mean = centred.encode(answers) @ truth[arm] + 0.5
        shown = reward[0] + float(np.clip(mean + rng.uniform(-0.05, 0.05), 0, 1))
        policy.learn_row(arm, z, shown)
        naive.learn(arm, z, shown)
        assert (policy.support == naive.support).all()
    assert policy.support.all() == (radius == "published")  # the others drop, so drops are tested
    assert (policy.rows > 0).all()
    np.testing.assert_allclose(policy.radius, [naive.model(k)[3] for k in range(arms)], rtol=1e-9)


def test_the_valid_radius_of_an_empty_arm_is_the_formula():
    # maths 2.1 by hand: det D = α^p, one full support, B = min(√α R, α max(R/2, R)/√α) = √α R.
    policy = al.RidgeSurveyUCB(al.Survey.unit(4), arms=["a", "b"], reward=(0, 10), beta_min=1)
    expected = 5 * math.sqrt(2 * math.log(2 * 5 / 0.05)) + math.sqrt(5) * 10
    np.testing.assert_allclose(policy.radius, expected, rtol=1e-14)


def test_the_published_radii_of_an_empty_arm_are_those_of_the_first_set():
    settings = {"arms": ["a"], "reward": (0, 2), "beta_min": 0.3}
    survey = al.Survey.unit(9, coding="raw")
    published = al.RidgeSurveyUCB(survey, radius="published", alpha=4, **settings)
    root = al.RidgeSurveyUCB(survey, radius="published_sqrt", alpha=4, **settings)
    assert published.radius.tolist() == [6.0]  # √α b₂ = 2·√9
    assert root.radius.tolist() == [math.sqrt(6.0)]


def test_the_published_radius_by_hand():
    survey = al.Survey.unit(3, coding="raw")
    policy = al.RidgeSurveyUCB(
        survey, arms=["a", "b"], reward=(0, 1), beta_min=0.3, radius="published"
    )
    policy.learn_row(0, [1, 0, 0, 1], 0.5)
    # σ = 1, |H| = 4 with the constant, n = 1, L² = 4, α = 1, K = 2, δ = .1, b₂ = √3
    expected = math.sqrt(4 * math.log((1 + 4) * 2 * 4 / 0.1)) + math.sqrt(3)
    np.testing.assert_allclose(policy.radius, [expected, math.sqrt(3)], rtol=1e-14)


def test_defaults_follow_the_radius_and_the_coding():
    settings = {"arms": ["a"], "reward": (0, 4), "beta_min": 1}
    centred, raw = al.Survey.unit(9), al.Survey.unit(9, coding="raw")
    valid = al.RidgeSurveyUCB(centred, **settings)
    assert (valid.alpha, valid.delta, valid.constants.sigma) == (5, 0.05, 2)
    published = al.RidgeSurveyUCB(centred, radius="published", **settings)
    assert (published.alpha, published.delta) == (1, 0.05)
    paper = al.RidgeSurveyUCB(raw, **settings)
    assert (paper.alpha, paper.delta, paper.constants.sigma) == (1, 0.1, 1)
    assert (paper.constants.b1, paper.constants.b2) == (9, 3)


def test_a_given_b1_bounds_the_bias_and_a_given_b2_replaces_it():
    settings = {"arms": ["a"], "reward": (0, 1), "beta_min": 0.3, "alpha": 4.0}
    survey = al.Survey.unit(2)
    noise = 0.5 * math.sqrt(2 * math.log(3 / 0.05))
    derived = al.RidgeSurveyUCB(survey, **settings).radius[0] - noise
    b1 = al.RidgeSurveyUCB(survey, b1=0.25, **settings).radius[0] - noise
    b2 = al.RidgeSurveyUCB(survey, b2=7.0, **settings).radius[0] - noise
    # √[D⁻¹]_jj = 1/√α = ½ everywhere at n = 0.
    np.testing.assert_allclose([derived, b1, b2], [2.0, 4 * 0.25 * 0.5, 14.0], rtol=1e-13)


@pytest.mark.parametrize("shrink", [1.0, 0.25], ids=["valid", "mutant"])
def test_valid_sets_hold_at_all_times_and_a_quarter_of_the_radius_does_not(shrink):
    # Every t of every run is looked at; δ = .1 allows a tenth of them to miss.
    runs, delta, misses, lost, dropped = whole(70, 15), 0.1, 0, 0, 0
    for index, questions in enumerate(SURVEYS.values()):
        survey = survey_of(questions)
        for run in range(runs):
            rng = np.random.default_rng([index, run])
            useful = np.zeros((2, len(questions)), dtype=bool)
            useful[[0, 1], rng.integers(len(questions), size=2)] = True
            # Effects of .48 in a mean that stays within ±.3, so that ± .2 stays in the range.
            truth = [0.6 * random_arm(survey, rng, 0.8 * useful[k]) for k in range(2)]
            policy = al.RidgeSurveyUCB(
                survey,
                arms=["a", "b"],
                reward=(0, 1),
                beta_min=0.45,
                delta=delta,
                sigma=0.2,
                alpha=1,
            )
            misses += play_through(policy, truth, rng, 400, 0.2, shrink)
            lost += bool((~policy.support & useful).any())
            dropped += int((~policy.support).sum())
    total = runs * len(SURVEYS)
    assert (
        dropped > total
    )  # at least one of a run: dropping happens, so losing none means something
    if shrink == 1.0:
        assert misses <= delta * total
        assert lost == 0
    else:
        assert misses > delta * total
        assert lost > 0


def test_valid_sets_hold_with_every_constant_at_its_default():
    # Rewards at the two ends of the range are as noisy as σ = R/2 allows; every t.
    delta, runs, misses = 0.1, whole(170, 40), 0
    for index, questions in enumerate(list(SURVEYS.values())[:3]):
        survey = survey_of(questions)
        for run in range(runs):
            rng = np.random.default_rng([7, index, run])
            truth = [random_arm(survey, rng, np.full(len(questions), 0.9 / len(questions)))]
            policy = al.RidgeSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0, delta=delta)
            misses += play_through(policy, truth, rng, 60, None, 1.0)
    assert misses <= delta * 3 * runs


def test_beta_min_zero_never_drops():
    rng = np.random.default_rng(3)
    survey = al.Survey.unit(3)
    policy = al.RidgeSurveyUCB(survey, arms=["a", "b"], reward=(0, 1), beta_min=0, sigma=0.01)
    for _ in range(2000):
        z = survey.encode(random_answers(survey, rng))
        policy.learn_row(policy.play(z), z, 0.5)
    assert policy.support.all()
    assert {row.reason for row in policy.evidence()} == {"nothing is dropped with beta_min = 0"}


def test_an_arm_without_rows_is_never_tested_for_drops():
    # σ and α this small make the first set tiny; only a played arm with rows may drop.
    survey = al.Survey.unit(3)
    policy = al.RidgeSurveyUCB(
        survey, arms=["a", "b"], reward=(0, 1), beta_min=0.9, sigma=1e-6, b2=1e-6
    )
    assert max(row.high for row in policy.evidence()) < 0.9
    z = survey.encode({"x1": 0.2, "x2": 0.4, "x3": 0.8})
    policy.learn_row(0, z, 0.5)
    assert policy.support.all()
    policy.learn_row(0, z, 0.5)
    assert not policy.support[0].any()
    assert policy.support[1].all()


def test_an_effect_of_exactly_beta_min_is_dropped():
    # maths 2.2: ≤, not <. The same rows without dropping tell where the upper end lies.
    survey = al.Survey.unit(2)
    rows = [[1, 0.25, -0.5], [1, -0.5, 0.25], [1, 0.5, 0.5]] * 30

    def policy(beta_min):
        made = al.RidgeSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=beta_min, sigma=0.05)
        made.learn_rows([0] * len(rows), rows, [0.5] * len(rows))
        return made

    high = min(row.high for row in policy(0).evidence())
    for beta_min, kept in ((high, False), (np.nextafter(high, 0), True)):
        exact = policy(beta_min)
        assert exact.support.all()  # nothing so far: the upper end was larger before
        exact.learn_row(0, rows[0], 0.5)
        assert exact.support.all() == kept


def test_the_evidence_of_a_drop_is_the_interval_that_led_to_it():
    survey = al.Survey.unit(2)
    rows = [[1, 0.25, -0.5], [1, -0.5, 0.25], [1, 0.5, 0.5]] * 30
    policy = al.RidgeSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.5, sigma=0.05)
    while policy.support.all():
        before = policy.evidence()
        policy.learn_row(0, rows[int(policy.rows[0]) % 90], 0.6)
    gone = [(old, new) for old, new in zip(before, policy.evidence(), strict=True) if not new.kept]
    for old, new in gone:
        assert (old.estimate, old.low, old.high) == (new.estimate, new.low, new.high)
        assert new.high > 0
    policy.add_arm("b")
    assert policy.evidence()[: len(before)][0] == policy.evidence()[0]
    assert [r for r in policy.evidence() if not r.kept] == [new for _, new in gone]


@pytest.mark.parametrize("b1", [None, 0.125])
def test_the_radius_on_an_empty_support_is_that_of_the_constant_alone(b1):
    # Only |β₀| ≤ R/2 is left (or b₁, where it is smaller), and D is n + α.
    policy = al.RidgeSurveyUCB(
        al.Survey.unit(2), arms=["a"], reward=(0, 1), beta_min=0.99, sigma=0.01, alpha=2.0, b1=b1
    )
    rows = [[1, 0.5, -0.5], [1, -0.5, 0.5], [1, 0.5, 0.5]] * 20
    policy.learn_rows([0] * 60, rows, [0.5] * 60)
    assert not policy.support.any()
    noise = 0.01 * math.sqrt(math.log(62 / 2) + 2 * math.log(3 / 0.05))
    bias = 2.0 * min(0.5, b1 or 1) / math.sqrt(62)
    np.testing.assert_allclose(policy.radius, noise + bias, rtol=1e-12)


def test_raw_coding_bounds_the_bias_by_b2_alone():
    policy = al.RidgeSurveyUCB(
        al.Survey.unit(4, coding="raw"), arms=["a"], reward=(0, 1), beta_min=0.3, delta=0.1
    )
    for _ in range(50):
        policy.learn_row(0, [1, 0.5, 0.25, 1, 0], 0.5)
    state = policy._model.arms
    noise = math.sqrt(state.log_det[0] + 2 * math.log(5 / 0.1))
    np.testing.assert_allclose(policy.radius[0] - noise, 2.0, rtol=1e-12)  # √α b₂ = √4


def test_ties_go_to_the_lowest_index():
    policy = al.RidgeSurveyUCB(al.Survey.unit(2), arms=["a", "b", "c"], reward=(0, 1), beta_min=0.1)
    z = [1, 0.5, -0.5]
    assert policy.play(z) == 0
    policy.learn_row(0, z, 0.0)
    assert policy.play(z) == 1
    policy.retire_arm("b")
    assert policy.play(z) == 2
