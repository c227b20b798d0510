"""The simulator: fused and through visits alike, reproducible, in constant memory, and true."""

import copy
import json
import re
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import askless as al
from askless.environments.base import first_respondents
from askless.errors import MissingExtraError, SettingError
from askless.policies.loops import Fused
from outcomes import outcome
from visiting import Visiting
from worlds import survey_of

MIXED = [("scale", 1, True), ("choice", 3, False), ("multi", 2, True), ("yes_no", 1, False)]


def mixed_world():
    survey = survey_of([*MIXED, ("scale", 1, False)])
    table = np.zeros((3, survey.column_count))
    table[0, -1], table[1, -2], table[2, 3:6] = 0.6, -0.5, [0.3, -0.2, 0]
    return al.LinearEnvironment(
        survey,
        arms=["a", "b", "c"],
        coefficients=table,
        reward=(10, 11),
        noise="two_point",
        spread=0.05,
        correlation=0.3,
    )


def ridge(world, **settings):
    settings = {"beta_min": 0.4, "sigma": 0.05, "alpha": 1} | settings
    return al.RidgeSurveyUCB(world.survey, arms=world.arms, reward=world.reward, **settings)


def net(world, **settings):
    settings = {"beta_min": 0.4, "sigma": 0.01, "alpha": 1} | settings
    return al.ElasticNetSurveyUCB(world.survey, arms=world.arms, reward=world.reward, **settings)


def policies():
    world, paper = mixed_world(), al.paper_environment(arms=3, features=6, coding="raw")
    yield world, ridge(world)
    yield world, ridge(world, radius="published_sqrt")
    yield world, al.LinUCB(world.survey, arms=world.arms, reward=world.reward)
    yield world, al.OFUL(world.survey, arms=world.arms, reward=world.reward)
    yield paper, ridge(paper, radius="published_sqrt", sigma=0.3, b2=1)
    yield world, net(world)
    yield world, net(world, radius="ridge", sigma=0.05)
    yield paper, net(paper, radius="published_scaled_sqrt", b1=0.1, beta_min=1)
    # A penalty this small lets widths fall by orders of magnitude within a look ahead.
    yield paper, ridge(paper, alpha=1e-6, sigma=0.3, b2=1, beta_min=0.8)
    yield world, al.OFUL(world.survey, arms=world.arms, reward=world.reward, alpha=1e-6, b2=1)


@pytest.mark.parametrize(("world", "policy"), list(policies()))
def test_the_fused_loop_and_visits_decide_alike(world, policy):
    fused, visiting = copy.deepcopy(policy), copy.deepcopy(policy)
    players = Fused(fused), Visiting(visiting)
    drops = [np.zeros(policy.support.shape, dtype=np.int64) for _ in players]
    begun = 0
    for block in first_respondents(world, 7, 0, 3_000):
        one, other = (p.play(block, begun, d) for p, d in zip(players, drops, strict=True))
        np.testing.assert_array_equal(one.arms, other.arms)
        np.testing.assert_allclose(one.radii, other.radii, rtol=1e-10)
        np.testing.assert_allclose(one.regret, other.regret, atol=1e-14)
        np.testing.assert_array_equal(one.asked, other.asked)
        np.testing.assert_array_equal(one.paid, other.paid)
        begun += len(block)
    np.testing.assert_array_equal(*drops)
    np.testing.assert_allclose(fused.radius, visiting.radius, rtol=1e-10)
    for z in block.contexts[:50]:
        np.testing.assert_allclose(fused.ucb(z), visiting.ucb(z), rtol=1e-8)
    same = ("n", "gram", "moment", "squares")  # sums are exact, in whatever order they come
    for one, other in zip(*(p.to_dict()["state"]["arms"] for p in (fused, visiting)), strict=True):
        assert [one[name] for name in same] == [other[name] for name in same]
        assert one["dropped"].keys() == other["dropped"].keys()
    assert policy.drops == (not fused.support.all())  # what can drop has dropped


