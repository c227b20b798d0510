"""From a name to its policy, ours or yours; complaints say what there is and where it stands."""

import importlib
import json
import subprocess
import sys
import types

import pytest

import askless as al
from askless.errors import AsklessError, SettingError, StateError, StudyError
from askless.policies import policy_class, policy_of
from askless.policies.building import settings_of
from askless.policies.files import checksum
from own_policies import TEXT, played_in_turn, rotates

STUDY = """\
schema: 1
questions:
  - {kind: scale, name: age, low: 18, high: 90}
arms: [{name: red}, {name: blue}]
reward: {low: 0, high: 10}
policy: POLICY
"""
MADE = {"arms": ["a", "b"], "reward": (0, 1)}


def study(policy):
    return al.Study.parse(STUDY.replace("POLICY", policy), source="charity.yaml")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module that can be imported during the test."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def writer(name, text=TEXT):
        tmp_path.joinpath(f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        names.append(name)
        return name

    yield writer
    for name in names:
        sys.modules.pop(name, None)


def test_each_policy_gets_its_settings():
    ridge = al.policy_for(study("{name: ridge, beta_min: 2, delta: 0.01, radius: published}"))
    assert isinstance(ridge, al.RidgeSurveyUCB)
    assert (ridge.beta_min, ridge.delta, ridge.settings.radius) == (2, 0.01, "published")
    assert ridge.arms == ("red", "blue")
    assert isinstance(al.policy_for(study("{name: linucb}")), al.LinUCB)
    assert isinstance(al.policy_for(study("{name: oful, sigma: 1}")), al.OFUL)
    assert al.policy_for(study("{name: uniform, seed: 5}")).seed == 5


def test_a_policy_without_a_name_is_the_recommended_one():
    """Fails if a file without a name gets another policy, or one that asks everything."""
    policy = al.policy_for(study("{beta_min: 2, growth: 2}"))
    assert type(policy) is al.SurveyBandit
    assert (policy.price > 0, policy.interactive, policy.growth) == (True, False, 2)
    assert al.policy_for(study("{beta_min: 2, price: 0}")).interactive == "certified"
    assert next(iter(al.POLICIES)) == "survey-bandit"


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("{name: ridge}", "'beta_min' is missing"),
        ("{name: ridge, beta_min: 10}", "beta_min: beta_min is 10"),
        ("{name: uniform, beta_min: 1}", "unknown key 'beta_min'"),
        ("{name: linucb, width: published}", "li2010"),
        ("{name: linucb, radius: li2010}", "width"),
        ("{name: ridge, beta_min: 1, seed: 5}", "unknown key 'seed'"),
        ("{name: ridge, betamin: 1}", "did you mean 'beta_min'"),
        ("{betamin: 1}", "did you mean 'beta_min'"),
        ("{name: rigde, beta_min: 1}", "'rigde'.*'ridge'.*module:Class.*askless.register"),
        ("{name: 7}", "'7' is none of 'survey-bandit'"),
        ("{name: [epoch]}", "is none of 'survey-bandit'"),
        ("{name: 'a:b:c'}", "'a:b:c' is none of 'survey-bandit'"),
        ("epoch", "'epoch' is not a mapping"),
        ("{name: 'no_such_module:Mine'}", "'no_such_module' cannot be imported"),
        ("{name: 'askless:Uniform', sede: 1}", "sede: unknown key 'sede'; did you mean 'seed'"),
        ("{name: 'askless:Uniform', seed: -1}", "seed: -1 is too small; give at least 0"),
        ("{name: 'askless:OFUL', beta_min: 1, grain: arm}", "grain: policy 'askless:OFUL': grain"),
        ("{beta_min: 1, price: 11}", "price: policy 'survey-bandit': price is 11; give what"),
        ("{beta_min: 1, grain: arm}", "grain: policy 'survey-bandit': payback, interactive and"),
    ],
)
def test_a_complaint_names_file_line_and_setting(policy, message):
    with pytest.raises(StudyError, match=rf"charity.yaml, line 6, policy.*{message}"):
        al.policy_for(study(policy))


def test_an_unknown_policy_is_refused():
    described = al.Study(al.Survey.unit(1), (al.Arm("a"),), al.RewardRange(0, 1), policy="magic")
    with pytest.raises(AsklessError, match=r"'magic'.*ridge.*module:Class"):
        al.policy_for(described)


# -- registered ----------------------------------------------------------------------------------


