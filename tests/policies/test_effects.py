"""What effects() says: signs, the two intervals of maths 10 from their sums, and what cannot be."""

import copy
import math

import numpy as np
import pytest
import statsmodels.api as sm

import askless as al
from askless.errors import SettingError, StateError
from epoch_world import EVERY, SCALES, World
from naive import extreme_points
from saved_states import opened
from worlds import random_answers, survey_of

QUESTIONS = [("scale", 1, True), ("choice", 3, True), ("multi", 2, False), ("yes_no", 1, False)]


def played(visits, questions=EVERY, beta_min=0.3, **settings):
    world = World(questions, 2, noise=0.2, seed=3)
    policy = world.policy(beta_min=beta_min, **settings)
    for _ in range(visits):
        answers = world.answers()
        z = world.survey.encode(answers)
        arm = policy.play(z)
        policy.learn_row(arm, z, world.reward_of(arm, answers))
    return world, policy


def directions_of(policy):
    """Each direction on the columns of a context, in the order of the rows of one arm."""
    survey = policy.survey
    for g, question in enumerate(survey):
        for own in question.directions():
            w = np.zeros(survey.column_count)
            w[survey.columns_of(question.name)] = own
            yield g, w


@pytest.mark.parametrize("beta_min", [0.3, 0.0])
def test_intervals_follow_from_the_sums(beta_min):
    """Fails on a slip in an end, in the constant, in units, or if something leaves the range."""
    _, policy = played(1_200, beta_min=beta_min)
    span, rows = policy.reward.span, policy.effects()
    signed = policy._model.epochs.signed_sums.reshape(len(rows), 24)
    line, seen = math.log(10 / 0.05), set()
    for row, sums in zip(rows, signed, strict=True):
        staked, weighted, below, above = sums[:20].reshape(4, 5)
        low, high = -1.0, 1.0
        for i in range(5 if staked[0] > 0 else 0):
            high = min(high, (weighted[i] + below[i] + line) / staked[i])
            low = max(low, (weighted[i] - above[i] - line) / staked[i])
        assert row.low == pytest.approx(low * span)
        assert row.high == pytest.approx(high * span)
        estimates, roots, squares, count = sums[20:]
        assert row.epochs == count
        if count:
            middle, slack = estimates / roots, 2.63 * math.sqrt(squares) / roots
            ends = np.clip([middle, middle - slack, middle + slack], -1, 1) * span
            assert [row.estimate, row.end_low, row.end_high] == pytest.approx(ends.tolist())
        else:
            assert row.end_low is row.end_high is None
            assert (row.estimate is None) == (staked[0] == 0)
        seen.add((count > 0, staked[0] > 0))
        assert -span <= row.low <= row.high <= span
    assert (True, True) in seen


def test_an_epoch_that_is_the_whole_study_says_what_least_squares_says():
    """Fails if an estimate is not that of statsmodels on the epoch's rows, to 1e-8."""
    world, policy = played(0, questions=SCALES, beta_min=0.2, growth=3)
    while not (~policy.warm).any():
        answers = world.answers()
        z = world.survey.encode(answers)
        policy.learn_row(0, z, world.reward_of(0, answers))
    k = int(np.flatnonzero(~policy.warm)[0])
    for _ in range(policy._model.epochs.need[k] - 1):  # the epoch under way is all there is
        answers = world.answers()
        policy.learn_row(k, world.survey.encode(answers), world.reward_of(k, answers))
    contexts, rewards = policy._model.rows_of(k)  # as they were put on the grid
    fitted = sm.OLS(rewards * policy.reward.span, contexts).fit()
    rows = [row for row in policy.effects(ended=True) if row.arm == policy.arms[k]]
    assert {row.epochs for row in rows} == {1}
    for row, (_, w) in zip(rows, directions_of(policy), strict=True):
        assert row.estimate == pytest.approx(
            float(w @ fitted.params), abs=1e-8 * policy.reward.span
        )
    assert {row.epochs for row in policy.effects()} == {
        0
    }  # it is not over, and nothing has changed


def test_rows_under_way_count_only_once_the_study_is_over():
    """Fails if looking at the end changes the policy, or what holds at all times."""
    _, policy = played(700)
    saved = policy.to_dict()
    now, over = policy.effects(), policy.effects(ended=True)
    assert policy.to_dict() == saved
    assert [(row.low, row.high) for row in now] == [(row.low, row.high) for row in over]
    assert sum(row.epochs for row in over) > sum(row.epochs for row in now)
    with pytest.raises(SettingError, match="ended"):
        policy.effects(ended="yes")


