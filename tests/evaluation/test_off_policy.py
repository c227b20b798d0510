"""Off-policy evaluation: naive formulas, known truths, and logs that cannot be."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import askless as al
from askless.environments.base import first_respondents
from askless.errors import SettingError
from askless.evaluation.off_policy import Estimate, decisions
from logged_study import GIVEN, STUDY, ByAge, Uneven, Visits, drawn, frame, log_of, world


def truth(count=200_000):
    """What ByAge earns, by the expected rewards of many people."""
    found = []
    for block in first_respondents(world(), 99, 0, count):
        young = block.contexts[:, [1]] < 0
        chances = np.where(young, [0.2, 0.8, 0.0], [0.9, 0.1, 0.0])
        found.append((chances * block.expected).sum(axis=1))
    return float(np.concatenate(found).mean())


def test_estimates_are_the_textbook_s_formulas():
    """Row by row; fails if a weight, a clip or a prediction is wrong."""
    log, rng = log_of(Uneven(STUDY.survey, **GIVEN), 300), np.random.default_rng(0)
    model, clip = rng.uniform(-1, 3, size=(300, 3)), 1.1
    found = al.off_policy(ByAge(STUDY.survey, **GIVEN), log, clip=clip, model=model)
    weights, terms, clipped = [], [], 0
    for i in range(300):
        chances = [0.2, 0.8, 0.0] if log.contexts[i, 1] < 0 else [0.9, 0.1, 0.0]
        arm, reward = log.arms[i], log.rewards[i]
        weight = chances[arm] / log.propensities[i, arm]
        clipped += weight > clip
        weight = min(weight, clip)
        weights.append(weight)
        direct = sum(p * q for p, q in zip(chances, model[i], strict=True))
        terms.append((weight * reward, direct + weight * (reward - model[i, arm])))
    ips, robust = np.array(terms).T
    assert found["IPS"].value == pytest.approx(ips.mean(), abs=1e-12)
    assert found["IPS"].error == pytest.approx(ips.std(ddof=1) / np.sqrt(300), abs=1e-12)
    assert found["doubly robust"].value == pytest.approx(robust.mean(), abs=1e-12)
    assert found["doubly robust"].error == pytest.approx(robust.std(ddof=1) / np.sqrt(300))
    value = ips.sum() / sum(weights)
    assert found["self-normalised"].value == pytest.approx(value, abs=1e-12)
    around = (np.array(weights) * (log.rewards - value)).std(ddof=1) / np.sqrt(300)
    assert found["self-normalised"].error == pytest.approx(around / np.mean(weights))
    assert found.weight.value == pytest.approx(np.mean(weights))
    assert found.effective == pytest.approx(sum(weights) ** 2 / sum(w * w for w in weights))
    assert found.clipped == clipped > 0
    assert (found.rows, found.counted) == (300, 300)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 60 logs, more misses than 5% explain have a chance below 1e-6; averages have more."""
    value, policy, runs = truth(), ByAge(STUDY.survey, **GIVEN), 60
    allowed = stats.binom.isf(1e-6 / 3, runs, 0.05)
    missed, naive = dict.fromkeys(("IPS", "self-normalised", "doubly robust"), 0), 0
    spread = {name: [] for name in missed}
    for run in range(runs):
        log = drawn(300, run)
        found = al.off_policy(policy, log)
        for name in missed:
            missed[name] += not found[name].low <= value <= found[name].high
            spread[name].append(found[name].value)
        naive += abs(found.logged - value) > 1.96 * log.rewards.std(ddof=1) / np.sqrt(300)
    assert max(missed.values()) <= allowed, missed
    assert naive > allowed
    assert np.std(spread["doubly robust"]) < np.std(spread["IPS"])


def test_predictions_see_the_past_alone():
    """Ridge models of all earlier tenths; fails if one sees a reward that it predicts."""
    log, policy = drawn(95, 0), ByAge(STUDY.survey, **GIVEN)
    model = np.empty((95, 3))
    ends = [int(95 * part / 10) for part in range(11)]
    for i in range(95):
        before = max(end for end in ends if end <= i)
        for k in range(3):
            own = [j for j in range(before) if log.arms[j] == k]
            z, y = log.contexts[own], (log.rewards[own] - 1) / 4
            beta = np.linalg.solve(np.eye(z.shape[1]) + z.T @ z, z.T @ y)
            model[i, k] = min(max(1 + 4 * float(log.contexts[i] @ beta), -1), 3)
    found = al.off_policy(policy, log)["doubly robust"]
    expected = al.off_policy(policy, log, model=model)["doubly robust"]
    assert found.value == pytest.approx(expected.value, abs=1e-10)
    assert found.error == pytest.approx(expected.error, abs=1e-10)


class HalfFull(al.Policy):
    """Every other visit is full and plays mail, the others ask nothing and play call."""

    name = "half-full"

    def _kind(self, mask, number):
        return "full" if number % 2 else "nothing"

    def _of_kind(self, kind):
        return self if kind == "full" else AsksNothing(self)

    def _decide(self, z, mask, number):
        return al.Decision(0, np.zeros(3))


class AsksNothing(al.VisitKind):
    def _may_ask(self, mask):
        return np.zeros(3, dtype=bool)

    def _decide(self, z, mask, number):
        return al.Decision(1, np.zeros(3))

    def _learn(self, played, rows, ys):
        pass


