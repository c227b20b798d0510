"""A pilot with arms at random, then a short survey that stays as it is (maths 6)."""

import copy
import math

import numpy as np
import pytest
from scipy.stats import chi2

import askless as al
from askless.errors import SettingError, StudyError
from askless.policies.one_by_one import OneByOne
from pilot_people import ARMS, SURVEY, USEFUL, made, people, played, world
from visiting import Visiting


def test_the_pilot_asks_everything_and_the_rest_a_fixed_part():
    """Fails if the pilot is too short or long, or what is asked differs from what arms keep."""
    policy = made(share=0.1)
    visits = played(policy, people(300))
    kept = {arm: set(policy.needs(arm)) for arm in ARMS}
    asked = set.union(*kept.values()) | {"member"}
    assert policy.pilot == 100
    assert all(len(visit.asked) == 8 for visit in visits[:100])
    assert all(set(visit.asked) == asked for visit in visits[100:])
    assert len(asked) < 8
    alone = policy.visit(arms=["red"])
    assert set(alone.promised) == kept["red"] | {"member"}


def test_the_share_is_rounded_up_as_it_is_written():
    """Fails if .07 of 100, a bit more than 7 as a float, is 8."""
    for planned, share, rows in ((100, 0.07, 7), (1_000, 0.2, 200), (11, 0.1, 2), (1, 0.2, 1)):
        assert made(planned=planned, share=share).pilot == rows
    assert made(planned=7, share=1).pilot == 7


def test_pilot_arms_are_drawn_evenly_among_those_that_a_visit_may_get():
    """Fails if some arm is drawn more often, or propensities are not those of the draws."""
    policy = made(planned=10**6, seed=4)
    policy.retire_arm("grey")
    known = SURVEY.decode(people(1).contexts[0])
    for may in (["red", "green", "blue"], ["red", "blue"]):
        counts = dict.fromkeys(may, 0)
        for _ in range(3_000):
            visit = policy.visit(known=known, arms=[*may, "grey"])
            counts[visit.arm] += 1
            assert visit.propensities == dict.fromkeys(may, pytest.approx(1 / len(may)))
        each = 3_000 / len(may)
        statistic = sum((count - each) ** 2 / each for count in counts.values())
        assert statistic < chi2.isf(1e-6, df=len(may) - 1)  # one seed in a million exceeds it


def test_draws_depend_on_the_seed():
    """Fails if the setting is not used."""
    block = people(64)
    arms = [[v.arm for v in played(made(seed=seed), block)] for seed in (0, 0, 1)]
    assert arms[0] == arms[1] != arms[2]


def test_it_finds_the_useful_questions_and_plays_nearly_the_best_arms():
    """Fails if useful questions are lost, arms are fitted badly or not played greedily."""
    run = al.simulate(made(), world(), 1_200, checkpoints=[200]).runs[0]
    for kept, arm in zip(run.support, ARMS, strict=True):
        assert USEFUL[arm] <= set(SURVEY.names_of(kept))
    assert not run.support.all(axis=1).any()
    in_pilot, later = run.regret_at[0] / 200, (run.regret - run.regret_at[0]) / 1_000
    # A greedy choice loses at most the errors of two means; with noise of deviation .1/√3 and some
    # 50 rows an arm, eight columns' least squares are off by .1/√3·√(8/50) in the mean square.
    assert later < 2 * 0.1 / math.sqrt(3) * math.sqrt(8 / 50)
    assert in_pilot > 3 * later


def test_means_are_least_squares_on_the_columns_of_kept_questions():
    """Fails if a mean is the lasso's, leaves out a column of a kept question or has other rows."""
    policy, block = made(), people(200)
    visits = played(policy, block)
    arms = np.array([visit.arm_index for visit in visits])
    probe = people(20, seed=1).contexts
    for k, arm in enumerate(ARMS):
        columns = [0]
        for name in policy.needs(arm):
            own = SURVEY.columns_of(name)
            columns += range(own.start, own.stop)
        rows, rewards = block.contexts[arms == k][:, columns], block.rewards[arms == k, k]
        fitted = probe[:, columns] @ (np.linalg.pinv(rows) @ rewards)
        means = probe @ policy.coefficients[k] + 0.5
        np.testing.assert_allclose(means, fitted, atol=1e-9)
    visit = played(policy, people(1, seed=2))[0]
    shown = visit.explain().outlook
    assert visit.arm == max(shown, key=lambda arm: shown[arm][0])
    assert visit.propensity == 1


def test_arms_without_a_sample_have_their_average_or_the_middle():
    """Fails if nine rows are screened, or an arm without rows is not in the middle of the range."""
    survey = al.Survey.unit(1, coding="raw")
    policy = al.PilotThenScreen(survey, arms=["a", "b", "c"], reward=(1, 3), planned=26, share=1)
    x = np.arange(17) / 16
    for i in range(17):
        policy.learn_row(0, [1, x[i]], 1 + 2 * x[i])
    for i in range(9):
        policy.learn_row(1, [1, x[i]], 1 + 2 * x[i])
    assert policy.support.tolist() == [[True], [False], [False]]
    expected = [[1, 2], [1 + 2 * x[:9].mean(), 0], [2, 0]]
    np.testing.assert_allclose(policy.coefficients, expected, atol=1e-9)
    # 1 + 2x against 1.5 and 2.
    assert [policy.play([1, value]) for value in (0, 0.25, 0.75)] == [2, 2, 0]


