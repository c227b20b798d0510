"""What decisions were worth: means, the best single arm, asking everything (maths 10.4)."""

import math

import numpy as np
import pytest

import askless as al
from askless.evaluation.arm_means import ArmModel, means
from askless.evaluation.bounded_mean import bounded_mean
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.policy_value import policy_values
from reminders import STUDY, recorded


def test_a_bounded_mean_holds_whatever_the_rewards_do():
    """Fails if rewards that depend on those before them leave the interval too often.

    5% of 400 is 20; but for one case in a million no more than 44 miss.
    """
    missed = 0
    for run in range(400):
        rng = np.random.default_rng([8, run])
        chances, terms = [], []
        for _ in range(120):  # up after a loss, down after a gain
            chances.append(0.05 if terms and terms[-1] else 0.4)
            terms.append(float(rng.random() < chances[-1]))
        _, low, high = bounded_mean(np.array(terms), 0, 1, 0.05)
        missed += not low <= np.mean(chances) <= high
    assert missed <= 44
    middle, low, high = bounded_mean(np.full(1_000, 3.0), 2, 4, 0.05)
    assert (low < middle < high, middle) == (True, 3.0)
    assert high - low < 0.1  # what never varies is known well
    assert bounded_mean(np.array([2.0, 4.0]), 2, 4, 0.05) == (3.0, 2.0, 4.0)


def test_values_are_those_of_the_rewards(short):
    """Fails if a mean is of other visits, or the comparison with full visits has another sign."""
    _, done, history, found = short
    values = {row.what: row for row in found.values}
    rewards = [v.record.reward for v in done.visits if v.record.reward is not None]
    assert values["decisions"].estimate == pytest.approx(np.mean(rewards))
    shorts = [
        v.record.reward
        for v in done.visits
        if v.record.reward is not None and v.record.kind == "short"
    ]
    assert values["short visits"].estimate == pytest.approx(np.mean(shorts))
    terms = []
    for visit in history.full:
        check, number = visit.record.check, visit.record.number
        if check is not None and number in history.rewards:
            term = 4 * (history.rewards[number] - check["expected"]) * check["tossed"]
            terms.append(term if visit.record.arm == check["short"] else -term)
    share = len(shorts) / len(rewards)
    row = values["less asking everything"]
    assert row.estimate == pytest.approx(share * np.mean(terms))
    # Whatever rewards say, no more can be lost than where the two arms differ.
    checks = [v.record.check for v in history.full if v.record.number in history.rewards]
    differs = np.array([float(c["full"] != c["short"]) for c in checks if c])
    _, low, high = bounded_mean(np.array(terms), -4, 4, 0.025, len(done.visits))
    _, _, most = bounded_mean(differs, 0, 1, 0.025, len(done.visits))
    assert row.low == pytest.approx(share * max(low, -most))
    assert row.high == pytest.approx(share * min(high, most))
    assert row.high > 1.2 * share * differs.mean()  # the share is not known either


def test_full_visits_are_worth_what_their_own_rule_brings(short):
    """Fails if a visit whose coin gave it the form's arm counts, or those for which it stands."""
    _, done, _, found = short
    row = next(row for row in found.values if row.what == "full visits")
    terms, tossed = [], 0
    for visit in done.visits:
        record = visit.record
        if record.kind == "short" or record.reward is None:
            continue
        check = record.check
        if check and check["full"] != check["short"]:
            tossed += 1
            terms.append(record.reward * 4 / 3 * (record.arm == check["full"]))
        else:
            terms.append(record.reward)
    middle, low, high = bounded_mean(np.array(terms), 0, 4 / 3, 0.05, len(done.visits))
    assert tossed > 20
    assert row.visits == len(terms)
    assert [row.estimate, row.low, row.high] == pytest.approx([middle, low, min(high, 1)])
    assert row.why == f"on {tossed} of them the form gives another arm"


@pytest.mark.parametrize("without", [(), (0,), (0, 1)], ids=["model", "one by draws", "draws"])
def test_the_best_single_arm_is_whichever_is_best(short, without):
    """Fails if an arm without a mean by the model is not taken by draws, or an end forgets one."""
    _, done, history, _ = short
    slopes = np.zeros(done.policy.survey.column_count)
    models = [ArmModel(0.1, 0.02, 3, slopes, ""), ArmModel(-0.1, 0.05, 2, slopes, "")]
    for k in without:
        models[k] = ArmModel(math.nan, math.nan, 0, slopes, "no epoch carries it")
    level = 0.05 / 2 / 2
    drawn, _ = drawn_means(history, done.policy, level)
    by_model = means(history, done.policy, models, level)
    arms = [drawn[k] if k in without else by_model[k] for k in range(2)]
    row = next(
        row
        for row in policy_values(history, done.policy, models, done.visits)
        if row.what == "less the best single arm"
    )
    rewards = np.array([v.record.reward for v in done.visits if v.record.reward is not None])
    middle, low, high = bounded_mean(rewards, 0, 1, 0.025, len(done.visits))
    best = max(arms, key=lambda arm: arm.estimate)
    assert row.estimate == pytest.approx(middle - best.estimate)
    assert row.low == pytest.approx(max(-1, low - max(arm.high for arm in arms)))
    assert row.high == pytest.approx(high - max(arm.low for arm in arms))
    ways = {0: "by the model", 1: "by the model (message), by draws (letter)", 2: "by draws"}
    assert row.why == f"beside {best.arm}; means {ways[len(without)]}"


def test_without_a_mean_of_every_arm_none_is_the_best():
    """Fails if arms without a mean are passed over."""
    study = al.Study.parse(STUDY.replace("beta_min: 0.3POLICY", "name: linucb"))
    found = al.analyse(study, recorded(study, 60).visits)
    row = next(row for row in found.values if row.what == "less the best single arm")
    assert row.estimate is None
    assert row.why == "no mean of letter, message, neither by the model nor by draws"
