"""What all verbs share: their list, what was mistyped, policies of one's own."""

import json
import re
import subprocess
import sys

import pytest
import typer

import askless as al
from askless.cli.app import app
from askless.survey.study import EXAMPLE
from command_line import OF_PEOPLE, askless, askless_anew, check_refused
from own_policies import TEXT, played_in_turn


def test_without_a_verb_the_verbs_are_shown():
    done = askless_anew()
    assert done.returncode == 2
    for verb in ("simulate", "paper", "init", "check"):
        assert verb in done.stdout


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("frobnicate",), "frobnicate"),
        (("plan",), "askless plan needs STUDY; it is called as askless plan STUDY"),
        (("analyse", "a.yaml"), "needs VISITS; it is called as askless analyse STUDY VISITS"),
        (("plan", "--study", "a.yaml"), "takes it without --study; it is called as askless plan"),
        (("plan", "a.yaml", "--respondents", "1500", "6000"), "separated by commas and no spaces"),
        (("plan", "a.yaml", "b.csv"), "cannot take b.csv; it is called as askless plan STUDY"),
        (("compare", "a.yaml"), "played by `askless plan a.yaml` and `askless simulate a.yaml`"),
        (("compare", "--study", "a.yaml"), "played by `askless plan a.yaml` and `askless simul"),
        (("sweep", "study.yaml"), "this is a study file, not a sweep's; `askless plan study.yaml`"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, tmp_path):
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    check_refused(askless(*arguments, cwd=tmp_path), message)


def test_a_warning_is_one_line_of_ours_without_a_place_in_the_code(tmp_path):
    """Fails if Python's own words come (a path, a line of source), or twice; in its own process."""
    (tmp_path / "study.yaml").write_text(OF_PEOPLE.replace("beta_min: 1", "beta_min: 1, price: 5"))
    played = askless_anew("simulate", "study.yaml", "--runs", 1, "--horizon", 9, cwd=tmp_path)
    (line,) = played.stderr.splitlines()
    assert re.fullmatch(r"askless: mind: a full visit costs 5, .*meant for one question\?", line)
    checked = askless_anew("check", "study.yaml", cwd=tmp_path)
    assert checked.stderr == ""
    assert checked.stdout.count("a full visit costs 5") == 1
    assert checked.stdout.rstrip().endswith("meant for one question?")


# The verbs that a person's first study takes, in the order in which it takes them.
FIRST_STUDY = ("init", "check", "plan", "simulate", "sweep", "compare", "serve", "analyse", "paper")


