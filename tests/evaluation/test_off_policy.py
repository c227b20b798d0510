"""Off-policy evaluation: naive formulas, known truths, and logs that cannot be."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import askless as al
from askless.environments.base import first_respondents
from askless.errors import SettingError
from askless.evaluation.off_policy import decisions

TEXT = """
schema: 1
questions:
  - {kind: scale, name: age, low: 0, high: 100}
  - {kind: yes_no, name: donor}
  - {kind: choice, name: cause, options: [x, y, z], may_skip: true}
arms: [{name: mail}, {name: call}, {name: visit}]
reward: {low: -1, high: 3}
policy: {beta_min: 0.5}
"""
STUDY = al.Study.parse(TEXT)
ARMS = [arm.name for arm in STUDY.arms]
GIVEN = {"arms": ARMS, "reward": (-1, 3)}


def world(number=0):
    return al.LinearEnvironment(
        STUDY.survey,
        arms=ARMS,
        coefficients={"mail": {"donor": 1.2}, "call": {"age": -1.0}, "visit": {"cause = y": 0.8}},
        reward=(-1, 3),
        spread=0.7,
        eligible={"visit": 0.6},
        number=number,
    )


class ByAge(al.Policy):
    """Asks the age alone; plays call to the young, most of the time, else mail."""

    name = "by-age"

    def _may_ask(self, mask):
        return np.array([True, False, False])

    def _decide(self, z, mask, number):
        chances = np.array([0.2, 0.8, 0.0]) if z[1] < 0 else np.array([0.9, 0.1, 0.0])
        arm = int(self.rng(number).choice(3, p=chances))
        return al.Decision(arm, np.zeros(3), chances)


class Uneven(al.Policy):
    """Draws arms by the answer to one question, with propensities that are never small."""

    name = "uneven"

    def _decide(self, z, mask, number):
        raw = np.where(mask, [3.0, 1.0, 2.0] if z[2] > 0 else [1.0, 2.0, 1.0], 0.0)
        chances = raw / raw.sum()
        return al.Decision(int(self.rng(number).choice(3, p=chances)), np.zeros(3), chances)


class Visits(al.Policy):
    """Asks nothing; plays visit to whoever may get it."""

    name = "visits"

    def _may_ask(self, mask):
        return np.zeros(3, dtype=bool)

    def _decide(self, z, mask, number):
        return al.Decision(2 if mask[2] else 0, np.zeros(3))


def log_of(logger, count, run=0):
    done = al.record_visits(logger, world(), count, seed=11, run=run)
    return al.LoggedData.of_visits([visit.record for visit in done.visits], STUDY)


def drawn(count, run):
    """A log of Uneven, many rows at once."""
    (block,) = first_respondents(world(), 11, run, count)
    raw = np.where(block.contexts[:, [2]] > 0, [3.0, 1.0, 2.0], [1.0, 2.0, 1.0]) * block.allowed
    chances = raw / raw.sum(axis=1, keepdims=True)
    luck = np.random.default_rng([run, 1]).random((count, 1))
    arms = (luck > chances.cumsum(axis=1)).sum(axis=1)
    rewards = block.rewards[np.arange(count), arms]
    return al.LoggedData(STUDY, block.contexts, arms, rewards, chances, block.allowed)


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


def test_a_policy_that_learns_is_replayed_on_rows_drawn_evenly():
    """Its mean must be that of simulated studies of the same length: two ways to one number."""
    log = log_of(al.Uniform(STUDY.survey, **GIVEN), 3_000)
    policy = al.LinUCB(STUDY.survey, **GIVEN)
    found = al.replay_log(policy, log)
    assert policy.rows.sum() == 0
    assert found.policy.rows.sum() == found.counted
    runs = al.simulate(policy, world(), found.counted, runs=30, seed=5).runs
    rewards = np.array([run.reward for run in runs]) / found.counted
    # The replay has one study's spread, of which 30 show how large it is; 5 of them is 1e-6.
    assert abs(found.value - rewards.mean()) < 5 * rewards.std(ddof=1)
    assert found.questions == pytest.approx(3)
    assert found.unobserved == 0
    again = al.replay_log(found.policy, log)  # it goes on from what it has learned
    assert again.policy.rows.sum() == found.counted + again.counted
    with pytest.raises(SettingError, match=r"drew its arm with .*evenly would be .*--state"):
        al.replay_log(policy, log_of(Uneven(STUDY.survey, **GIVEN), 50))


def test_people_who_could_get_fewer_arms_are_not_replayed_more_often():
    """Half may get mail alone, which brings 0; the others get a visit, which brings 1."""
    count, rng = 6_000, np.random.default_rng(2)
    narrow = rng.random(count) < 0.5
    eligible = np.ones((count, 3), dtype=bool)
    eligible[narrow, 1:] = False
    chances = eligible / eligible.sum(axis=1, keepdims=True)
    given = np.where(narrow, 0, rng.integers(3, size=count))
    rewards = np.where(narrow, 0.0, 1.0)
    contexts = np.tile(STUDY.survey.encode({"age": 50, "donor": True, "cause": "x"}), (count, 1))
    log = al.LoggedData(STUDY, contexts, given, rewards, chances, eligible)
    found = al.replay_log(Visits(STUDY.survey, **GIVEN), log)
    wide = found.value  # the share of those who may get all
    # About 1,000 of 2,000 narrow rows and as many wide ones count: 5 standard errors are 0.06.
    assert abs(wide - 0.5) < 0.06
    assert 1_500 < found.counted < 2_600


def test_a_replay_goes_on_after_rows_that_have_not_observed_what_it_asks():
    log = log_of(al.Uniform(STUDY.survey, **GIVEN), 900)
    some = log.contexts.copy()
    some[::2, 1:] = np.nan
    partly = al.LoggedData(STUDY, some, log.arms, log.rewards, log.propensities, log.eligible)
    found = al.replay_log(al.LinUCB(STUDY.survey, **GIVEN), partly)
    assert found.counted > 50
    assert 250 < found.unobserved < 450
    assert found.counted <= 450


def frame(**change):
    given = {
        "age": [10, 50, 90],
        "donor": [True, False, True],
        "cause": ["x", None, "y"],
        "arm": ["mail", "call", "visit"],
        "reward": [0, 2.5, -1],
        "propensity": [0.5, 0.25, 0.2],
    }
    return pd.DataFrame(given | change)


def test_a_frame_and_its_file_are_the_same_log(tmp_path):
    log = al.LoggedData.from_frame(frame(), STUDY)
    frame().to_csv(tmp_path / "log.csv", index=False)
    frame().to_parquet(tmp_path / "log.parquet")
    people = [{"age": 10, "donor": True, "cause": "x"}, {"age": 50, "donor": False, "cause": None}]
    np.testing.assert_array_equal(log.contexts[:2], [STUDY.survey.encode(p) for p in people])
    assert log.arms.tolist() == [0, 1, 2]
    assert log.chances.tolist() == [0.5, 0.25, 0.2]
    for ending in ("csv", "parquet"):
        read = al.LoggedData.read(tmp_path / f"log.{ending}", STUDY)
        for name in ("contexts", "arms", "rewards", "propensities", "eligible"):
            np.testing.assert_array_equal(getattr(read, name), getattr(log, name))
    some = frame(
        asked=["age", "age;cause", ""], age=[10, 50, None], donor=None, cause=[None, None, None]
    )
    for given in (some, some.convert_dtypes()):  # a skip of cause in the second row
        seen = al.LoggedData.from_frame(given, STUDY)
        assert seen.observed.tolist() == [[True, False, False], [True, False, True], [False] * 3]
        assert seen.contexts[1, -1] == 1


def test_a_visits_file_is_a_log(tmp_path):
    """Late rewards: visits that have not been learned are no rows."""
    policy = al.TSRC(STUDY.survey, **GIVEN, questions=2, seed=1)
    late = al.Delay(10, "random", order="arrival")
    done = al.record_visits(policy, world(), 200, delay=late)
    al.write_visits(tmp_path / "visits.csv", done.visits, STUDY)
    log = al.LoggedData.read(tmp_path / "visits.csv", STUDY)
    learned = [visit.record for visit in done.visits if visit.learned is not None]
    assert 150 < len(learned) < 200
    expected = al.LoggedData.of_visits(learned, STUDY)
    for name in ("contexts", "arms", "rewards", "propensities", "eligible"):
        np.testing.assert_array_equal(getattr(log, name), getattr(expected, name))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"arm": ["mail", "cal", "visit"]}, "row 2, column 'arm': 'cal' is no arm .*'call'"),
        ({"reward": [0, 9, 1]}, "row 2, column 'reward': '9' is no reward from -1 to 3"),
        ({"reward": [0, None, 1]}, "row 2, column 'reward': the reward is missing"),
        ({"age": [1, None, 3]}, "row 2, column 'age': the answer is missing"),
        ({"cause": ["x", "w", "y"]}, "row 2, column 'cause': 'w' is no option"),
        ({"propensity": [0.5, 0, 0.2]}, "row 2: the arm that was played has the propensity 0"),
        ({"propensity": [0.5, 1.5, 0.2]}, "row 2, column 'propensity': '1.5' is no probability"),
        ({"eligible": ["mail", "post", "visit"]}, "column 'eligible': 'post' is none of the study"),
        ({"asked": ["age", "aeg", ""]}, "row 2, column 'asked': 'aeg' is none .*'age'"),
        (
            {
                "propensity.mail": [0.5] * 3,
                "propensity.call": [0.5] * 3,
                "propensity.visit": [1] * 3,
            },
            "row 1: the propensities of the arms that it could get do not sum to 1",
        ),
    ],
)
def test_what_is_wrong_with_a_log_is_said_with_its_place(change, complaint):
    with pytest.raises(SettingError, match=complaint):
        al.LoggedData.from_frame(frame(**change), STUDY)


def test_logs_that_cannot_be_used_are_refused():
    policy = ByAge(STUDY.survey, **GIVEN)
    with pytest.raises(SettingError, match="column 'age' is missing"):
        al.LoggedData.from_frame(frame().drop(columns="age"), STUDY)
    with pytest.raises(SettingError, match="the log is empty"):
        al.LoggedData.from_frame(frame().iloc[:0], STUDY)
    without = al.LoggedData.from_frame(frame().drop(columns="propensity"), STUDY)
    with pytest.raises(SettingError, match="row 1 of the log has no propensity"):
        al.off_policy(policy, without)
    with pytest.raises(SettingError, match=r"row 1 .*add a column 'propensity' .0.333 if"):
        al.replay_log(policy, without)
    log = al.LoggedData.from_frame(frame(), STUDY)
    for given, complaint in (
        ({"clip": 0}, "clip is 0"),
        ({"model": [[1, 2]]}, r"give finite numbers of shape \(3, 3\)"),
    ):
        with pytest.raises(SettingError, match=complaint):
            al.off_policy(policy, log, **given)
    other = al.Uniform(al.Survey.unit(2), **GIVEN)
    with pytest.raises(SettingError, match="the policy's questions are not those"):
        al.off_policy(other, log)
    fewer = al.Uniform(STUDY.survey, arms=ARMS[:2], reward=(-1, 3))
    with pytest.raises(SettingError, match="the policy's arms are not those"):
        al.off_policy(fewer, log)
    wider = al.Uniform(STUDY.survey, arms=ARMS, reward=(-1, 30))
    with pytest.raises(SettingError, match="reward range is not that of the log's study"):
        al.off_policy(wider, log)
    for records, complaint in (
        ([], "no visit has an arm and a reward"),
        (["x"], r"give what visit.record\(\) returns"),
    ):
        with pytest.raises(SettingError, match=complaint):
            al.LoggedData.of_visits(records, STUDY)
    clash = al.Study.parse(TEXT.replace("name: age", "name: asked"))
    with pytest.raises(SettingError, match="'asked' is a question of the study, and a column of"):
        al.LoggedData.from_frame(frame(asked=1), clash)
    twice = pd.concat([frame(), frame()[["propensity"]]], axis=1)
    with pytest.raises(SettingError, match="column 'propensity' is there 2 times"):
        al.LoggedData.from_frame(twice, STUDY)


def test_a_visits_file_of_questions_called_like_its_columns_is_a_log(tmp_path):
    study = al.Study.parse(
        TEXT.replace("name: age", "name: arm").replace("name: donor", "name: kind")
    )
    policy = al.Uniform(study.survey, arms=ARMS, reward=(-1, 3))
    visit = policy.visit(known={"arm": 7, "kind": True, "cause": None})
    policy.learn(visit, 2)
    al.write_visits(tmp_path / "v.csv", [al.LoggedVisit(visit.record(), 0, 1)], study)
    log = al.LoggedData.read(tmp_path / "v.csv", study)
    np.testing.assert_array_equal(log.contexts[0], visit.context())
