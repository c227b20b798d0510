"""Environments of one's own: a plain class simulates, and no wrong block reaches the core."""

import json

import numpy as np
import pytest

import askless as al
from askless.environments.base import checked_block, first_respondents
from askless.errors import SettingError

SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor", may_skip=True),
        al.Choice("pet", ["a", "b"]),
    ]
)


class Own:
    """Fifteen lines: a plain class, nothing imported from askless but the block."""

    survey, arms, reward = SURVEY, ["mail", "call"], (0, 10)

    def respondents(self, seed, run):
        rng = np.random.default_rng([seed, run])
        while True:
            age, donor = rng.uniform(18, 90, 100), rng.random(100) < 0.4
            people = [
                SURVEY.encode({"age": a, "donor": bool(d) if a < 80 else None, "pet": "b"})
                for a, d in zip(age, donor, strict=True)
            ]
            expected = np.column_stack([np.full(100, 4.0), age / 10])
            noise = rng.uniform(-1, 1, expected.shape)
            yield al.Block(np.array(people), expected + noise, expected)


def policy_for(world, kind=al.LinUCB, **settings):
    return kind(world.survey, arms=world.arms, reward=world.reward, **settings)


@pytest.mark.parametrize(
    ("kind", "settings"), [(al.LinUCB, {}), (al.Uniform, {}), (al.SurveyBandit, {"beta_min": 5})]
)
def test_a_plain_class_simulates(kind, settings):
    world = Own()
    runs = al.simulate(policy_for(world, kind, **settings), world, 1_000, runs=2, seed=3)
    for index, run in enumerate(runs.runs):
        assert run.plays.sum() == 1_000
        best = sum(
            block.expected.max(axis=1).sum() for block in first_respondents(world, 3, index, 1_000)
        )
        assert run.reward + run.regret == pytest.approx(best, abs=6 * np.sqrt(1_000 / 3))
    assert runs.reward_per_visit == pytest.approx(runs.reward / 1_000)
    assert isinstance(world, al.Environment)
    al.check_environment(world)


def test_all_ways_to_simulate_take_an_own_environment_and_give_the_same(tmp_path):
    world = Own()
    policy = policy_for(world, al.SurveyBandit, beta_min=5)
    one, two = (al.simulate(policy, world, 600, runs=2, workers=w) for w in (1, 2))
    sweep = al.Sweep(
        [{"name": "survey-bandit", "beta_min": 5}], {"own": world}, 600, runs=2, checkpoints=200
    )
    sweep.run(tmp_path / "out.jsonl", workers=1)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()[1:]]
    for a, b, row in zip(one.runs, two.runs, rows, strict=True):
        np.testing.assert_array_equal(a.reward_at, b.reward_at)
        assert row["reward_at"] == a.reward_at.tolist()
        assert row["reward"] == a.reward


def test_what_nobody_knows_is_none_in_json_and_nan_in_numbers(tmp_path):
    world = Known(lambda block: al.Block(block.contexts, block.rewards))
    runs = al.simulate(
        policy_for(world, al.RidgeSurveyUCB, beta_min=9, sigma=0.1), world, 500, seed=1
    )
    run = runs.runs[0]
    assert np.isnan(runs.regret)
    assert np.isnan(run.regret_at).all()
    assert run.drops
    assert run.useful_dropped is None
    data = json.loads(json.dumps(runs.to_dict(), allow_nan=False))
    assert data["runs"][0]["regret"] is None is data["mean"]["regret"]
    assert data["runs"][0]["reward"] == run.reward
    sweep = al.Sweep([{"name": "linucb"}], {"own": world}, 300, seed=1, checkpoints=3)
    sweep.run(tmp_path / "out.jsonl", workers=1)
    row = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[1])
    assert (row["regret"], row["regret_at"]) == (None, [None] * 3)
    regret, _ = runs.plot().axes
    assert regret.get_ylabel() == "mean reward a visit"
    (line,) = regret.get_lines()
    np.testing.assert_allclose(line.get_ydata(), run.reward_at / run.visits)
    assert len(al.sweep_frame(tmp_path / "out.jsonl")) == 1


class Known(Own):
    """The same people with something changed in the blocks after the first."""

    def __init__(self, change):
        self.change = change

    def respondents(self, seed, run):
        for number, block in enumerate(super().respondents(seed, run)):
            yield block if number == 0 and not seed else self.change(block)


def changed(**parts):
    def change(block):
        given = {
            name: getattr(block, name).copy() for name in ("contexts", "rewards", "expected")
        } | {"allowed": None}
        for name, part in parts.items():
            given[name] = part(given[name]) if callable(part) else part
        return al.Block(**given)

    return change


def put(at, value):
    def change(array):
        array[at] = value
        return array

    return change


