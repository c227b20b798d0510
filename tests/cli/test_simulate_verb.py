"""`askless simulate`: the library's figures, every setting, and late rewards."""

import json

import pytest

import askless as al
from command_line import OF_PEOPLE, askless, check_refused

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


@pytest.mark.parametrize("verb", ["simulate", "compare"])
@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("linucb-noise", "give --policy linucb --width noise"),
        ("pilot-of-10%", "give --policy pilot-then-screen --share 0.1 --planned PEOPLE"),
    ],
)
def test_a_name_of_the_contest_alone_is_refused_with_what_to_give(verb, name, instead):
    """Fails if it is said to be unknown, or what is to be given is not taken."""
    done = askless(verb, "--policy", name)
    check_refused(done, f"{name!r} is a name of `askless compare --tables` alone")
    assert done.stderr.strip().endswith(instead)
    given = instead.replace("PEOPLE", "500").split()[1:]
    assert askless("simulate", *given, *SMALL[:4], "--horizon", 50, "--runs", 1).returncode == 0


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


def test_the_settings_of_a_policy_are_read_as_yaml_reads_them():
    done = askless("simulate", "--policy", "uniform", "--setting", "seed=5", *SMALL, "--json")
    world = al.paper_environment(arms=3, features=5)
    policy = al.Uniform(world.survey, arms=world.arms, reward=world.reward, seed=5)
    expected = al.simulate(policy, world, 3_000, runs=2, seed=9).to_dict()
    assert json.loads(done.stdout)["runs"] == expected["runs"]
    skips = ("--beta-min", 0.5, "--setting", "judge_skips=false", *SMALL, "--json")
    assert json.loads(askless("simulate", *skips).stdout)["settings"]["judge_skips"] is False


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
        (
            ("simulate", "--beta-min", ".3", "--interactive", "certified", "--grain", "word"),
            "--grain is 'word'; choose 'arm' or 'question'",
        ),
        (("simulate", "--policy", "uniform", "--interactive", "certified"), "--interactive"),
        (("simulate", "--frobnicate"), "--frobnicate"),
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
        (("simulate", "--policy", "elastic-net"), "elastic-net needs --beta-min"),
        (("simulate", "--beta-min", "1", "--world", "2"), "--world says nothing without a study"),
        (("simulate", "nowhere.yaml"), "nowhere.yaml"),
        (("simulate", "--study", "a.yaml"), "without --study; it is called as askless simulate"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, tmp_path):
    check_refused(askless(*arguments, cwd=tmp_path), message)


@pytest.fixture
def study(tmp_path):
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    return tmp_path / "study.yaml"


def test_a_study_is_played_by_its_own_policy_in_a_world_plausible_for_it(study):
    """Fails if another world, seed or policy is played, or the paper's people are."""
    asked = ("--world", 3, "--seed", 2, "--horizon", 800, "--runs", 2)
    found = json.loads(askless("simulate", study, *asked, "--json").stdout)
    own = al.Study.read(study)
    world = al.Prior.of(own).world(3, seed=2)
    expected = al.simulate(al.policy_for(own), world, 800, runs=2, seed=2).to_dict()
    assert found["runs"] == expected["runs"]
    assert (found["policy"], found["settings"]["beta_min"]) == ("survey-bandit", 1)
    other = json.loads(askless("simulate", study, *asked, "--policy", "uniform", "--json").stdout)
    uniform = al.Uniform(own.survey, arms=own.arms, reward=own.reward)
    assert other["runs"] == al.simulate(uniform, world, 800, runs=2, seed=2).to_dict()["runs"]


def test_what_is_printed_says_whose_people_were_simulated(study):
    """Fails if the kind of people or what matters to them is not said, or the other kind is."""
    said = " ".join(askless("simulate", study, "--runs", 1, "--horizon", 300).stdout.split())
    assert "world 0 of the worlds that are plausible for study; what matters there: donor." in said
    assert "1 run of 300 visits" in said
    assert "gives up" not in said
    study.write_text(f"{OF_PEOPLE}plan: {{dropout: 0.05}}\n")
    leaving = askless("simulate", study, "--runs", 1, "--horizon", 300).stdout
    assert "Nobody gives up here" in leaving
    paper = " ".join(askless("simulate", "--beta-min", 0.5, *SMALL).stdout.split())
    assert "the paper's respondents" in paper
    assert "plausible" not in paper


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--arms", "3"), "--arms says nothing with a study"),
        (("--features", "3"), "--features says nothing with a study"),
        (("--raw",), "--raw says nothing with a study"),
        (("--beta-min", "2"), "has the settings of its policy; change them there"),
        (("--setting", "price=2"), "has the settings of its policy; change them there"),
        (("--world", "-1"), "--world is -1"),
        (("--seed", "-1"), "seed is -1"),
    ],
)
def test_what_says_nothing_of_a_study_is_refused(study, given, message):
    check_refused(askless("simulate", study, *given), message)