def test_a_registered_policy_is_known_by_its_name_everywhere(catalogue, tmp_path):
    """Fails if a door asks another list than the one that `register` fills."""
    kind = rotates()
    assert al.register(kind) is kind
    assert catalogue["rotates"] is policy_class("rotates") is kind
    assert al.policy_for(study("{name: rotates, step: 3}")).step == 3
    world = al.paper_environment(arms=3, features=2)
    made = policy_of({"name": "rotates", "step": 2}, world)
    assert al.simulate(made, world, 50).runs[0].plays.tolist() == played_in_turn(world, 50, 2)
    sweep = al.Sweep([{"name": "rotates", "step": [1, 2]}], {"w": world}, horizon=50)
    sweep.run(tmp_path / "out.jsonl", workers=1)
    header, *rows = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert header["policies"] == [{"name": "rotates", "step": step} for step in (1, 2)]
    assert [row["plays"] for row in rows] == [played_in_turn(world, 50, step) for step in (1, 2)]
    made.save(tmp_path / "state.json")
    assert type(al.load(tmp_path / "state.json")) is kind
    assert list(al.compare(["rotates"], world, 20).runs) == ["rotates"]


def test_the_same_class_may_be_registered_again_and_another_of_its_name_not(catalogue, module):
    name = module("turns", TEXT.replace("class", "@al.register\nclass"))
    first = importlib.import_module(name).Rotates
    al.register(first)
    again = importlib.reload(sys.modules[name]).Rotates  # as a notebook runs a cell again
    assert again is not first
    assert catalogue["rotates"] is again
    with pytest.raises(SettingError, match=r"'rotates' is taken by turns.Rotates; give Rotates"):
        al.register(rotates())
    assert catalogue["rotates"] is again


def test_a_script_that_is_imported_a_second_time_registers_the_same_class(tmp_path):
    """Fails if a script that names its own class as module:Class is told that the name is taken."""
    script = tmp_path / "script.py"
    use = '\nif __name__ == "__main__":\n    from askless.policies import policy_class\n'
    use += '    print(policy_class("script:Rotates").__module__)\n'
    script.write_text(TEXT.replace("class", "@al.register\nclass") + use)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("script\n", "")


class Abstract(al.Policy):
    name = "abstract"


class Nameless(al.Uniform):
    """Has the name of another class."""


class Taken(al.Uniform):
    name = "ridge"


class Colon(al.Uniform):
    name = "a:b"


class Empty(al.Uniform):
    name = " "


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Abstract, "cannot be made: it lacks _decide"),
        (Nameless, 'no name of its own; give it one: name = "my-policy"'),
        (Taken, "'ridge' is taken by askless.policies.ridge_survey_ucb.RidgeSurveyUCB"),
        (Colon, "'a:b'; leave out the ':'"),
        (Empty, "empty name"),
        (int, "<class 'int'> is no subclass of askless.Policy"),
        (al.Uniform(al.Survey.unit(1), **MADE), "is no subclass of askless.Policy"),
        ("ridge", "'ridge' is no subclass of askless.Policy"),
    ],
)
def test_what_cannot_be_registered_is_refused_and_changes_nothing(catalogue, kind, message):
    before = dict(catalogue)
    with pytest.raises(SettingError) as caught:
        al.register(kind)
    assert message in str(caught.value)
    assert catalogue == before


# -- module:Class --------------------------------------------------------------------------------


def test_a_class_of_a_module_needs_no_registering(catalogue, module):
    name = module("turning")
    assert al.policy_for(study(f"{{name: '{name}:Rotates', step: 4}}")).step == 4
    assert "rotates" not in catalogue
    assert policy_class("askless.policies:SurveyBandit") is al.SurveyBandit


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        (TEXT, "Rotate", r"broken.py has no class 'Rotate'; did you mean 'Rotates'\?$"),
        ("x = 1", "Mine", r"broken.py has no class 'Mine'$"),
        ("Mine = 3", "Mine", "'broken:Mine' is no subclass of askless.Policy"),
        ("import no_such_thing", "Mine", "ModuleNotFoundError: No module named 'no_such_thing'"),
        ("1 / 0", "Mine", "'broken' cannot be imported: ZeroDivisionError"),
        ("def (", "Mine", "'broken' cannot be imported: SyntaxError"),
        (TEXT, "", "'broken:' names no class; write it as module:Class"),
        (TEXT, "Rotates.x", "has no class 'Rotates.x'"),
    ],
)
def test_a_class_that_cannot_be_imported_is_refused_with_the_reason(module, text, path, message):
    name = module("broken", text)
    with pytest.raises(SettingError, match=message):
        policy_class(f"{name}:{path}")


@pytest.mark.parametrize("name", [None, 3, "os/path:x", "..a:B", ":B"])
def test_a_name_that_cannot_be_is_refused(name):
    with pytest.raises(SettingError, match=r"give a text|names no class"):
        policy_class(name)