def test_exact_ties_are_broken_alike_however_visits_are_scored():
    # Two answers and two rewards: arms that saw the same rows at different times are exactly tied.
    # Rounding differs between scoring one by one and together; without a tolerance it decides.
    survey = al.Survey([al.YesNo("a"), al.YesNo("b")])
    world = al.LinearEnvironment(
        survey,
        arms=["a", "b", "c", "d"],
        coefficients=np.zeros((4, 3)),
        reward=(0, 1),
        noise="two_point",
        spread=0.5,
    )
    for seed in range(20):
        policy = al.LinUCB(survey, arms=world.arms, reward=world.reward)
        fused, visiting = copy.deepcopy(policy), copy.deepcopy(policy)
        drops = np.zeros(policy.support.shape, dtype=np.int64)
        for block in first_respondents(world, seed, 0, 300):
            one = Fused(fused).play(block, 0, drops)
            other = Visiting(visiting).play(block, 0, drops)
            np.testing.assert_array_equal(one[0], other[0])


def figures(runs):
    return [
        (
            r.regret_at.tolist(),
            r.reward_at.tolist(),
            r.asked_at.tolist(),
            r.plays.tolist(),
            r.support.tolist(),
            r.drops,
        )
        for r in runs.runs
    ]


def test_same_seed_same_numbers_on_one_and_two_workers_and_twice():
    world = mixed_world()
    one = al.simulate(ridge(world), world, 2_000, runs=3, seed=4)
    assert figures(one) == figures(al.simulate(ridge(world), world, 2_000, runs=3, seed=4))
    two = al.simulate(ridge(world), world, 2_000, runs=3, seed=4, workers=2)
    assert figures(one) == figures(two)
    other = al.simulate(ridge(world), world, 2_000, runs=3, seed=5)
    assert figures(one) != figures(other)


def test_a_longer_run_begins_like_a_shorter_one():
    world = mixed_world()
    short = al.simulate(ridge(world), world, 1_500, seed=4, checkpoints=3).runs[0]
    long = al.simulate(ridge(world), world, 3_000, seed=4, checkpoints=6).runs[0]
    assert short.visits.tolist() == [500, 1_000, 1_500] == long.visits[:3].tolist()
    assert short.regret_at.tolist() == long.regret_at[:3].tolist()
    assert short.asked_at.tolist() == long.asked_at[:3].tolist()


