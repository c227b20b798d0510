"""Policies beside each other: each as if it were alone, in a table that keeps its numbers whole."""

import re
from dataclasses import replace

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from own_policies import played_in_turn, rotates

WORLD = al.paper_environment(arms=3, features=4)
MADE = {"arms": WORLD.arms, "reward": WORLD.reward}


@pytest.fixture(scope="module")
def found():
    return al.compare(
        {
            "all of it": "linucb",
            "ours": {"name": "survey-bandit", "beta_min": 0.8},
            "mine": al.RidgeSurveyUCB(WORLD.survey, beta_min=1.5, sigma=0.1, **MADE),
        },
        WORLD,
        3_000,
        runs=2,
        seed=4,
    )


def test_each_policy_plays_as_if_it_were_alone(found):
    policies = {
        "all of it": al.LinUCB(WORLD.survey, **MADE),
        "ours": al.SurveyBandit(WORLD.survey, beta_min=0.8, **MADE),
        "mine": al.RidgeSurveyUCB(WORLD.survey, beta_min=1.5, sigma=0.1, **MADE),
    }
    assert list(found.runs) == list(policies)
    for label, policy in policies.items():
        alone = al.simulate(policy, WORLD, 3_000, runs=2, seed=4)
        assert found.runs[label].to_dict()["runs"] == alone.to_dict()["runs"]
        assert found.runs[label].policy == policy.name


def test_the_frame_has_the_means_at_powers_of_ten_and_at_the_horizon(found):
    """Compared with runs that end there; fails if another checkpoint or another mean is taken."""
    frame = found.to_frame().set_index(["curve", "visits"])
    assert list(frame.index.get_level_values("visits")) == [1_000, 3_000] * 3
    for label, kind, settings in (
        ("all of it", al.LinUCB, {}),
        ("ours", al.SurveyBandit, {"beta_min": 0.8}),
        ("mine", al.RidgeSurveyUCB, {"beta_min": 1.5, "sigma": 0.1}),
    ):
        for visits in (1_000, 3_000):
            policy = kind(WORLD.survey, **MADE, **settings)
            ended = al.simulate(policy, WORLD, visits, runs=2, seed=4)
            row = frame.loc[label, visits]
            assert row["regret"] == pytest.approx(ended.regret, rel=1e-12)
            assert row["questions"] == pytest.approx(ended.questions_per_visit, rel=1e-12)
            assert row["useful_dropped"] == sum(run.useful_dropped for run in ended.runs)
    assert frame.loc["mine", 3_000]["useful_dropped"] > 0


def test_the_table_says_all_and_who_lost_useful_questions(found):
    *table, lost = str(found).splitlines()
    assert " ".join(table[0].split()) == "mean of 2 runs, up to visits 1,000 3,000"
    for label, runs in found.runs.items():
        (at,) = [i for i, line in enumerate(table) if line.startswith(label)]
        assert table[at].endswith(f"  {runs.regret:,.0f}")
        assert [table[at + i].split()[0] for i in (1, 2)] == ["reward", "questions"]
        assert table[at + 1].endswith(f"  {runs.reward_per_visit:.2f}")
        assert table[at + 2].endswith(f"  {runs.questions_per_visit:.1f}")
    dropped = sum(run.useful_dropped for run in found.runs["mine"].runs)
    assert lost == f"Useful questions were dropped by: mine ({dropped})."


def test_a_table_of_many_horizons_and_long_labels_keeps_its_numbers_whole():
    runs = al.compare(["linucb"], WORLD, 100, checkpoints=9).runs["linucb"]
    far = np.array([10**e for e in range(3, 12)])
    runs = replace(runs, horizon=10**11, runs=(replace(runs.runs[0], visits=far),))
    found = al.Comparison({"a policy with a very long name, and more of it": runs, "b": runs})
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0].endswith("  10,000,000,000  100,000,000,000")
    assert len({len(line) for line in lines[:-1]}) == 1
    regret = runs.to_frame()["regret"].map("{:,.1f}".format)
    assert re.fullmatch(r"a policy with [^…]*…  regret +([\d,.]+ *)+", lines[1])
    assert lines[1].split()[-2:] == list(regret[-2:])


def test_labels_are_names_and_the_settings_that_tell_policies_apart():
    ridge = {"name": "ridge", "beta_min": 0.5}
    given = [
        "linucb",
        ridge,
        ridge | {"beta_min": 0.7},
        ridge | {"beta_min": 0.7, "delta": 0.2},
        "askless:Uniform",
        al.Uniform(WORLD.survey, **MADE),
        "target",
    ]
    assert list(al.compare(given, WORLD, 5).runs) == [
        "linucb",
        "ridge, beta_min 0.5",
        "ridge, beta_min 0.7",
        "ridge, beta_min 0.7, delta 0.2",
        "uniform",
        "uniform (2)",
        "target",
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_policies_of_one_s_own_take_part_on_any_number_of_processes(catalogue, workers):
    """Fails if other processes would have to know the class."""
    al.register(rotates())
    played = []
    given = {"one": "rotates", "two": {"name": "rotates", "step": 2}, "three": rotates("x")}
    given["three"] = given["three"](WORLD.survey, **MADE)
    found = al.compare(given, WORLD, 31, runs=2, workers=workers, progress=played.append)
    assert sum(played) == 3 * 2 * 31
    for label, step in (("one", 1), ("two", 2), ("three", 1)):
        for run in found.runs[label].runs:
            assert run.plays.tolist() == played_in_turn(WORLD, 31, step)


def test_a_figure_is_drawn_also_of_policies_without_regret_or_questions(found, tmp_path):
    """A logarithm of nothing would be a warning, which is an error here."""
    for comparison, scale in (
        (found, "log"),
        (al.compare(["target", "oful"], WORLD, 60), "linear"),
    ):
        figure = comparison.plot("beside each other")
        assert [axes.get_yscale() for axes in figure.axes] == [scale] * 2
        figure.savefig(tmp_path / "figure.png")


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        ([], "no policies to compare"),
        ({}, "no policies to compare"),
        ("ridge", "policies is 'ridge'; give a list, or labels and policies"),
        (7, "policies is 7; give a list"),
        ([al.Study.example()], "policy is a study; give al.policy_for"),
        ([7], "policy is 7; give a policy, the name of one, or a mapping"),
        ([{"beta_min": 1}], "policy is {'beta_min': 1}"),
        (["ridge"], "policy 'ridge' needs the setting 'beta_min'"),
        (["magic"], "there is no policy 'magic'"),
        ({"": "linucb"}, "empty name"),
        ([al.Uniform(al.Survey.unit(1), arms=["a"], reward=(0, 1))], "survey is not the"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_any_work(policies, message):
    played = []
    with pytest.raises(SettingError, match=message):
        al.compare(policies, WORLD, 100, progress=played.append)
    assert played == []