def test_reading_a_study_or_a_state_runs_no_code_that_it_names(module, tmp_path):
    """Fails if a file that somebody sends can have a module imported by being read."""
    name = module("trap", "raise SystemExit('run')")
    assert study(f"{{name: '{name}:Mine', step: 1}}").policy == "trap:Mine"
    path = tmp_path / "state.json"
    al.Uniform(al.Survey.unit(1), **MADE).save(path)
    saved = json.loads(path.read_text())
    saved["content"]["policy"] = f"{name}:Mine"
    saved["checksum"] = checksum(saved["content"])
    path.write_text(json.dumps(saved))
    with pytest.raises(StateError, match=r"'trap:Mine'; give its class as kind=.*askless.register"):
        al.load(path)
    assert name not in sys.modules


# -- settings ------------------------------------------------------------------------------------


class HandsOn(al.RidgeSurveyUCB):
    name = "hands-on"

    def __init__(self, survey, *, rate, **settings):
        super().__init__(survey, **settings)
        self.rate = rate


class Picky(al.Uniform):
    name = "picky"

    def __init__(self, survey, *, arms, reward, rate=1):
        super().__init__(survey, arms=arms, reward=reward)
        self.rate = rate + 0


def test_the_settings_of_a_class_are_those_of_its_constructors():
    assert {name: taken.needed for name, taken in settings_of(al.Uniform).items()} == {
        "seed": False
    }
    short = {"price", "questions", "planned", "full_floor"}
    assert settings_of(al.SurveyBandit).keys() == settings_of(al.EpochSurveyUCB).keys() | short
    handed = settings_of(HandsOn)
    assert (handed["rate"].needed, handed["beta_min"].needed) == (
        True,
        False,
    )  # its own constructor may give it
    assert set(handed) == {"rate", *settings_of(al.RidgeSurveyUCB)}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "uniform", "sede": 1}, r"no setting 'sede' \(did you mean 'seed'\?\)"),
        ({"name": "uniform", "rate": 1}, "no setting 'rate'; its settings are seed$"),
        ({"name": "uniform", "arms": ["x"]}, "'uniform' has no setting 'arms'"),
        ({"name": "ridge"}, "policy 'ridge' needs the setting 'beta_min'"),
        ({"name": "ridge", "beta_min": 9}, "policy 'ridge': beta_min is 9"),
        ({"name": "hands-on", "beta_min": 1}, "'hands-on' needs the setting 'rate'"),
        ({"name": "hands-on", "rate": 1}, "'hands-on' cannot be made: TypeError.*beta_min"),
        ({"name": "picky", "rate": "x"}, "'picky' cannot be made: TypeError"),
        ({"beta_min": 1}, "the name of a policy is None"),
    ],
)
def test_settings_that_do_not_fit_are_refused_by_name(catalogue, given, message):
    al.register(HandsOn)
    al.register(Picky)
    with pytest.raises(SettingError, match=message):
        policy_of(given, al.paper_environment(arms=2, features=2))


def test_the_target_knows_the_world_s_coefficients():
    world = al.paper_environment(arms=2, features=3)
    assert (policy_of({"name": "target"}, world).coefficients == world.coefficients).all()


def test_registering_one_of_ours_changes_nothing(catalogue):
    before = dict(catalogue)
    assert al.register(al.SurveyBandit) is al.SurveyBandit
    assert dict(catalogue) == before
    study = (
        "{schema: 1, questions: [{kind: yes_no, name: q}], arms: [{name: a}],"
        " reward: {low: 0, high: 10}, policy: {beta_min: 1}}"
    )
    assert al.policy_for(al.Study.parse(study)).name == "survey-bandit"


def test_a_name_that_is_taken_is_refused_however_a_class_is_named(monkeypatch):
    module = types.ModuleType("somebody")
    module.Taken = type("Taken", (al.Uniform,), {"name": "linucb", "__module__": "somebody"})
    monkeypatch.setitem(sys.modules, "somebody", module)
    with pytest.raises(SettingError, match="'linucb' is taken"):
        policy_class("somebody:Taken")


def test_simulate_takes_names_and_settings_too():
    world = al.paper_environment(arms=2, features=2)
    runs = al.simulate({"name": "ridge", "beta_min": 0.5}, world, 20)
    assert (runs.policy, runs.settings["beta_min"]) == ("ridge", 0.5)
    for wrong in (7, None, {"beta_min": 1}):
        with pytest.raises(SettingError, match="policy is"):
            al.simulate(wrong, world, 20)
