"""Plans, logs, replays and analyses of studies whose arms have rules."""

import numpy as np
import pytest

import askless as al
from askless.environments.base import first_respondents
from askless.errors import SettingError
from askless.evaluation.off_policy import decisions
from askless.evaluation.outcomes import best_rewards, one_arm_for_all
from askless.evaluation.preregistration import preregistration_of
from askless.evaluation.verdict import Verdict
from ruled_world import NEEDED, RULES, Listed, linear, may_get, survey

STUDY = """
schema: 1
questions:
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: yes_no, name: donor, cost: 3}
  - {kind: yes_no, name: member}
  - {kind: choice, name: region, options: [north, south], may_skip: true}
arms:
  - {name: letter}
  - {name: call, eligible_if: age >= 65 or donor}
  - {name: visit, eligible_if: not donor}
reward: {low: 0, high: 10}
policy: {beta_min: 3, price: 0.02}
plan: {useful: [1, 2], effect: [3, 4], noise: [0.5, 1], dropout: 0.05}
"""


def log_of(world, kind="uniform", horizon=600, **settings):
    study = al.Study(world.survey, world.arms, world.reward)
    done = al.record_visits({"name": kind, **settings}, world, horizon=horizon)
    return al.LoggedData.of_visits([visit.record for visit in done.visits], study), done


def test_a_plan_goes_by_the_rules():
    """Fails if a plan gives people arms that they may not get, or forgets what rules ask."""
    study = al.Study.parse(STUDY)
    found = al.plan(study, respondents=[100, 200], worlds=20, workers=1)
    single = found.forecast("one arm for all", 200)
    assert single.questions.middle == 2
    assert found.forecast("asking everything", 200).questions.middle == 4
    assert all(found.forecast(way.label, 200).questions.low >= 2 for way in found.ways)
    assert found.to_dict()["prior"]["eligible_if"]["visit"] == "not donor"
    free = al.Study.parse(STUDY.replace(", eligible_if: age >= 65 or donor", ""))
    assert (
        al.plan(free, respondents=[100], worlds=20, workers=1)
        .forecast("one arm for all", 100)
        .questions.middle
        == 1
    )


@pytest.mark.parametrize("kind", ["shorten", "everything", "one arm"])
def test_a_preregistration_says_who_may_get_what_and_what_that_asks(kind):
    """Fails if the paragraph of some verdict leaves out a rule, or what it asks of everyone."""
    study = al.Study.parse(STUDY)
    found = al.plan(study, respondents=[100], worlds=20, workers=1)
    way = {"shorten": found.own, "everything": found.ways[0]}.get(
        kind, found.way("one arm for all")
    )
    vars(found)["verdict"] = Verdict(kind, way, 100, None, None)
    said = preregistration_of(found)
    assert "call if age >= 65 or donor; visit if not donor." in said
    assert "(age, donor) are asked of everyone first" in said
    assert ("evenly from all that the person may get." in said) == (kind == "shorten")
    assert ("No other questions are asked." in said) == (kind == "one arm")
    assert ("among those that the person may get." in said) == (kind == "one arm")
    assert "No questions are asked" not in said


def test_a_preregistration_minds_arms_that_are_not_open_to_all():
    """Fails if the draw is said to be from all arms where lists of arms are handed in."""
    said = STUDY.replace("dropout: 0.05", "eligible: {call: 0.5}")
    said = said.replace(", eligible_if: age >= 65 or donor", "").replace(
        ", eligible_if: not donor", ""
    )
    found = al.plan(al.Study.parse(said), respondents=[100], worlds=20, workers=1)
    vars(found)["verdict"] = Verdict("shorten", found.own, 100, None, None)
    paragraph = preregistration_of(found)
    assert "evenly from all that the person may get." in paragraph
    assert "rule:" not in paragraph


