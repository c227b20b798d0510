"""What effects() says: the interval of maths 1.1 and 2.2, and when and why a question went."""

import itertools

import numpy as np
import pytest

import askless as al
from naive import extreme_points
from worlds import random_answers, survey_of

QUESTIONS = [("scale", 1, True), ("choice", 3, True), ("multi", 2, False), ("yes_no", 1, False)]


def learned(visits, **settings):
    survey = survey_of(QUESTIONS)
    policy = al.RidgeSurveyUCB(survey, arms=["a", "b"], reward=(0, 10), **settings)
    rng = np.random.default_rng(4)
    for _ in range(visits):
        z = survey.encode(random_answers(survey, rng))
        policy.learn_row(policy.play(z), z, 5 + 8 * z[-1])
    return policy


def test_intervals_are_those_of_all_pairs_of_answers():
    policy = learned(60, beta_min=0)
    rows = {(row.arm, row.question): row for row in policy.evidence()}
    assert len(rows) == 2 * 4
    for k, arm in enumerate(policy.arms):
        gram = policy._model.gram(k)
        inverse = np.linalg.inv(gram + policy.alpha * np.eye(len(gram)))
        for question, kind in zip(policy.survey, QUESTIONS, strict=True):
            own = policy.survey.columns_of(question.name)
            pairs = itertools.combinations(extreme_points(*kind), 2)
            ends = []
            for w in (u - v for u, v in pairs):
                size = abs(w @ policy.estimate[k, own])
                slack = policy.radius[k] * np.sqrt(w @ inverse[own, own] @ w)
                ends.append((size, size - slack, size + slack))
            estimate, low, high = np.max(ends, axis=0)
            row = rows[arm, question.name]
            expected = [estimate, max(low, 0), high]
            np.testing.assert_allclose([row.estimate, row.low, row.high], expected, atol=1e-9)


def test_a_dropped_question_says_when_and_why():
    policy = learned(1_500, beta_min=6, sigma=0.5)
    gone = [row for row in policy.evidence() if not row.kept]
    assert gone
    for row in gone:
        assert 0 < row.dropped_at <= policy.rows[policy.arm_index(row.arm)]
        assert row.low <= row.estimate <= row.high <= 6
        assert row.reason == f"its effect is at most {row.high:.4g}, within beta_min = 6"
    kept = [row for row in policy.evidence() if row.kept]
    assert {row.question for row in kept} == {"yes_no3"}  # the one that matters
    for row in kept:
        assert row.dropped_at is None
        assert row.high > 6
        assert "above beta_min = 6" in row.reason


def test_a_kept_question_says_between_which_answers_it_is_open():
    # Nobody skips and nobody picks 'rare': only those comparisons can still be wide.
    survey = al.Survey(
        [
            al.YesNo("plain"),
            al.YesNo("skippable", may_skip=True),
            al.Choice("c", ["a", "b", "rare"]),
        ]
    )
    policy = al.RidgeSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.3, sigma=0.02, alpha=1)
    rng = np.random.default_rng(0)
    for _ in range(3_000):
        yes, no = (bool(rng.random() < 0.5) for _ in range(2))
        z = survey.encode({"plain": yes, "skippable": no, "c": str(rng.choice(["a", "b"]))})
        policy.learn_row(0, z, 0.5)
    plain, skippable, choice = policy.evidence()
    assert not plain.kept
    assert skippable.kept
    assert " a skip, above beta_min" in skippable.reason
    assert " and rare, above beta_min" in choice.reason


def test_dropped_at_is_the_row_count_of_the_arm_before_the_row():
    # Sets this tight drop everything at the second row, when one row has been learned.
    policy = al.RidgeSurveyUCB(
        al.Survey.unit(1), arms=["a", "b"], reward=(0, 1), beta_min=0.9, sigma=1e-6, b2=1e-6
    )
    for _ in range(2):
        policy.learn_row(0, [1, 0.25], 0.5)
    first, second = policy.evidence()
    assert (first.kept, first.dropped_at) == (False, 1)
    assert (second.kept, second.reason) == (True, "the arm has not been played yet")


def test_a_policy_that_never_drops_says_so():
    (row,) = al.OFUL(al.Survey.unit(1), arms=["a"], reward=(0, 1), beta_min=0.3).evidence()
    assert row.reason == "this policy never drops"


def test_a_row_reads_as_an_object_and_as_a_mapping():
    (row,) = al.OFUL(al.Survey.unit(1), arms=["a"], reward=(0, 1)).evidence()
    assert row["question"] == row.question == "x1"
    assert list(dict(row)) == [
        "arm",
        "question",
        "estimate",
        "low",
        "high",
        "kept",
        "active",
        "dropped_at",
        "reason",
        "test",
        "directions",
    ]
    with pytest.raises(KeyError):
        row["colour"]