ALL = np.ones((100, 2), dtype=bool)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"contexts": put((7, 1), np.nan)}, "visit 107: question 'age' has no answer"),
        ({"contexts": put((7, 1), 0.6)}, r"visit 107: question 'age': no answer is encoded as"),
        ({"contexts": put((7, 1), np.inf)}, r"visit 107: question 'age': no answer is encoded as"),
        ({"contexts": put((0, 0), 2.0)}, "visit 100: the context starts with 2.0"),
        ({"contexts": put((9, 2), 0.3)}, "visit 109: question 'donor'"),
        ({"contexts": put((9, 4), 1.0)}, "visit 109: question 'pet'"),
        ({"contexts": lambda z: z[:, :-1]}, r"contexts has shape \(100, 5\).*6 columns"),
        ({"contexts": lambda z: z[0]}, r"contexts has shape \(6,\)"),
        ({"contexts": lambda z: z[:0]}, r"contexts has shape \(0, 6\); .*at least one"),
        ({"contexts": lambda z: z.astype(str)}, "contexts is an array of <U32"),
        ({"contexts": lambda z: z.tolist()}, "contexts is .*give an array"),
        ({"rewards": put((3, 1), 10.5)}, "visit 103, arm 'call': the reward is 10.5; .*0 to 10"),
        ({"rewards": put((3, 0), -0.1)}, "visit 103, arm 'mail': the reward is -0.1"),
        ({"rewards": put((3, 0), np.nan)}, "visit 103, arm 'mail': the reward is nan"),
        ({"rewards": lambda y: y[:, :1]}, r"rewards has shape \(100, 1\); give \(100, 2\)"),
        ({"rewards": lambda y: y[:99]}, r"rewards has shape \(99, 2\)"),
        ({"rewards": None}, "rewards is None"),
        ({"expected": put((5, 1), 11.0)}, "visit 105, arm 'call': the expected reward is 11.0"),
        ({"expected": lambda y: y[:, 0]}, r"expected has shape \(100,\)"),
        ({"allowed": ALL[:, :1]}, r"allowed has shape \(100, 1\)"),
        ({"allowed": ALL.astype(int)}, "allowed is an array of int64; give an array of booleans"),
        ({"allowed": ALL & False}, "visit 100: there is no arm that this respondent may get"),
    ],
)
@pytest.mark.parametrize("kind", [al.LinUCB, al.Uniform])
def test_a_wrong_block_is_refused_with_its_place(kind, parts, message):
    """Fails if something wrong gets through to the core, where it hangs or reads elsewhere."""
    world = Known(changed(**parts))
    with pytest.raises(SettingError, match=f"^environment Known, .*{message}"):
        al.simulate(policy_for(world, kind), world, 300)


@pytest.mark.parametrize(
    ("given", "message"),
    [((1, 2), "yields is \\(1, 2\\)"), (None, "yields is None"), (ALL, "yields is array")],
)
def test_what_is_no_block_is_refused(given, message):
    world = Known(lambda block: given)
    with pytest.raises(SettingError, match=message):
        al.simulate(policy_for(world), world, 300)


class Twisted(al.LinearEnvironment):
    """A subclass of a trusted environment, which is not trusted itself."""

    def respondents(self, seed, run):
        for block in super().respondents(seed, run):
            yield self.block(*self.twist(block.contexts, block.luck))


@pytest.mark.parametrize(
    ("twist", "message"),
    [
        (
            lambda z, luck: (z * np.nan, luck),
            "visit 0: the context starts with nan",
        ),
        (lambda z, luck: (z[:, :2], luck), r"shape \(1024, 2\)"),
        (lambda z, luck: (z, luck[:5]), "luck"),
        (lambda z, luck: (z, luck + 1), "luck"),
        (lambda z, luck: (z, luck * np.nan), "luck"),
    ],
)
def test_a_subclass_of_ours_is_checked_too(twist, message):
    paper = al.paper_environment(arms=2, features=3)
    world = Twisted(
        paper.survey,
        arms=paper.arms,
        reward=paper.reward,
        coefficients=paper.coefficients,
        spread=0.5,
    )
    world.twist = lambda z, luck: (z, luck)
    same = al.simulate(policy_for(world), world, 300).runs[0]
    assert same.reward == al.simulate(policy_for(paper), paper, 300).runs[0].reward
    world.twist = twist
    with pytest.raises(SettingError, match=message):
        al.simulate(policy_for(world), world, 300)
    world.twist, world.spread = (lambda z, luck: (z, luck)), 3.0
    with pytest.raises(SettingError, match="the reward leaves its range"):
        al.simulate(policy_for(world), world, 300)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_environment_that_ends_too_early_says_how_many_it_has(workers):
    class Few(Own):
        def respondents(self, seed, run):
            for block, _ in zip(super().respondents(seed, run), range(2), strict=False):
                yield block

    world = Few()
    assert al.simulate(policy_for(world), world, 200).runs[0].plays.sum() == 200
    with pytest.raises(SettingError, match=r"Few has 200 respondents .*horizon is 201; shorten"):
        al.simulate(policy_for(world), world, 201, runs=2, workers=workers)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("survey", "age", "survey is 'age'; give an askless.Survey"),
        ("arms", [], "environment Own: there are no arms"),
        ("reward", (1, 0), "environment Own: reward: the low end"),
        ("respondents", 3, "respondents is 3; write a method"),
        ("respondents", lambda seed, run: 3, r"respondents\(seed, run\) returns 3"),
        ("useful", [[True]], r"useful is .* give booleans of shape \(2, 3\)"),
    ],
)
def test_what_is_no_environment_is_refused(part, value, message):
    world, policy = Own(), policy_for(Own())
    setattr(world, part, value)
    with pytest.raises(SettingError, match=message):
        al.simulate(policy, world, 100)