def test_plays_and_widest_radii_at_checkpoints_are_those_of_a_loop_over_visits():
    # Checkpoints at 700 and 1,400 lie inside blocks of visits; a drop lets the radius fall.
    world = al.paper_environment(arms=3, features=5)
    policy = al.RidgeSurveyUCB(world.survey, arms=world.arms, reward=world.reward, beta_min=1)
    run = al.simulate(policy, world, 2_100, seed=3, checkpoints=3).runs[0]
    plays, widest, now = np.zeros(3, dtype=int), np.zeros(3), 0
    fell = False
    for block in first_respondents(world, 3, 0, 2_100):
        units = world.coefficients @ block.contexts.T
        for t, z in enumerate(block.contexts):
            arm = policy.play(z)
            before = policy.radius[arm]
            plays[arm] += 1
            widest[arm] = max(widest[arm], before)
            y = outcome(world.law.noise, world.reward.span, float(units[arm, t]), block.luck[t])
            policy.learn_row(arm, z, world.reward.from_units(y, raw=False))
            fell |= policy.radius[arm] < 0.95 * before
            now += 1
            if now % 700 == 0:
                np.testing.assert_array_equal(run.plays_at[now // 700 - 1], plays)
                np.testing.assert_allclose(run.widest_at[now // 700 - 1], widest, rtol=1e-9)
    assert now == 2_100
    assert fell


@pytest.mark.slow
def test_same_numbers_in_another_process():
    command = (
        "import askless as al, json\n"
        "w = al.paper_environment(arms=3, features=5)\n"
        "p = al.RidgeSurveyUCB(w.survey, arms=w.arms, reward=w.reward, beta_min=1)\n"
        "print(json.dumps(al.simulate(p, w, 3000, runs=2, seed=9).to_dict()['runs']))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", command], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1
    world = al.paper_environment(arms=3, features=5)
    policy = al.RidgeSurveyUCB(world.survey, arms=world.arms, reward=world.reward, beta_min=1)
    here = al.simulate(policy, world, 3000, runs=2, seed=9).to_dict()["runs"]
    assert json.loads(outputs.pop()) == here


def test_figures_add_up():
    world = mixed_world()
    runs = al.simulate(ridge(world), world, 3_000, runs=2, seed=1)
    for run in runs.runs:
        assert run.plays.sum() == 3_000
        assert (np.diff(run.regret_at) >= 0).all()
        assert (np.diff(run.asked_at) >= 0).all()
        assert {(d.arm, d.question) for d in run.drops} == {
            ("abc"[k], world.survey.names[g]) for k, g in np.argwhere(~run.support)
        }
        left = [q for g, q in enumerate(world.survey.names) if run.support[:, g].any()]
        assert list(run.questions_left) == left
        assert run.useful_dropped == int((world.useful & ~run.support).sum())
        assert [d.visit for d in run.drops] == sorted(d.visit for d in run.drops)
        assert all(0 < d.row < d.visit for d in run.drops)
    assert runs.regret == pytest.approx(np.mean([run.regret for run in runs.runs]))
    frame = runs.to_frame()
    assert list(frame.columns) == ["run", "visits", "regret", "reward", "asked", "cost"]
    assert len(frame) == sum(len(run.visits) for run in runs.runs)


def test_target_has_no_regret_and_uniform_a_known_one():
    world = al.paper_environment(arms=5, features=3)
    target = al.Target(
        world.survey, arms=world.arms, reward=world.reward, coefficients=world.coefficients
    )
    best = al.simulate(target, world, 2_000)
    assert best.regret == 0
    assert best.questions_per_visit == 2
    uniform = al.Uniform(world.survey, arms=world.arms, reward=world.reward)
    runs = al.simulate(uniform, world, 4_000)
    # E max(x1, x2, 1 - x1) = 19/24; a random arm brings (½ + ½ + ½)/5 = .3.
    mean, sd = 19 / 24 - 0.3, 0.5
    assert abs(runs.regret / 4_000 - mean) < 6 * sd / np.sqrt(4_000)
    assert runs.questions_per_visit == 3


def test_a_million_visits_need_no_more_memory_than_ten_thousand():
    world = al.paper_environment(arms=2, features=2)
    policy = al.LinUCB(world.survey, arms=world.arms, reward=world.reward)
    al.simulate(policy, world, 5_000)
    peaks = []
    for horizon in (10_000, 1_000_000):
        tracemalloc.start()
        al.simulate(policy, world, horizon)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_the_policy_and_a_retired_arm_are_left_as_they_are():
    world = mixed_world()
    policy = ridge(world)
    policy.retire_arm("b")
    before = policy.to_dict()
    run = al.simulate(policy, world, 200).runs[0]
    assert policy.to_dict() == before
    assert run.plays[1] == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"horizon": 0}, "horizon is 0"),
        ({"runs": 0}, "runs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0"),
        ({"checkpoints": 0}, "checkpoints is 0"),
        ({"horizon": 2.5}, "horizon is 2.5"),
    ],
)
def test_bad_sizes_are_refused(settings, message):
    world = mixed_world()
    with pytest.raises(SettingError, match=message):
        al.simulate(ridge(world), world, **({"horizon": 10} | settings))


def test_a_policy_of_another_study_is_refused():
    world = mixed_world()
    arms, survey, reward = world.arms, world.survey, world.reward
    for policy, message in (
        (al.Uniform(al.Survey.unit(2), arms=arms, reward=reward), "survey"),
        (al.Uniform(survey, arms=["a", "b"], reward=reward), "arms"),
        (al.Uniform(survey, arms=arms, reward=(0, 1)), "reward"),
    ):
        with pytest.raises(SettingError, match=message):
            al.simulate(policy, world, 10)


@pytest.mark.parametrize(
    ("package", "use"),
    [
        ("pandas", lambda runs, world: runs.to_frame()),
        ("matplotlib.figure", lambda runs, world: runs.plot()),
        ("joblib", lambda runs, world: al.simulate(ridge(world), world, 10, runs=2, workers=2)),
    ],
)
def test_a_missing_package_is_named_with_the_way_to_install_it(package, use, monkeypatch):
    world = mixed_world()
    runs = al.simulate(ridge(world), world, 10)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "askless.simulation.figures", raising=False)
    with pytest.raises(MissingExtraError, match=rf"{package}.*pip install 'askless\[cli\]'"):
        use(runs, world)