@pytest.mark.parametrize("kind", ["epochs", "ridge"])
@pytest.mark.parametrize("rows", [0, 700])
def test_the_largest_of_many_are_the_largest(kind, rows):
    """Fails if of an arm others are returned than those of the largest estimates, in order."""
    world, policy = played(rows)
    if kind == "ridge":
        policy = al.RidgeSurveyUCB(world.survey, arms=["a", "b"], reward=world.reward, beta_min=0.3)
        for t in range(rows):
            answers = world.answers()
            policy.learn_row(t % 2, world.survey.encode(answers), world.reward_of(t % 2, answers))
    whole = policy.effects()
    for most in (1, 3, len(whole)):
        few = policy.effects(most=most)
        for arm in policy.arms:
            mine = [row for row in whole if row.arm == arm]
            sizes = [-abs(row.estimate) if row.estimate is not None else 1.0 for row in mine]
            places = sorted(sorted(range(len(mine)), key=sizes.__getitem__)[:most])
            assert [row for row in few if row.arm == arm] == [mine[i] for i in places]
    with pytest.raises(SettingError, match="most is 0"):
        policy.effects(most=0)


def test_a_dropped_question_keeps_what_was_known_when_it_went():
    """Fails if an interval of a dropped question moves on."""
    world, policy = played(0, questions=SCALES, beta_min=1.0)
    before = {}
    for _ in range(3_000):
        answers = world.answers()
        z = world.survey.encode(answers)
        arm = policy.play(z)
        policy.learn_row(arm, z, world.reward_of(arm, answers))
        if not policy.support.all() and not before:
            before = {(r.arm, r.question): r for r in policy.effects() if not r.kept}
    after = {(row.arm, row.question): row for row in policy.effects()}
    assert before
    for key, row in before.items():
        assert after[key] == row
        assert row.dropped_at is not None


def test_an_empty_interval_is_said_to_be_none():
    """Fails if ends that cross are shown as an interval."""
    _, policy = played(700)
    sums = policy._model.epochs.signed_sums[0, 0]
    sums[5:10] *= 1e6  # an estimate that no reward can give
    sums[10:20] = 0
    sums[10] = -1e9
    row = policy.effects()[0]
    assert row.low is row.high is None
    assert "assumptions are in doubt" in row.why


def test_unlearning_keeps_what_finished_epochs_have_said():
    """Fails if a row of a finished epoch is taken out of its sums, or one under way stays."""
    world = World(SCALES, 1, noise=0.2)
    policy = world.policy(beta_min=0.3)
    visits = []
    for _ in range(400):
        answers = world.answers()
        visit = policy.visit()
        while visit.asks:
            visit.answer({name: answers[name] for name in visit.asks})
        policy.learn(visit, world.reward_of(0, answers))
        visits.append(visit)
    other, signed = copy.deepcopy(policy), policy._model.epochs.signed_sums.copy()
    ended = policy._model.epochs.ended[0]
    early = next(v for v in visits if v.learned_in == ended - 1)
    late = next(v for v in visits if v.learned_in == ended)
    policy.unlearn(early)
    np.testing.assert_array_equal(policy._model.epochs.signed_sums, signed)
    other.unlearn(other.visit(late.to_dict()))
    np.testing.assert_array_equal(other._model.epochs.signed_sums, signed)
    contexts, _ = other._model.rows_of(0)
    assert len(contexts) == other._model.epochs.held[0]
    without = [row.estimate for row in other.effects(ended=True)]
    assert without != [row.estimate for row in policy.effects(ended=True)]


def test_sums_are_saved_and_what_cannot_be_is_refused():
    """Fails if a saved policy says something else, or if impossible sums are taken."""
    _, policy = played(700)
    saved = policy.to_dict()
    assert type(policy).from_dict(saved).effects() == policy.effects()
    older = copy.deepcopy(saved)
    for arm in older["state"]["arms"]:
        del arm["epoch"]["signed"]
    bare = type(policy).from_dict(older)
    assert all(row.estimate is None for row in bare.effects())
    for place, value in ((23, 0.5), (23, 99.0), (0, -1.0), (10, -1.0), (21, -1.0), (5, math.inf)):
        damaged = opened(saved)
        damaged["state"]["arms"][0]["epoch"]["signed"][0][place] = value
        with pytest.raises(StateError):
            type(policy).from_dict(damaged)


