"""`askless replay`: what a log says about a policy."""

import json

import pytest

import askless as al
from command_line import OF_PEOPLE, askless
from own_policies import TEXT


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


def test_a_saved_policy_of_one_s_own_is_judged_where_the_study_names_its_class(
    logged, tmp_path, monkeypatch
):
    """Fails if the class that the study names is not the one that reads the file."""
    module = "turning"
    (tmp_path / f"{module}.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    own = f'{{name: "{module}:Rotates"}}'
    (tmp_path / "study.yaml").write_text(OF_PEOPLE.replace("{beta_min: 1}", own))
    names = {"__name__": module}
    exec(TEXT, names)
    study = al.Study.read(logged / "study.yaml")
    arms = [arm.name for arm in study.arms]
    names["Rotates"](study.survey, arms=arms, reward=(0, 10)).save(tmp_path / "own.json")
    log = logged / "log.csv"
    given = ("replay", "study.yaml", log, "--json", "--state")
    done = askless(*given, "own.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counted"] == 600
    other = askless(*given, logged / "saved.json", cwd=tmp_path)  # ours, by its own name
    assert other.returncode == 0, other.stderr
    without = ("replay", logged / "study.yaml", log, "--state", "own.json")
    assert "name it in the study file, as module:Class" in askless(*without, cwd=tmp_path).stderr