PAPER = {"radius": "published_sqrt", "sigma": 1, "alpha": 1, "delta": 0.1, "b2": 50**0.5}
OURS = {"radius": "valid", "sigma": 0.5, "alpha": 1, "delta": 0.1, "b2": 2}


@pytest.mark.parametrize(
    ("arms", "beta_min", "settings", "regret", "questions"),
    [
        (3, 0.3, PAPER, 381, 11.4),
        (5, 0.5, PAPER, 3_440, None),  # 13 questions a visit with sd 3 over runs: too wide here
        (5, 0.3, PAPER, 8_280, 45.9),
        (5, 0.0, PAPER, 4_190, 50),
        (3, 0.0, PAPER, 267, 50),
        (5, 1.5, PAPER, 26_900, None),
        (5, 0.0, OURS, 6_420, 50),
        (5, 0.3, OURS, 17_800, 50),
    ],
)
def test_the_paper_s_setting_gives_what_an_independent_implementation_found(
    arms, beta_min, settings, regret, questions
):
    # Means of other seeds by another program; both are means of a few runs, so 15% apart at most.
    coding = "raw" if settings is PAPER else "centred"
    world = al.paper_environment(arms=arms, coding=coding)
    policy = al.RidgeSurveyUCB(
        world.survey, arms=world.arms, reward=world.reward, beta_min=beta_min, **settings
    )
    runs = al.simulate(policy, world, 100_000, runs=3, seed=0)
    assert runs.regret == pytest.approx(regret, rel=0.15)
    if questions is not None:
        assert runs.questions_per_visit == pytest.approx(questions, rel=0.15)
    useful = [run.useful_dropped for run in runs.runs]
    assert all(useful) if beta_min == 1.5 else not any(useful)
    if (arms, beta_min) == (3, 0.3):
        assert [run.questions_left for run in runs.runs] == [("x1", "x2")] * 3


def test_the_published_radius_drops_nothing():
    world = al.paper_environment(arms=3, coding="raw")
    settings = PAPER | {"radius": "published"}
    policy = al.RidgeSurveyUCB(
        world.survey, arms=world.arms, reward=world.reward, beta_min=0.3, **settings
    )
    run = al.simulate(policy, world, 100_000, seed=0).runs[0]
    assert run.support.all()


def test_a_print_has_the_figures():
    """Fails if settings are printed in their place, one is of another, or sums are for means."""
    world = al.paper_environment(arms=3, features=6)
    made = {"survey": world.survey, "arms": world.arms, "reward": world.reward}
    policy = al.EpochSurveyUCB(**made, beta_min=1)
    runs = al.simulate(policy, world, 4_000, runs=2, seed=3)
    head, *lines = str(runs).splitlines()
    assert head == "epoch, mean of 2 runs of 4,000 visits"
    said = dict(re.split(r"  +", line, maxsplit=1) for line in lines)
    rewards = sum(run.reward for run in runs.runs) / 8_000
    asked = sum(run.asked for run in runs.runs) / 8_000
    regret = sum(run.regret for run in runs.runs) / 2
    drops = [drop for run in runs.runs for drop in run.drops]
    assert drops
    assert float(said["reward a visit"]) == pytest.approx(rewards, rel=1e-3)
    assert float(said["questions a visit"]) == pytest.approx(asked, abs=0.005)
    assert float(said["regret"].replace(",", "")) == pytest.approx(regret, abs=0.05)
    pairs, useful = re.fullmatch(
        r"(\S+) \(arm, question\) pairs; useful ones (\S+)", said["drops"]
    ).groups()
    assert float(pairs) == pytest.approx(len(drops) / 2, rel=1e-2)
    assert float(useful) == sum(drop.useful for drop in drops) / 2


def test_a_print_says_what_nobody_knows():
    """Fails if a regret is shown that is none, or drops are judged that cannot be."""
    survey = al.Survey([al.YesNo("donor")])
    world = al.TableEnvironment(
        survey, arms=["a", "b"], reward=(0, 1), answers=[{"donor": True}], rewards=[[1, 0]]
    )
    policy = al.Uniform(survey, arms=["a", "b"], reward=(0, 1))
    text = str(al.simulate(policy, world, 10))
    assert text.splitlines()[0] == "uniform, 1 run of 10 visits"
    assert "regret             not known" in text
    assert "useful" not in text