def test_ties_go_to_the_lowest_index():
    """Fails if arms that look alike are not played in the order of the roster."""
    policy = al.PilotThenScreen(SURVEY, arms=ARMS, reward=(0, 1), planned=1)
    policy.learn_row(3, people(1).contexts[0], 0)
    assert policy.asked_now() == ("member",)
    assert policy.visit(known={"member": True}).arm == "red"
    assert policy.visit(known={"member": True}, arms=["grey", "blue"]).arm == "blue"


@pytest.mark.parametrize("eligible", [None, {"red": 0.4, "blue": 0.5}])
@pytest.mark.parametrize("retired", [False, True])
def test_blocks_are_played_as_one_visit_after_the_other(eligible, retired):
    """Fails if a draw, an arm, a question, a cost, a drop or a counter differs anywhere."""
    policy = made(planned=500)
    if retired:
        policy.retire_arm("green")
    block = people(400, eligible=eligible)
    twins = [copy.deepcopy(policy) for _ in range(3)]
    players = twins[0].player(), OneByOne(twins[1]), Visiting(twins[2])
    drops = np.zeros((3, *policy.support.shape), dtype=np.int64)
    begun = 0
    for size in (37, 100, 63, 200):  # the pilot ends within the second one
        rows = slice(begun, begun + size)
        allowed = None if block.allowed is None else block.allowed[rows]
        part = al.Block(block.contexts[rows], block.rewards[rows], block.expected[rows], allowed)
        fast, *slow = (p.play(part, begun, d) for p, d in zip(players, drops, strict=True))
        for one in slow:
            for field in fast._fields:
                np.testing.assert_array_equal(getattr(fast, field), getattr(one, field), field)
        if allowed is not None:
            assert allowed[np.arange(size), fast.arms].all()
        begun += size
        assert twins[0].to_dict() == twins[1].to_dict()
        assert twins[0].to_dict()["state"] == twins[2].to_dict()["state"]
        assert (twins[0].version, twins[0]._next_number) == (policy.version + begun, begun)
    np.testing.assert_array_equal(drops[0], drops[1])
    np.testing.assert_array_equal(drops[0], drops[2])
    assert set(np.unique(drops[0])) == {0, 100}


def test_a_simulation_is_the_same_through_visits():
    """Fails if whole runs, with draws of their own, depend on how they are played."""
    policy, place = made(planned=2_000, share=0.1), world(eligible={"green": 0.7})
    fast, slow = (
        al.simulate(policy, place, 2_000, runs=2, seed=5, delay=delay)
        for delay in (None, al.Delay())
    )
    for one, other in zip(fast.runs, slow.runs, strict=True):
        for curve in ("plays_at", "regret_at", "asked_at", "cost_at", "reward_at"):
            np.testing.assert_array_equal(getattr(one, curve), getattr(other, curve))
        assert one.drops == other.drops
        assert {drop.visit for drop in one.drops} == {200}
    assert (fast.runs[0].plays_at[:5] != fast.runs[1].plays_at[:5]).any()


@pytest.mark.parametrize("order", ["decision", "arrival"])
def test_late_rewards_make_the_pilot_longer_and_nothing_else(order):
    """Fails if a simulation with delays stops, or if the pilot does not wait for its rewards."""
    late = al.Delay(visits=50, deadline=200, lost=0.1, order=order)
    run = al.simulate(made(planned=500), world(), 600, delay=late, checkpoints=600).runs[0]
    asked = np.diff(run.asked_at, prepend=0)
    ended = int((asked == 8).sum())
    assert ended > 150  # a hundred rows, of which each comes fifty visits late
    assert (asked[:ended] == 8).all()
    assert (asked[ended:] == asked[-1]).all()
    assert asked[-1] < 8


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"planned": 0}, "planned is 0; give how many people"),
        ({"planned": 10.0}, "planned is 10.0; give how many people"),
        ({"planned": True}, "planned is True"),
        ({"planned": 10**16}, "planned is 1"),
        ({"share": 0}, "share is 0; give the share of people"),
        ({"share": 1.5}, "share is 1.5; give the share of people"),
        ({"share": "0.2"}, "share is '0.2'; give a number"),
        ({"share": math.nan}, "share is nan"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong, message):
    """Fails if a setting is taken that cannot be, or the error does not name it."""
    with pytest.raises(SettingError, match=message):
        made(**wrong)


def test_it_is_known_by_name_and_in_study_files():
    """Fails if study files, which must say how many are planned, do not know it."""
    text = (
        "{{schema: 1, questions: [{{kind: yes_no, name: q}}], arms: [{{name: a}}, {{name: b}}],"
        " reward: {{low: 0, high: 10}}, policy: {{name: pilot-then-screen{0}}}}}"
    )
    policy = al.policy_for(al.Study.parse(text.format(", planned: 300, share: 0.1, seed: 3")))
    assert (type(policy), policy.pilot, policy.seed) == (al.PilotThenScreen, 30, 3)
    with pytest.raises(StudyError, match="planned"):
        al.Study.parse(text.format(""))
    with pytest.raises(SettingError, match="needs the setting 'planned'"):
        al.simulate("pilot-then-screen", world(), 10)
    runs = al.simulate({"name": "pilot-then-screen", "planned": 100}, world(), 100)
    assert runs.settings["share"] == 0.2