def epochs_learned(visits, skips=0.2, **settings):
    survey = survey_of(QUESTIONS)
    policy = al.EpochSurveyUCB(survey, arms=["a", "b"], reward=(0, 10), beta_min=2, **settings)
    rng = np.random.default_rng(4)
    for _ in range(visits):
        z = survey.encode(random_answers(survey, rng, skips=skips))
        policy.learn_row(policy.play(z), z, 5 + 8 * z[-1] + rng.uniform(-1, 1))
    return policy


@pytest.mark.parametrize("visits", [150, 400, 1_500])
def test_epochs_say_how_near_each_side_of_each_pair_of_answers_is(visits):
    """Fails if a pair is missing or misnamed, or its two sides are not L over the line to pass."""
    policy = epochs_learned(visits)
    rows = policy.evidence()
    state, start = policy._model, policy.survey.columns.start
    sides = []
    for row in rows:
        k, g = policy.arm_index(row.arm), policy.survey.index(row.question)
        question = policy.survey.questions[g]
        line = np.log(policy.support[k].sum() / (0.9 * policy.delta / 2))  # ln(|H|/q), two arms
        assert len(row.directions) == start[g + 1] - start[g] == len(question.directions())
        for direction, way in zip(question.directions(), row.directions, strict=True):
            first, second = (
                question.points()[question.point_names().index(name)]
                for name in way.answers.split(" - ")
            )
            np.testing.assert_array_equal(first - second, direction)
        logs = state.epochs.logs[k, start[g] : start[g + 1]]
        passed = state.epochs.passed[k, start[g] : start[g + 1]] == 1
        shown = np.array([(way.below, way.above) for way in row.directions])
        np.testing.assert_allclose(shown, np.where(passed, 1, np.clip(logs / line, 0, 1)))
        sides += shown.ravel().tolist()
        if row.kept:
            assert (row.test, row.dropped_at) == (None, None)
            assert (shown < 1).any()
        else:
            assert row.test == "epochs"
            assert (shown == 1).all()
            assert row.reason.startswith(f"{2 * len(shown)} tests show that no two of its")
            assert 0 < row.dropped_at <= policy.rows[k]
    assert 0 <= min(sides) < max(sides) <= 1
    if visits == 1_500:
        assert {row.arm for row in rows if row.kept and row.question == "yes_no3"} == {"a", "b"}
        assert {row.kept for row in rows} == {True, False}


def test_before_its_first_block_has_ended_an_arm_says_so():
    """Fails if an arm with rows in hand says that it was not played, or none at all that it was."""
    policy = epochs_learned(1)
    reasons = {(row.arm, row.reason) for row in policy.evidence()}
    assert policy.rows.tolist() == [1, 0]
    assert reasons == {
        ("a", "the arm has had too few visits yet to be judged"),
        ("b", "the arm has not been played yet"),
    }


def test_a_kept_question_that_is_not_active_says_so():
    """Fails if `active` is not what the arm is chosen by, or a question does not say it is not."""
    policy = epochs_learned(400)
    rows = policy.evidence()
    assert {(row.kept, row.active) for row in rows} >= {(True, True), (True, False)}
    for row in rows:
        k, g = policy.arm_index(row.arm), policy.survey.index(row.question)
        assert (row.kept, row.active) == (policy.support[k, g], policy.active[k, g])
        passive = row.kept and not row.active
        assert row.reason.endswith("; at present it has no say in which arm is chosen") == passive
        if passive:  # its coefficients have no say in the arm's means
            assert not policy.estimate[k, policy.survey.columns_of(row.question)].any()


def test_rare_skips_keep_a_question_unless_they_are_not_judged():
    """Fails if a question goes without skips having been seen, or stays although they are left out.

    Answers must still be judged: the question that matters stays.
    """
    judged, alone = (epochs_learned(3_000, skips=0, judge_skips=flag) for flag in (True, False))
    skipped = {"scale0", "choice1"}
    for policy, kept in ((judged, skipped | {"yes_no3"}), (alone, {"yes_no3"})):
        assert {row.question for row in policy.evidence() if row.kept} == kept
    for row in judged.evidence():
        if row.question in skipped:
            assert "a skip" in row.reason
    for row in alone.evidence():
        assert not any("a skip" in way.answers for way in row.directions)
        assert row.kept or row.reason.endswith("(skips are not judged)")
    again = al.EpochSurveyUCB.from_dict(alone.to_dict())
    again.add_arm("c")
    # A skip is compared with two ends of the scale and with three options; each has two sides.
    assert again._model.epochs.passed[2].sum() == 2 * 5
