"""`askless check`: what is wrong, where, and what a study amounts to."""

import json

import pytest

from askless.survey.study import EXAMPLE
from command_line import askless, askless_anew, check_refused


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


def test_check_says_nothing_beside_what_it_found(tmp_path):
    """What it says follows from the settings alone."""
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    done = askless_anew("check", "study.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "nothing.yaml"), "nothing.yaml"),
        (("check",), "study"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, tmp_path):
    check_refused(askless(*arguments, cwd=tmp_path), message)