def test_what_the_best_arms_bring_is_counted_among_those_that_rules_open():
    """Fails if forecasts compare with arms that a person may not get."""
    world = linear()
    people = [z for block in first_respondents(world, 5, 0, 60) for z in block.contexts]
    best, single = 0.0, []
    for z in people:
        values = [float(row @ z) + 0.5 for row in world.coefficients]
        best += max(v for v, may in zip(values, may_get(world, z), strict=True) if may)
        single.append(values)
    np.testing.assert_allclose(best_rewards([world], 5, [60]), [[best]])
    outcome = one_arm_for_all([world], 5, [60], 60, dropout=0.1)
    assert outcome.asked.tolist() == [[5 * 60]]
    np.testing.assert_allclose(outcome.started, [[60 * 0.9**-5]])
    assert outcome.reward[0, 0] <= best


def test_a_log_is_judged_by_the_same_rules():
    """Fails if a policy is credited with arms that a person of the log may not get."""
    world = linear()
    log, _ = log_of(world)
    policy = al.EpsilonGreedy(world.survey, arms=world.arms, reward=world.reward, epsilon=0.5)
    chances, _ = decisions(policy, log)
    people = [z for block in first_respondents(world, 0, 0, 600) for z in block.contexts]
    may = np.array([may_get(world, z) for z in people])
    np.testing.assert_array_equal(log.eligible, may)
    np.testing.assert_array_equal(chances > 0, may)
    # The same as with lists of arms, without a rule anywhere.
    listed, names = Listed(world), list(RULES)
    study = al.Study(survey(always=True), listed.arms, world.reward)
    plain = al.LoggedData(
        study, log.contexts, log.arms, log.rewards, log.propensities, log.eligible
    )
    twin = al.EpsilonGreedy(study.survey, arms=names, reward=world.reward, epsilon=0.5)
    assert al.off_policy(policy, log) == al.off_policy(twin, plain)
    one, other = al.replay_log(policy, log), al.replay_log(twin, plain)
    assert one.to_dict() == other.to_dict()
    assert one.counted > 50
    with pytest.raises(SettingError, match="eligible_if"):
        al.off_policy(twin, log)


def test_rows_that_rules_leave_no_arm_or_that_do_not_say_enough_do_not_count():
    """Fails if a log of another system brings an error, or is judged by what nobody knows."""
    world = linear()
    log, _ = log_of(world)
    contexts, eligible = log.contexts.copy(), np.ones_like(log.eligible)
    contexts[:100, world.survey.columns_of("age")] = np.nan
    shut = ~log.eligible[:, 1]
    eligible[shut & (np.arange(len(log)) < 200)] = [False, True, False, False]
    even = np.where(eligible, 1 / eligible.sum(axis=1, keepdims=True), 0.0)
    arms = eligible.argmax(axis=1)
    other = al.LoggedData(log.study, contexts, arms, log.rewards, even, eligible)
    policy = al.Uniform(world.survey, arms=world.arms, reward=world.reward)
    found = al.off_policy(policy, other)
    closed = int(shut[100:200].sum())
    assert closed > 0
    assert found.counted == 600 - 100 - closed
    assert al.replay_log(policy, other).counted > 0


def test_a_visits_file_and_an_analysis_of_a_study_with_rules(tmp_path):
    """Fails if rules are lost on the way to the file and back, or the study cannot be rebuilt."""
    world = linear()
    settings = {"beta_min": 0.3, "price": 0.002}
    study = al.Study(
        world.survey, world.arms, world.reward, policy="survey-bandit", settings=settings
    )
    done = al.record_visits({"name": "survey-bandit", **settings}, world, horizon=300)
    path = tmp_path / "visits.csv"
    al.write_visits(path, done.visits, study)
    again = al.read_visits(path, study)
    for mine, theirs in zip(again, done.visits, strict=True):
        for part in ("kind", "eligible", "promised", "asked", "answers", "arm", "propensities"):
            assert getattr(mine.record, part) == getattr(theirs.record, part)
    policy = al.policy_for(study)
    al.rebuild(policy, again)
    assert policy.to_dict() == done.policy.to_dict()
    assert al.analyse(study, path).visits == 300
    assert set(NEEDED) <= set(study.survey.names_of(study.survey.asked_of_everyone))