def test_the_help_lists_verbs_in_the_order_of_use_and_cuts_no_description(monkeypatch):
    """Fails if a description is cut at 80 columns, a verb is left out, or research comes first."""
    monkeypatch.setenv("COLUMNS", "80")
    shown = askless_anew("--help").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "..." not in shown.split("COMMAND [ARGS]...", 1)[1]
    text = " ".join(shown.split())
    for name, verb in typer.main.get_command(app).commands.items():
        assert f" {name} {' '.join(verb.help.split())}" in text
    places = [shown.index(f"\n  {name} ") for name in FIRST_STUDY]
    assert places == sorted(places)
    headings = [line for line in shown.splitlines() if re.fullmatch(r"\w[\w ]*:", line)]
    assert headings == ["Options:", "Plan:", "Simulate:", "Run live:", "Analyse:", "Research:"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("simulat",), "no verb 'simulat'; did you mean 'simulate'?"),
        (("key", "lst"), "no verb 'lst'; did you mean 'list'?"),
        (("zzz",), "no verb 'zzz'; there are init, check, plan"),
        (("simulate", "--polcy", "uniform"), "no option --polcy; did you mean --policy?"),
        (("plan", "x.yaml", "--respondants=9"), "no option --respondants; did you mean --respond"),
        (("check", "--zzz"), "check has no option --zzz"),
        (("--versio",), "no option --versio; did you mean --version?"),
        (("simulate", "--policy", "lincub"), "there is no policy 'lincub'; did you mean 'linucb'?"),
        (("plan", "study.yaml", "--engine", "locl"), "did you mean 'local'?"),
        (
            ("simulate", "--beta-min", ".3", "--delay", "randm:3"),
            "shape is 'randm'; did you mean 'random'?",
        ),
    ],
)
def test_what_was_mistyped_is_named_with_what_was_meant(arguments, message, tmp_path):
    """Fails if a verb, an option, a policy or another word of a list is refused without a hint."""
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    check_refused(askless(*arguments, cwd=tmp_path), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("export",), "askless export needs --to FOLDER: folder for the files"),
        (("simulate", "--horizon", "1.5k"), "--horizon is '1.5k'; give a whole number, such as 15"),
        (("simulate", "--horizon", "ten"), "--horizon is 'ten'; give a whole number, such as 1000"),
        (("simulate", "--horizon=1.5"), "--horizon is '1.5'; give a whole number, such as 1000"),
        (("simulate", "--runs", "1", "--horizon", "2M"), "a whole number, such as 2000000"),
        (("plan", "x.yaml", "--worlds", "1,000"), "--worlds is '1,000'; give a whole number, such"),
        (("simulate", "--lost", "10%"), "--lost is '10%'; give a number, such as 0.5"),
        (("plan", "study.yaml", "--respondents", "1.5k,6k"), "'1.5k,6k'; give whole numbers sepa"),
        (("plan", "study.yaml", "--respondents", "1.5k,6k"), "commas, such as 1500,6000"),
        (("simulate", "--horizon"), "--horizon lacks its value; write one after it, or leave --ho"),
        (("simulate", "--horizon", "--runs", "3"), "--horizon lacks its value: visits of a run"),
        (
            ("simulate", "--horizon="),
            "askless simulate: --horizon lacks its value: visits of a run",
        ),
        (
            ("plan", "x.yaml", "--respondents", "--worlds", "20"),
            "--respondents lacks its value: fo",
        ),
        (("export", "--to", "x", "--format", "cvs"), "--format is 'cvs'; did you mean 'csv'?"),
        (("export", "--to", "x", "--format", "zzz"), "is 'zzz'; choose from csv, parquet"),
    ],
)
def test_an_option_s_value_that_is_missing_or_another_kind_is_said_in_our_words(
    arguments, message, tmp_path
):
    """Fails if the library's words come through, or nothing says what to give."""
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    check_refused(askless(*arguments, cwd=tmp_path), message)


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        (("-h",), ("--help",)),
        (("help",), ("--help",)),
        (("plan", "-h"), ("plan", "--help")),
        (("help", "plan"), ("plan", "--help")),
        (("help", "key", "new"), ("key", "new", "--help")),
        (("key", "help"), ("key", "--help")),
    ],
)
def test_help_comes_however_it_is_asked_for(arguments, same):
    """Fails if help is taken for a verb, or -h for an option that is not there."""
    expected = askless(*same)
    assert expected.stdout.startswith(f"Usage: askless {' '.join(same[:-1])}".rstrip())
    asked = askless(*arguments)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, expected.stdout, "")


def test_help_on_a_verb_that_is_none_says_which_is_meant():
    check_refused(askless("help", "simulat"), "no verb 'simulat'; did you mean 'simulate'?")


JUDGING = {
    "check": ("check", "study.yaml"),
    "replay": ("replay", "study.yaml", "log.csv"),
    "replay a saved one": ("replay", "study.yaml", "log.csv", "--state", "saved.json"),
    "compare": ("compare", "--horizon", 300, "--runs", 1, "--features", 3, "--policy", "uniform"),
    "contest": ("compare", "--tables", "drift", "--sizes", 40, "--runs", 1, "--policy", "uniform"),
    "simulate": ("simulate", "--policy", "uniform", "--horizon", 300, "--runs", 1),
}
VERDICTS = {
    "check": r"a study: in order; 1 question, 2 arms\.",
    "replay": r"survey-bandit would have earned [\d.]+ a visit with [\d.]+ questions",
    "replay a saved one": r"saved\.json would have earned [\d.]+ a visit \(doubly robust; 95%",
    "compare": r"After 300 visits uniform has the lowest regret of 1: \d+, at 3\.0 questions",
    "contest": r"Who nets most, on average over worlds: uniform with 40 people",
    "simulate": r"uniform: reward [\d.]+ and 50\.00 of 50 questions a visit, regret [\d.]+, means",
}


@pytest.mark.parametrize("case", JUDGING)
def test_the_first_line_is_the_verdict(case, tmp_path):
    """Fails if a table, or a note, comes before what was found."""
    (tmp_path / "study.yaml").write_text(OF_PEOPLE.replace("schema: 1", "schema: 1\nname: a study"))
    study = al.Study.read(tmp_path / "study.yaml")
    coefficients = {"mail": {"donor": 4.0}}
    names = [arm.name for arm in study.arms]
    world = al.LinearEnvironment(
        study.survey, arms=names, coefficients=coefficients, reward=(0, 10), spread=2
    )
    drawn = al.record_visits("uniform", world, horizon=300)
    al.write_visits(tmp_path / "log.csv", drawn.visits, study)
    al.record_visits("linucb", world, horizon=300, run=1).policy.save(tmp_path / "saved.json")
    done = askless(*JUDGING[case], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.match(VERDICTS[case], done.stdout)