def test_policies_without_epochs_show_their_confidence_set_with_signs():
    """Fails if an end is not that of the ellipsoid in its direction, or leaves the range."""
    survey = survey_of(QUESTIONS)
    policy = al.RidgeSurveyUCB(survey, arms=["a", "b"], reward=(0, 10), beta_min=0)
    rng = np.random.default_rng(4)
    for _ in range(60):
        z = survey.encode(random_answers(survey, rng))
        policy.learn_row(policy.play(z), z, 5 + 8 * z[-1])
    rows = policy.effects()
    count = sum(len(q.directions()) for q in survey)
    assert len(rows) == 2 * count
    for k in range(2):
        gram = policy._model.gram(k)
        inverse = np.linalg.inv(gram + policy.alpha * np.eye(len(gram)))
        own = rows[k * count : (k + 1) * count]
        for row, (g, w) in zip(own, directions_of(policy), strict=True):
            middle = float(w @ policy.estimate[k])
            slack = policy.radius[k] * math.sqrt(w @ inverse @ w)
            ends = np.clip([middle, middle - slack, middle + slack], -10, 10)
            assert [row.estimate, row.low, row.high] == pytest.approx(ends.tolist())
            assert row.end_low is None
            first, second = row.answers.split(" - ")
            names, points = survey.questions[g].point_names(), extreme_points(*QUESTIONS[g])
            np.testing.assert_array_equal(
                points[names.index(first)] - points[names.index(second)],
                w[survey.columns_of(row.question)],
            )
    never = al.OFUL(al.Survey.unit(1), arms=["a"], reward=(0, 1)).effects()
    assert [(row.estimate, row.low, row.high) for row in never] == [(None, -1.0, 1.0)]


SETTINGS = {"survey": al.Survey.unit(2), "arms": ["a", "b", "c"], "reward": (0, 1)}


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (al.LinUCB(**SETTINGS), "`width: li2010` makes no confidence sets"),
        (al.LinUCB(**SETTINGS, width="noise"), "`width: noise` makes no confidence sets"),
        (al.RidgeSurveyUCB(**SETTINGS, beta_min=0.1, radius="published"), "`radius: published`"),
        (al.ElasticNetSurveyUCB(**SETTINGS, beta_min=0.1, radius="published_sqrt"), "`radius: pub"),
        (al.OFUL(**SETTINGS, delta=0.9), "delta = 0.9 lets the set of an arm miss in 30%"),
        (al.OFUL(**SETTINGS, delta=0.15), ""),  # 5% an arm
        (al.ElasticNetSurveyUCB(**SETTINGS, beta_min=0.1, radius="ridge"), ""),
        (al.ElasticNetSurveyUCB(**SETTINGS, beta_min=0.1), ""),
    ],
    ids=lambda given: given if isinstance(given, str) else given.name,
)
def test_only_a_set_that_holds_has_an_interval_at_all_times(policy, why):
    """Fails if a rule of thumb is shown as an interval, or its estimate goes with it."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        z = np.array([1.0, *rng.integers(-512, 513, 2) / 1024])
        policy.learn_row(policy.play(z), z, float(rng.random() < 0.5 + z[1] / 2))
    played = [row for row in policy.effects(ended=True) if policy.rows[policy.arm_index(row.arm)]]
    assert len(played) > 1
    for row in played:
        assert row.estimate is not None
        assert row.end_low is None
        assert (row.low is None) == (row.high is None) == bool(why)
        assert row.why.startswith(why) if why else not row.why


def test_an_interval_that_is_no_set_misses_far_more_often():
    """Fails if what LinUCB adds to a mean could do as an interval: then it should be shown."""
    rng, missed = np.random.default_rng(6), []
    for _ in range(60):
        policy = al.LinUCB(**SETTINGS, width="noise")
        for _ in range(200):
            z = np.array([1.0, *rng.integers(-512, 513, 2) / 1024])
            policy.learn_row(policy.play(z), z, float(rng.random() < 0.5 + 0.4 * z[1]))
        k = int(policy.rows.argmin())
        inverse = np.linalg.inv(policy._model.gram(k) + policy.alpha * np.eye(3))
        slack = policy.radius[k] * math.sqrt(inverse[1, 1])
        missed.append(abs(policy.estimate[k, 1] - 0.4) > slack)
    assert np.mean(missed) > 0.15
