"""The command line as people and machines use it: exit codes, clean stdout, files."""

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

import askless as al
from askless.cli.app import run
from askless.survey.study import EXAMPLE
from own_policies import TEXT, played_in_turn


def askless(*arguments, cwd=None):
    """Run the command line within this process: starting another one takes a second or two."""
    said, complained, path = io.StringIO(), io.StringIO(), list(sys.path)
    with (
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.object(sys, "argv", ["askless", *map(str, arguments)]),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
    ):
        try:
            code = run()
        finally:
            sys.path[:] = path
    return subprocess.CompletedProcess(arguments, code, said.getvalue(), complained.getvalue())


def askless_anew(*arguments, cwd=None):
    """Run it as a person does, in a process of its own."""
    command = [sys.executable, "-m", "askless", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


SMALL = ("--arms", 3, "--features", 5, "--horizon", 3_000, "--runs", 2, "--seed", 9)


def test_simulate_json_is_what_the_library_says():
    done = askless("simulate", "--policy", "ridge", "--beta-min", 1, *SMALL, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert list(found) == ["policy", "settings", "horizon", "seconds", "runs", "mean"]
    assert set(found["runs"][0]) == {
        "seed",
        "run",
        "regret",
        "reward",
        "questions_per_visit",
        "cost_per_visit",
        "questions_left",
        "useful_dropped",
        "other_arms",
        "plays",
    }
    world = al.paper_environment(arms=3, features=5)
    policy = al.RidgeSurveyUCB(world.survey, arms=world.arms, reward=world.reward, beta_min=1)
    expected = al.simulate(policy, world, 3_000, runs=2, seed=9).to_dict()
    assert found["runs"] == expected["runs"]
    assert found["mean"] == expected["mean"]
    assert found["settings"]["alpha"] == 5
    assert found["seconds"] > 0


def test_every_setting_reaches_the_policy():
    settings = {"sigma": 0.7, "alpha": 2.0, "delta": 0.2, "b1": 3.0, "b2": 4.0, "beta-min": 0.4}
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    options += ["--policy", "ridge", "--radius", "published", "--raw"]
    found = json.loads(askless("simulate", *options, *SMALL, "--json").stdout)["settings"]
    for name, value in settings.items():
        assert found[name.replace("-", "_")] == value
    assert (found["radius"], found["coding"]) == ("published", "raw")


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_an_interactive_simulation_says_that_no_arm_differs(grain):
    options = ("--policy", "epoch", "--beta-min", 0.5, "--sigma", 0.1, "--alpha", 0.1, *SMALL)
    asks = ("--interactive", "certified", "--grain", grain)
    found = json.loads(askless("simulate", *options, *asks, "--json").stdout)
    full = json.loads(askless("simulate", *options, "--json").stdout)
    assert found["settings"]["interactive"] == "certified"
    assert found["settings"]["grain"] == grain
    assert [run["other_arms"] for run in found["runs"]] == [0, 0]
    assert found["mean"]["regret"] == pytest.approx(full["mean"]["regret"], rel=1e-9)
    assert found["mean"]["questions_per_visit"] <= full["mean"]["questions_per_visit"]
    assert "other arm" in askless("simulate", *options, *asks).stdout


@pytest.mark.parametrize("policy", ["linucb", "oful", "target", "uniform"])
def test_every_policy_runs_and_prints_a_table(policy):
    done = askless("simulate", "--policy", policy, *SMALL)
    assert done.returncode == 0
    assert "questions a visit" in done.stdout
    assert "mean" in done.stdout
    assert "visits a second" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("simulate",), "survey-bandit needs --beta-min"),
        (("simulate", "--policy", "epoch"), "epoch needs --beta-min"),
        (("simulate", "--beta-min", "x"), "--beta-min"),
        (("simulate", "--beta-min", "-1"), "beta_min is -1"),
        (("simulate", "--beta-min", "3"), "beta_min is 3"),
        (("simulate", "--beta-min", ".3", "--delta", "2"), "delta is 2"),
        (("simulate", "--beta-min", ".3", "--horizon", "0"), "horizon is 0"),
        (("simulate", "--beta-min", ".3", "--arms", "0"), "arms is 0"),
        (("simulate", "--beta-min", ".3", "--radius", "wide"), "radius is 'wide'"),
        (("simulate", "--policy", "magic"), "no policy 'magic'"),
        (("simulate", "--policy", "uniform", "--sigma", "1"), "--sigma"),
        (
            ("simulate", "--beta-min", ".3", "--interactive", "yes"),
            "--interactive is 'yes'; choose True, False or 'certified' or 'paper_heuristic'",
        ),
        (
            ("simulate", "--policy", "epoch", "--beta-min", ".3", "--grain", "question"),
            "grain is a setting of",
        ),
        (("simulate", "--policy", "nowhere:Mine"), "'nowhere' cannot be imported"),
        (("simulate", "--policy", "askless:Mine"), "has no class 'Mine'; its policies are"),
        (("simulate", "--policy", "askless:Survey"), "no subclass of askless.Policy"),
        (("simulate", "--policy", "uniform", "--setting", "sede=1"), "did you mean 'seed'"),
        (("simulate", "--policy", "uniform", "--setting", "seed"), "as in rate=0.5"),
        (("simulate", "--policy", "uniform", "--setting", "seed=[1]"), "give a number, a text"),
        (
            ("simulate", "--policy", "uniform", "--setting", "seed=1", "--setting", "seed=2"),
            "seed is there twice",
        ),
        (
            ("simulate", "--beta-min", ".3", "--setting", "beta_min=1"),
            "--setting beta_min: --beta-min is given too; leave one out",
        ),
        (("simulate", "--policy", "pilot-then-screen"), "pilot-then-screen needs --planned"),
        (("simulate", "--policy", "tsrc", "--questions", "many"), "--questions is 'many'; give a"),
        (
            ("simulate", "--beta-min", ".3", "--payback", "maybe"),
            "--payback is 'maybe'; give True or False",
        ),
        (("compare", "--policy", "magic"), "no policy 'magic'"),
        (
            ("simulate", "--beta-min", ".3", "--interactive", "certified", "--grain", "word"),
            "--grain is 'word'; choose 'arm' or 'question'",
        ),
        (("simulate", "--policy", "uniform", "--interactive", "certified"), "--interactive"),
        (("simulate", "--frobnicate"), "--frobnicate"),
        (("paper", "--runs", "0"), "runs is 0"),
        (("paper", "--out", "/dev/null/x"), "not a directory"),
        (("simulate", "--beta-min", "1", "--seed", str(2**64)), "seed is"),
        (("simulate", "--beta-min", "1", "--horizon", "1" + "0" * 23), "horizon is"),
        (("simulate", "--beta-min", "1", "--features", "10000000"), "features is"),
        (("simulate", "--policy", "linucb", "--lam", "2"), "--lam is not a setting"),
        (("simulate", "--policy", "ridge", "--growth", "2", "--beta-min", "1"), "--growth is not"),
        (
            ("simulate", "--beta-min", "1", "--growth", "0.5"),
            "growth is 0.5; give a number above 1",
        ),
        (("simulate", "--beta-min", "1", "--delay", "random"), "as in random:100"),
        (("simulate", "--beta-min", "1", "--delay", "snail:3"), "shape is 'snail'; choose fixed"),
        (("simulate", "--beta-min", "1", "--delay", "fixed:-3"), "visits of a delay is -3"),
        (("simulate", "--beta-min", "1", "--order", "arrival"), "give --delay too"),
        (("simulate", "--beta-min", "1", "--lost", "0.5"), "give a deadline"),
        (("compare", "--beta-min", "9"), "beta_min is 9"),
        (("simulate", "--policy", "elastic-net"), "elastic-net needs --beta-min"),
        (("check", "nothing.yaml"), "nothing.yaml"),
        (("check",), "study"),
        (("frobnicate",), "frobnicate"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, tmp_path):
    done = askless(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("askless: ")
    assert message.lower() in lines[0].lower()


def test_without_a_verb_the_verbs_are_shown():
    done = askless_anew()
    assert done.returncode == 2
    for verb in ("simulate", "paper", "init", "check"):
        assert verb in done.stdout


def test_init_then_check(tmp_path):
    assert askless_anew("init", cwd=tmp_path).returncode == 0
    done = askless_anew("check", "study.yaml", cwd=tmp_path)
    assert done.returncode == 0
    assert "in order" in done.stdout
    found = json.loads(askless("check", "study.yaml", "--json", cwd=tmp_path).stdout)
    assert found["questions"] == list(al.Study.example().survey.names)
    assert found["settings"]["beta_min"] == 20
    again = askless("init", cwd=tmp_path)
    assert again.returncode == 2
    assert "there already" in again.stderr
    assert "cannot write" in askless("init", "no/such/folder.yaml", cwd=tmp_path).stderr


def test_check_says_how_long_a_reward_may_take_and_by_which_policy(tmp_path):
    study, text = tmp_path / "study.yaml", EXAMPLE.read_text()
    study.write_text(text)
    found = json.loads(askless("check", study, "--json").stdout)
    assert (found["policy"], found["window"], found["silence"]) == ("survey-bandit", None, None)
    assert "window" not in askless("check", study).stdout
    text = text.replace("# window: 14", "window: 14")
    study.write_text(text)
    assert "14 days, then not learned" in askless("check", study).stdout
    study.write_text(text.replace("# silence: 0", "silence: 0"))
    found = json.loads(askless("check", study, "--json").stdout)
    assert (found["window"], found["silence"]) == ("14 days", 0)
    shown = askless("check", study).stdout
    assert "14 days, then taken to be 0" in shown
    assert "survey-bandit" in shown


def test_a_policy_of_one_s_own_is_taken_from_the_folder_by_every_verb(tmp_path):
    """As with an installed command, which does not look into the folder by itself (-P)."""
    (tmp_path / "turns.py").write_text(TEXT)

    def run(*arguments):
        command = [sys.executable, "-P", "-m", "askless", *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    few = ("--arms", 3, "--features", 2, "--horizon", 40, "--runs", 2)
    own = ("--policy", "turns:Rotates")
    found = json.loads(run("simulate", *own, "--setting", "step=2", *few, "--json"))
    world = al.paper_environment(arms=3, features=2)
    assert found["policy"] == "rotates"
    assert found["settings"]["step"] == 2
    assert [r["plays"] for r in found["runs"]] == [played_in_turn(world, 40, 2)] * 2
    rows = json.loads(run("compare", *own, "--policy", "ridge", *few, "--workers", 2, "--json"))
    assert [row["curve"] for row in rows] == ["rotates", "ridge"]
    (tmp_path / "sweep.yaml").write_text(
        "{horizon: 40, policies: [{name: 'turns:Rotates', step: [1, 2]}],"
        " environments: [{name: paper, arms: 3, features: 2}]}"
    )
    run("sweep", "sweep.yaml", "--workers", 2)
    lines = (tmp_path / "sweep.jsonl").read_text().splitlines()[1:]
    assert [json.loads(line)["plays"] for line in lines] == [
        played_in_turn(world, 40, step) for step in (1, 2)
    ]
    text = EXAMPLE.read_text().replace("  beta_min: 20 #", "  name: turns:Rotates\n  step: 2 #")
    (tmp_path / "study.yaml").write_text(
        text.replace("  delta: 0.05", "  # ").replace("  interactive: true", "  # ")
    )
    assert "turns:Rotates" in run("check", "study.yaml")


def test_the_settings_of_a_policy_are_read_as_yaml_reads_them():
    done = askless("simulate", "--policy", "uniform", "--setting", "seed=5", *SMALL, "--json")
    world = al.paper_environment(arms=3, features=5)
    policy = al.Uniform(world.survey, arms=world.arms, reward=world.reward, seed=5)
    expected = al.simulate(policy, world, 3_000, runs=2, seed=9).to_dict()
    assert json.loads(done.stdout)["runs"] == expected["runs"]
    skips = ("--beta-min", 0.5, "--setting", "judge_skips=false", *SMALL, "--json")
    assert json.loads(askless("simulate", *skips).stdout)["settings"]["judge_skips"] is False


def test_check_shows_what_has_a_say(tmp_path):
    """Fails if the share of full visits is shown where all are full, or is not where some are."""
    text = EXAMPLE.read_text()
    for price, shown in (("1", True), ("0", False)):
        changed = text.replace("beta_min: 20", f"beta_min: 20\n  price: {price}")
        (tmp_path / "study.yaml").write_text(changed)
        said = askless("check", "study.yaml", cwd=tmp_path).stdout
        assert ("full_floor" in said) is shown
        assert "explore_floor" in said


def test_check_says_what_is_wrong_and_where(tmp_path):
    study = tmp_path / "study.yaml"
    askless("init", study)
    text = study.read_text()
    study.write_text(text.replace("beta_min: 20", "betamin: 20"))
    done = askless("check", study)
    assert done.returncode == 2
    line = 1 + text[: text.index("beta_min: 20")].count("\n")
    assert f"line {line}, policy.betamin: unknown key 'betamin'" in done.stderr


def test_the_settings_of_epochs_and_late_rewards_reach_the_simulation():
    options = ("--beta-min", 0.5, "--growth", 1.7, "--explore", 0.25, *SMALL)
    late = ("--delay", "heavy_tailed:5", "--lost", 0.1, "--deadline", 40, "--silence", 0.5)
    found = json.loads(askless("simulate", *options, *late, "--json").stdout)
    settings = found["settings"]
    assert found["policy"] == "survey-bandit"
    assert (settings["growth"], settings["explore"]) == (1.7, 0.25)
    assert settings["delay"] == {
        "visits": 5.0,
        "shape": "heavy_tailed",
        "lost": 0.1,
        "deadline": 40,
        "silence": 0.5,
        "order": "decision",
    }


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


def test_the_paper_prints_json_and_writes_a_report(tmp_path):
    done = askless("paper", "--horizon", 300, "--runs", 2, "--workers", 1, "--json", cwd=tmp_path)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert list(found["figures"]) == [
        "ridge-arms3-betamin0.3",
        "ridge-arms5-betamin0.3",
        "ridge-arms5-betamin0.5",
        "net-arms5-betamin0.7",
        "net-arms5-betamin1.5",
    ]
    for curves in found["figures"].values():
        ridge = curves["Ridge SurveyUCB"]
        assert ridge["settings"]["radius"] == "published_sqrt"
        assert [run["run"] for run in ridge["runs"]] == [0, 1]
        assert ridge["bound"] > ridge["mean"]["regret"]
        assert ridge["slopes"]["theorem"] == 0.5
        assert curves["Epoch SurveyUCB, interactive"]["bound"] is None
    assert [claim["number"] for claim in found["claims"]] == [1, 2, 3, 4, 5, 6, 7]
    assert {claim["verdict"] for claim in found["claims"]} == {"not judged at this length"}
    assert (tmp_path / "askless-paper" / "report.html").stat().st_size > 100_000
    assert "report.html" in done.stderr


def test_the_paper_s_tables_fit_a_terminal_and_say_what_is_not_guaranteed(tmp_path):
    """With one visit, nothing has a slope and most regrets are zero."""
    one = ("--horizon", 1, "--runs", 1, "--workers", 1)
    done = askless("paper", *one, "--out", "here", cwd=tmp_path)
    assert done.returncode == 0
    *table, where = done.stdout.splitlines()
    assert max(map(len, table)) <= 80
    assert "here/report.html" in where
    text = " ".join(done.stdout.split())
    assert "no guarantee" in text
    assert "1 run of 1 visit" in text
    assert "verdicts from fewer or shorter runs may differ" in text
    for beginning in ("With beta-min true", "Ridge does badly", "A less conservative"):
        assert beginning in text


def test_the_paper_makes_no_folder_for_what_cannot_be(tmp_path):
    done = askless("paper", "--workers", 0, cwd=tmp_path)
    assert done.returncode == 2
    assert "workers is 0; give a whole number" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_paper_does_not_take_a_file_for_a_folder(tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = askless("paper", "--out", "taken", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "taken is a file; name a folder with --out" in done.stderr
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    (folder / "study.yaml").write_text(EXAMPLE.read_text())
    few = ("--respondents", "200,600", "--worlds", 20, "--workers", 1)
    return folder, askless("plan", "study.yaml", *few, cwd=folder)


def test_a_plan_is_a_table_advice_and_a_report_that_needs_nothing_else(planned):
    folder, done = planned
    assert done.returncode == 0, done.stderr
    *lines, where = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "askless-plan/report.html" in where
    # The verdict comes first; no number is broken.
    first = " ".join(" ".join(lines).split())
    expected = al.plan(al.Study.example(), respondents=[200, 600], worlds=20, workers=1)
    assert first.startswith(expected.advice()[0])
    for way in expected.ways:
        assert sum(line.strip().startswith(way.label) for line in lines) == 2
    forecast = expected.forecast("price 0.2", 600)
    assert f"{forecast.reward.low:.1f}…{forecast.reward.high:.1f}" in done.stdout
    page = (folder / "askless-plan" / "report.html").read_text()
    assert "Plan of the study charity" in page
    assert "askless plan study.yaml --respondents 200,600" in page
    # Self-contained: nothing is fetched from anywhere.
    assert set(re.findall(r'(?:src|srcset|href)="([a-z]+):', page)) == {"data"}
    assert not re.findall(r"https?://(?!www\.w3\.org)", re.sub(r"data:[^\"]*", "", page))
    files = {path.name for path in (folder / "askless-plan").iterdir()}
    assert files == {
        *("report.html", "plan.json"),
        *(f"{name}.{end}" for name in ("course", "pareto") for end in ("png", "svg")),
    }


def test_the_widest_table_of_a_plan_fits_into_80_columns(tmp_path):
    """With costs and with people who give up; fails if a heading or a number is cut."""
    text = EXAMPLE.read_text().replace("name: age,", "name: age, cost: 1.5,")
    (tmp_path / "study.yaml").write_text(text.replace("plan: #", "plan:\n  dropout: 0.02 #"))
    few = ("--respondents", "200", "--worlds", 20, "--workers", 1)
    done = askless("plan", "study.yaml", *few, cwd=tmp_path)
    lines = done.stdout.splitlines()[:-1]
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)
    headings = next(" ".join(line.split()) for line in lines if "complete" in line)
    assert headings == "a visit a visit complete a visit a person one arm loses"
    row = next(line for line in lines if line.strip().startswith("pilot of 10%"))
    assert len(re.findall(r"-?\d[\d.]*%?", row.replace("pilot of 10%", ""))) == 7


def test_a_plan_s_json_is_what_the_library_says(planned, tmp_path):
    folder, _ = planned
    few = ("--respondents", "200,600", "--worlds", 20, "--workers", 1, "--json")
    done = askless("plan", folder / "study.yaml", *few, cwd=tmp_path)
    found = json.loads(done.stdout)
    expected = al.plan(al.Study.example(), respondents=[200, 600], worlds=20, workers=1).to_dict()
    assert found == json.loads(json.dumps(expected))
    assert len(found["forecasts"]) == 2 * 7
    assert found["verdict"]["respondents"] == 600
    written = json.loads((tmp_path / "askless-plan" / "plan.json").read_text())
    assert written["forecasts"] == found["forecasts"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--respondents", "many"), "--respondents is 'many'"),
        (("--respondents", "0"), "respondents is 0"),
        (("--price", "x"), "--price is 'x'"),
        (("--price", "0"), "above 0"),
        (("--worlds", "3"), "worlds is 3"),
        (("--pilot", "none.csv"), "none.csv"),
        (("--engine", "moon"), "engine"),
        (("--out", "study.yaml"), "is a file"),
    ],
)
def test_a_plan_of_what_cannot_be_planned_is_refused_in_one_line(planned, options, complaint):
    folder, _ = planned
    before = (folder / "study.yaml").read_text()
    done = askless("plan", "study.yaml", *options, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert (folder / "study.yaml").read_text() == before


def test_a_study_s_name_is_printed_as_it_is(tmp_path):
    text = EXAMPLE.read_text().replace("name: charity", 'name: "[/red] [bold]x"', 1)
    (tmp_path / "study.yaml").write_text(text)
    few = ("--respondents", 30, "--worlds", 20, "--workers", 1, "--out", "o[red]ut")
    done = askless("plan", "study.yaml", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "[/red] [bold]x: 20 plausible worlds" in done.stdout
    assert "o[red]ut/report.html" in done.stdout
    assert (tmp_path / "o[red]ut" / "report.html").exists()


def test_check_looks_at_the_section_plan_too(tmp_path):
    text = EXAMPLE.read_text().replace("useful: [1, 3]", "useful: 99")
    (tmp_path / "study.yaml").write_text(text)
    done = askless("check", "study.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "plan.useful: useful is 99 to 99" in done.stderr


def test_check_shows_the_questions_and_says_what_makes_no_sense_together(tmp_path):
    text = EXAMPLE.read_text().replace("effect: [20, 50]", "effect: [5, 50]")
    assert text != EXAMPLE.read_text()
    (tmp_path / "study.yaml").write_text(text)
    done = askless("check", "study.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "may be skipped" in done.stdout
    assert "Mind: plan.effect begins at 5, below beta_min (20)" in done.stdout
    found = json.loads(askless("check", "study.yaml", "--json", cwd=tmp_path).stdout)
    assert [row["name"] for row in found["asked"]] == found["questions"]
    assert len(found["doubts"]) == 1


def test_tables_are_listed():
    found = json.loads(askless("tables", "--json").stdout)
    assert found == json.loads(json.dumps([table.to_dict() for table in al.TABLES.values()]))
    shown = askless("tables")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.strip().startswith("16 tables")
    for name, table in al.TABLES.items():
        low, high = table.reward
        numbers = f"{table.people:,} {table.questions} {len(table.arms)} {low:,} to {high:,}"
        (row,) = [row for row in shown.stdout.splitlines() if row.startswith(f" {name} ")]
        assert " ".join(row.split()).endswith(numbers)


def test_listing_tables_needs_no_data():
    code = "import sys; sys.modules.update(dict.fromkeys(['statsmodels', 'causaldata', 'sklearn']))"
    code += "; sys.argv = ['askless', 'tables']; from askless.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "anes96-vote" in done.stdout


def test_check_says_nothing_beside_what_it_found(tmp_path):
    """What it says follows from the settings alone."""
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    done = askless_anew("check", "study.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


OF_PEOPLE = (
    "schema: 1\nquestions: [{kind: yes_no, name: donor}]\narms: [{name: mail}, {name: call}]\n"
    "reward: {low: 0, high: 10}\npolicy: {beta_min: 1}\n"
)


def test_policies_are_compared_on_tables_families_and_files(tmp_path):
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    (tmp_path / "people.csv").write_text("donor,mail,call\nyes,8,2\nno,3,5\n")
    chosen = ("--tables", "wine,drift,people.csv", "--study", "study.yaml", "--sizes", "40,80")
    few = (*chosen, "--policy", "survey-bandit", "--policy", "lints", "--runs", 2, "--out", "out")
    done = askless("compare", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    *lines, where = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert where.startswith("The report is out/report.html")
    assert lines[0].startswith("SurveyBandit nets most in")
    assert "80 people, means over 3 worlds" in done.stdout
    found = json.loads(askless("compare", *few, "--json", cwd=tmp_path).stdout)
    assert len(found["summary"]) == 2 * 3
    data = json.loads((tmp_path / "out" / "contest.json").read_text())
    assert {row["world"] for row in data["rows"]} == {"wine", "drift", "people"}
    assert "--policy lints --runs 2 --seed 0" in data["command"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--tables", "wnie"), "there is no table 'wnie'; did you mean 'wine'?"),
        (("--tables", "people.csv"), "people.csv: say with --study what its columns mean"),
        (("--tables", "wine", "--sizes", "many"), "--sizes is 'many'"),
        (("--tables", "wine", "--price", "3"), "price is 3; give a number from 0 to 1"),
        (("--tables", "wine", "--policy", "nobody"), "there is no policy 'nobody'"),
        (("--tables", "wine", "--runs", "0"), "runs is 0"),
        (("--tables", "wine", "--horizon", "9"), "--horizon says nothing with --tables"),
        (("--sizes", "9"), "--sizes says nothing without --tables"),
        (("--tables", "wine,wine.csv", "--study", "study.yaml"), "another table is called 'wine'"),
    ],
)
def test_a_comparison_on_tables_that_cannot_be_is_refused_in_one_line(options, complaint, tmp_path):
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    done = askless("compare", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """A study, a log of it whose arms were drawn evenly, and a policy that has learned."""
    folder = tmp_path_factory.mktemp("logged")
    (folder / "study.yaml").write_text(OF_PEOPLE)
    study = al.Study.read(folder / "study.yaml")
    world = al.LinearEnvironment(
        study.survey,
        arms=[arm.name for arm in study.arms],
        coefficients={"mail": {"donor": 4.0}},
        reward=(0, 10),
        spread=2,
    )
    drawn = al.record_visits("uniform", world, horizon=600)
    al.write_visits(folder / "log.csv", drawn.visits, study)
    al.record_visits("linucb", world, horizon=600, run=1).policy.save(folder / "saved.json")
    return folder


def test_a_policy_is_replayed_on_a_log(logged):
    done = askless("replay", "study.yaml", "log.csv", cwd=logged)
    assert done.returncode == 0, done.stderr
    assert "of 600 rows (those in which it played the arm logged)" in " ".join(done.stdout.split())
    found = json.loads(askless("replay", "study.yaml", "log.csv", "--json", cwd=logged).stdout)
    assert 220 < found["counted"] < 380
    assert found["value"] > found["logged"]


def test_a_saved_policy_is_judged_on_a_log(logged):
    given = ("replay", "study.yaml", "log.csv", "--state", "saved.json")
    done = askless(*given, cwd=logged)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for name in ("IPS", "self-normalised", "doubly robust", "effective sample size"):
        assert name in " ".join(done.stdout.split())
    found = json.loads(askless(*given, "--clip", "1.5", "--json", cwd=logged).stdout)
    assert found["clipped"] > 0
    assert found["counted"] == found["rows"] == 600


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--clip", "2"), "--clip says nothing without --state"),
        (("--state", "study.yaml"), "study.yaml"),
        (("--state", "saved.json", "--clip", "-1"), "clip is -1"),
    ],
)
def test_a_replay_that_cannot_be_is_refused_in_one_line(logged, options, complaint):
    done = askless("replay", "study.yaml", "log.csv", *options, cwd=logged)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