@pytest.mark.parametrize("given", [None, "paper", Own, object()])
def test_what_does_not_look_like_an_environment_is_refused(given):
    with pytest.raises(SettingError, match=r"environment is .* with survey, arms, reward and resp"):
        al.simulate(policy_for(Own()), given, 100)
    with pytest.raises(SettingError, match="environment 'mine': environment is"):
        al.Sweep([{"name": "linucb"}], {"mine": given}, 100)


def test_a_respondent_who_may_get_retired_arms_alone_is_refused():
    barred = ALL.copy()
    barred[4, 1] = False
    world = Known(changed(allowed=barred))
    policy = policy_for(world)
    assert al.simulate(policy, world, 300).runs[0].plays.sum() == 300
    policy.retire_arm("mail")
    with pytest.raises(SettingError, match="visit 104: there is no arm that is live in the policy"):
        al.simulate(policy, world, 300)


def test_a_checked_block_is_a_copy_on_the_grid():
    block = next(Own().respondents(0, 0))
    block.contexts[0, 1] = 0.123456789
    checked = checked_block(Own(), block)
    assert checked.contexts[0, 1] == np.floor(0.123456789 * 1024 + 0.5) / 1024
    for name in ("contexts", "rewards", "expected"):
        assert not np.shares_memory(getattr(block, name), getattr(checked, name))
    whole = al.Block(block.contexts, (block.rewards > 5), (block.rewards > 5).astype(np.int8))
    assert checked_block(Own(), whole).rewards.dtype == np.float64


def test_sweeps_tell_own_environments_apart(tmp_path):
    """Fails if results of one world were gone on with in another."""

    def header(**parts):
        return al.Sweep(
            [{"name": "linucb"}], {"own": Known(changed(**parts))}, 100, seed=1
        ).header()

    ways = [
        {},
        {"rewards": put((0, 0), 1.0)},
        {"expected": put((0, 0), 1.0)},
        {"expected": None},
        {"contexts": put((0, 1), 0.0)},
        {"allowed": ALL},
    ]
    assert len({json.dumps(header(**way)) for way in ways}) == len(ways)
    assert header() == header()


def test_respondents_put_in_the_place_of_ours_are_checked_like_anybody_s():
    world = al.paper_environment(arms=2, features=3)
    ours = world.respondents

    def dear(seed, run):
        for block in ours(seed, run):
            yield al.Block(block.contexts, np.full((len(block), 2), 1e6))

    world.respondents = dear
    with pytest.raises(SettingError, match=r"the reward is 1000000\.0"):
        al.simulate("linucb", world, 10)


def test_a_table_says_who_may_get_which_arm():
    survey = al.Survey([al.YesNo("donor")])
    people, allowed = [{"donor": True}, {"donor": False}], np.array([[True, False], [True, True]])
    world = al.TableEnvironment(
        survey,
        arms=["mail", "call"],
        answers=people,
        rewards=[[0, 1], [0, 1]],
        reward=(0, 1),
        expected=[[0, 1], [0, 1]],
        allowed=allowed,
    )
    al.check_environment(world)
    block = next(iter(world.respondents(0, 0)))
    np.testing.assert_array_equal(block.allowed[:, 1], block.contexts[:, 1] < 0)
    run = al.simulate("linucb", world, 500).runs[0]
    assert run.plays[0] >= (block.first(500).contexts[:, 1] > 0).sum()  # donors are never called
    with pytest.raises(SettingError, match="no arm"):
        al.TableEnvironment(
            survey, arms=["a"], answers=people, rewards=[[0], [1]], reward=(0, 1),
            allowed=np.array([[True], [False]]),
        )  # fmt: skip


def test_what_nobody_brings_must_be_a_number_too():
    survey = al.Survey([al.YesNo("donor")])
    with pytest.raises(SettingError, match="give a number, also for arms that nobody gets"):
        al.TableEnvironment(
            survey, arms=["a", "b"], answers=[{"donor": True}], rewards=[[0, np.nan]], reward=(0, 1)
        )
