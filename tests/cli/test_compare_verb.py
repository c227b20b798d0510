"""`askless compare`: one table and one figure, of the policies that were asked for."""

import json

import pytest

import askless as al
from command_line import askless, check_refused

pytestmark = pytest.mark.slow  # comparisons


def test_the_comparison_has_a_table_and_a_figure(tmp_path):
    options = ("--horizon", 1200, "--runs", 1, "--arms", 3, "--features", 4, "--beta-min", 0.8)
    done = askless("compare", *options, "--json", cwd=tmp_path)
    assert done.returncode == 0
    rows = json.loads(done.stdout)
    curves = {row["curve"] for row in rows}
    assert len(rows) == 2 * len(curves) == 18  # at 1,000 visits and at the horizon
    for ending in ("png", "svg", "csv"):
        assert (tmp_path / "askless-compare" / f"comparison.{ending}").stat().st_size > 500
    world = al.paper_environment(arms=3, features=4)
    policy = al.EpochSurveyUCB(
        world.survey, arms=world.arms, reward=world.reward, beta_min=0.8, delta=0.1
    )
    expected = al.simulate(policy, world, 1_200, runs=1)
    (found,) = [row for row in rows if row["curve"] == "Epoch" and row["visits"] == 1_200]
    assert found["regret"] == expected.regret
    assert found["questions"] == expected.questions_per_visit
    table = askless("compare", *options, cwd=tmp_path).stdout
    assert all(curve in table for curve in curves)
    assert "* no guarantee" in table


def test_the_policies_of_a_comparison_can_be_chosen(tmp_path):
    options = ("--horizon", 1200, "--runs", 1, "--arms", 3, "--features", 4, "--beta-min", 0.8)
    chosen = [part for name in ("survey-bandit", "uniform") for part in ("--policy", name)]
    rows = json.loads(askless("compare", *chosen, *options, "--json", cwd=tmp_path).stdout)
    assert [row["curve"] for row in rows] == ["survey-bandit"] * 2 + ["uniform"] * 2
    world = al.paper_environment(arms=3, features=4)
    made = {"arms": world.arms, "reward": world.reward}
    ours = al.SurveyBandit(world.survey, beta_min=0.8, delta=0.1, **made)
    for row, policy in zip(rows[1::2], (ours, al.Uniform(world.survey, **made)), strict=True):
        assert row["regret"] == al.simulate(policy, world, 1_200).regret
    shown = askless("compare", *chosen, *options, cwd=tmp_path).stdout
    assert "guarantee" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "--policy", "magic"), "no policy 'magic'"),
        (("compare", "--beta-min", "9"), "beta_min is 9"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, tmp_path):
    check_refused(askless(*arguments, cwd=tmp_path), message)