def test_kinds_of_visits_keep_their_share_where_few_of_one_count():
    """Mail brings 3, call 1: half of each is 2, though the log observed all in one row of ten."""
    count, rng = 3_000, np.random.default_rng(4)
    arms = rng.integers(2, size=count)
    contexts = np.tile(STUDY.survey.encode({"age": 50, "donor": True, "cause": "x"}), (count, 1))
    contexts[rng.random(count) < 0.9, 1:] = np.nan
    chances = np.tile([0.5, 0.5, 0.0], (count, 1))
    rewards = np.where(arms == 0, 3.0, 1.0)
    log = al.LoggedData(STUDY, contexts, arms, rewards, chances, np.ones((count, 3), dtype=bool))
    found = al.off_policy(HalfFull(STUDY.survey, **GIVEN), log)
    assert found.kinds["nothing"] == (1_500, 1_500)
    assert 100 < found.kinds["full"][1] < 200
    for estimate in found.estimates:
        assert estimate.low - 1e-9 <= 2 <= estimate.high + 1e-9, estimate
    assert found["self-normalised"].value == pytest.approx(2, abs=0.1)


class ByNumber(al.Policy):
    """Plays mail until its hundredth visit, then call."""

    name = "by-number"

    def _decide(self, z, mask, number):
        return al.Decision(int(number >= 100), np.zeros(3))


def test_rows_are_the_policy_s_next_visits():
    log, policy = drawn(150, 0), ByNumber(STUDY.survey, **GIVEN)
    first = [int(np.argmax(chances)) for chances in decisions(policy, log)[0]]
    assert first == [0] * 100 + [1] * 50
    policy.visit(number=99)
    assert decisions(policy, log)[0].argmax(axis=1).tolist() == [1] * 150


def test_logs_that_have_too_little_of_it_are_doubtful():
    """Call is drawn once in a thousand rows, and everybody should get it."""
    count = 400
    chances = np.tile([0.999, 0.001, 0.0], (count, 1))
    (block,) = first_respondents(world(), 3, 0, count)
    given = np.zeros(count, dtype=np.int64)
    given[7] = 1
    rewards = block.rewards[np.arange(count), given]
    log = al.LoggedData(STUDY, block.contexts, given, rewards, chances, np.ones((400, 3), bool))
    found = al.off_policy(ByAge(STUDY.survey, **GIVEN), log)
    assert found.unsupported > 0.3  # 0.001 is less than one row of 400
    alone = al.LoggedData(STUDY, block.contexts, given * 0, rewards, chances, log.eligible)
    assert al.off_policy(ByAge(STUDY.survey, **GIVEN), alone).is_doubtful
    with pytest.raises(SettingError, match="the log never has the arm that the policy would play"):
        al.off_policy(Visits(STUDY.survey, **GIVEN), alone)


def test_rows_count_that_have_observed_what_the_policy_asks():
    """Fails if an answer that was never given is used."""
    logger = al.TSRC(STUDY.survey, **GIVEN, questions=1, seed=2)
    log = log_of(logger, 200)
    policy = ByAge(STUDY.survey, **GIVEN)
    counts = ~np.isnan(decisions(policy, log)[0][:, 0])
    np.testing.assert_array_equal(counts, log.observed[:, 0])
    assert 10 < counts.sum() < 150
    assert al.off_policy(policy, log).counted == counts.sum()
    asks_all = al.Uniform(STUDY.survey, **GIVEN)
    with pytest.raises(SettingError, match="no row of the log has observed what the policy would"):
        al.off_policy(asks_all, log)


def test_what_the_log_could_never_show_is_said():
    """ByAge plays visit to nobody, so all that Visits does for those who may get it is unknown."""
    both = [ByAge(STUDY.survey, **GIVEN), Visits(STUDY.survey, **GIVEN)]
    log = log_of(both[0], 300)
    assert [al.off_policy(policy, log).unsupported for policy in both] == [
        0.0,
        pytest.approx(log.eligible[:, 2].mean()),
    ]
    alone = al.LoggedData.from_frame(frame(), STUDY)  # the propensities of the arms played alone
    assert al.off_policy(both[0], alone).unsupported is None


def test_it_prints_as_a_table_with_the_ends_of_its_intervals():
    """Fails if fields are printed as Python has them, or a warning is left out."""
    log = log_of(Uneven(STUDY.survey, **GIVEN), 300)
    found = al.off_policy(ByAge(STUDY.survey, **GIVEN), log)
    heading, *lines = str(found).splitlines()
    assert heading.split() == ["reward", "a", "visit", "value", "±", "from", "to"]
    for one, line in zip(found.estimates, lines, strict=False):
        numbers = [f"{n:.4g}" for n in (one.value, one.error, one.low, one.high)]
        assert line.startswith(one.name)
        assert line.split()[-4:] == numbers
    assert lines[3].split()[-1] == f"{found.logged:.4g}"
    assert lines[4].startswith(f"{found.counted} of 300 rows count")
    assert len(lines) == 5
    doubtful = replace(found, weight=Estimate("weight", 1.5, 0.1), unsupported=0.25)
    assert "25.0% of its decisions are for arms never given" in str(doubtful)
    assert "the mean weight is 1.5 ± 0.1, and should be 1: trust no interval" in str(doubtful)
    assert max(map(len, str(doubtful).splitlines())) <= 80
