"""Studies as objects, and as files on a disk."""

import sys

import pytest

import askless as al
from askless.errors import MissingExtraError, SettingError, StudyError
from askless.survey import Arm, Choice, Multi, RewardRange, Scale, Study, Survey, YesNo
from own_policies import rotates
from study_examples import ALLOWED, EXAMPLE, MEANING, SHAPE, refused_at
from survey_strategies import refused

SURVEY = Survey(
    [
        Scale(
            "age",
            low=18,
            high=90,
            text="How old are you?",
            help="In whole years",
            cost=2.5,
            always_ask=True,
        ),
        YesNo("donor", may_skip=True),
        Choice("cause", ["children", "animals", "climate"]),
        Multi("media", ["tv", "radio", "web"]),
    ]
)
SETTINGS = {
    "beta_min": 5.0,
    "delta": 0.05,
    "alpha": 4.0,
    "sigma": 50.0,
    "b1": 110.0,
    "b2": 90.5,
    "radius": "valid",
}
SMALLEST = """\
schema: 1
questions: [{kind: yes_no, name: donor}]
arms: [{name: wwf}]
reward: {low: 0, high: 1}
policy: {name: uniform, seed: 7}
"""


@pytest.fixture
def write(tmp_path):
    """Write a study file and return its path."""

    def writer(content, encoding="utf-8"):
        path = tmp_path / "charity.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return writer


def test_a_file_with_every_key_becomes_the_study_it_describes(write):
    study = Study.read(write(EXAMPLE))
    assert study == Study(
        survey=SURVEY,
        arms=(Arm("red_cross", text="Suggest the Red Cross"), Arm("wwf")),
        reward=RewardRange(-10, 100),
        policy="ridge",
        settings=SETTINGS,
        name="charity",
        text="Which charity suits whom?",
    )
    assert study.survey.coding == "centred"
    assert "Located" not in repr(study)


def test_what_a_file_leaves_out_has_its_default():
    study = Study.parse(SMALLEST)
    assert study == Study(
        survey=Survey([YesNo("donor")]),
        arms=(Arm("wwf"),),
        reward=RewardRange(0, 1),
        policy="uniform",
        settings={"seed": 7},
    )
    assert (study.name, study.text, study.survey.coding) == ("study", "", "centred")


def test_a_window_and_a_silence_reach_the_study():
    late = SMALLEST.replace("high: 1}", "high: 1, window: 2  weeks, silence: 0.25}")
    study = Study.parse(late)
    assert (study.window, study.silence) == ("2 weeks", 0.25)
    assert study != Study.parse(SMALLEST)
    assert (Study.parse(SMALLEST).window, Study.parse(SMALLEST).silence) == (None, None)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"window": "soon"}, "window is 'soon'"),
        ({"window": 14}, "window is 14"),
        ({"silence": 0.5}, "no window"),
        ({"window": "1 day", "silence": 1.5}, "within the range, 0 to 1"),
        ({"window": "1 day", "silence": "low"}, "silence is 'low'"),
    ],
)
def test_a_study_from_no_file_has_its_window_and_silence_checked_too(given, says):
    with refused(SettingError, says):
        Study(Survey.unit(1), (Arm("a"),), RewardRange(0, 1), policy="ridge", **given)


def test_the_settings_of_a_policy_of_one_s_own_are_kept_as_they_are():
    own = "{name: 'mine:Mine', rate: 0.5, how: {a: [1]}, nothing: null, 'odd key': no}"
    study = Study.parse(SMALLEST.replace("{name: uniform, seed: 7}", own))
    assert study.policy == "mine:Mine"
    assert study.settings == {"rate": 0.5, "how": {"a": [1]}, "odd key": False}


def test_a_registered_name_is_read_and_listed(catalogue):
    text = SMALLEST.replace("name: uniform, seed", "name: rotates, step")
    with refused(StudyError, "'rotates' is none of", "module:Class", "askless.register"):
        Study.parse(text)
    al.register(rotates())
    assert Study.parse(text).policy == "rotates"
    with refused(
        StudyError,
        "'rotatse'",
        ", 'rotates'; did you mean 'rotates'?; a policy of your own",
    ):
        Study.parse(text.replace("rotates", "rotatse"))


def test_a_setting_of_null_is_one_left_out():
    assert Study.parse(SMALLEST.replace("seed: 7", "seed: null")).settings == {}


@pytest.mark.parametrize("seed", ["'4'", "-1", "1.5", "yes"])
def test_a_seed_that_is_no_whole_number_is_refused(seed):
    with refused(StudyError, "policy.seed", "line 5"):
        Study.parse(SMALLEST.replace("seed: 7", f"seed: {seed}"))


def test_a_seed_of_zero_is_read():
    assert Study.parse(SMALLEST.replace("seed: 7", "seed: 0")).settings == {"seed": 0}


def test_raw_coding_reaches_the_survey():
    question = "{kind: scale, name: x, low: 0, high: 1}"
    text = SMALLEST.replace("{kind: yes_no, name: donor}", question) + "coding: raw\n"
    assert Study.parse(text).survey.coding == "raw"


def test_a_file_is_read_by_path_or_by_the_name_of_its_path(write):
    path = write(SMALLEST)
    assert Study.read(path) == Study.read(str(path)) == Study.parse(SMALLEST)


def test_names_in_any_script_are_read(write):
    study = Study.read(write(SMALLEST.replace("donor", "größe 年齢 😀")))
    assert study.survey.names == ("größe 年齢 😀",)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8"])
def test_a_file_from_windows_is_read_with_the_same_lines(write, encoding):
    assert Study.read(write(SMALLEST.replace("\n", "\r\n"), encoding)) == Study.parse(SMALLEST)
    broken = SMALLEST.replace("high: 1", "hihg: 1").replace("\n", "\r\n")
    path = write(broken, encoding)
    with refused_at(path, 4, "'hihg'"):
        Study.read(path)


@pytest.mark.parametrize("content", [b"name: caf\xe9\n", SMALLEST.encode("utf-16")])
def test_a_file_that_is_not_utf_8_is_refused(write, content):
    with refused(StudyError, "charity.yaml", "UTF-8"):
        Study.read(write(content))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with refused(StudyError, "missing.yaml", "No such file"):
        Study.read(tmp_path / "missing.yaml")


@pytest.mark.parametrize(
    ("there", "given"),
    [("study.yaml", "study.yml"), ("study.yml", "study.yaml"), ("study.yaml", "study")],
)
def test_a_file_with_another_ending_is_named(tmp_path, there, given):
    """Fails if somebody who writes .yml for .yaml has to look for the file."""
    (tmp_path / there).write_text(SMALLEST)
    with refused(StudyError, given, f"; did you mean {tmp_path / there}?"):
        Study.read(tmp_path / given)


def test_a_folder_is_refused(tmp_path):
    with refused(StudyError, str(tmp_path), "cannot read"):
        Study.read(tmp_path)


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n", "---\n"])
def test_an_empty_file_is_refused(write, content):
    with refused(StudyError, "charity.yaml", "schema: 1"):
        Study.read(write(content))


@pytest.mark.parametrize("content", ["- schema: 1\n", "schema\n", "7\n", "[]\n"])
def test_a_file_that_is_no_mapping_is_refused(write, content):
    with refused(StudyError, "charity.yaml", "mapping", "schema: 1"):
        Study.read(write(content))


@pytest.mark.parametrize("fault", [*SHAPE.values(), *MEANING.values()], ids=[*SHAPE, *MEANING])
def test_a_fault_is_reported_with_file_line_and_key(write, fault):
    path = write(fault.text)
    with refused_at(path, fault.line, *fault.says):
        Study.read(path)


@pytest.mark.parametrize(("old", "new"), ALLOWED.values(), ids=ALLOWED)
def test_values_at_the_edge_of_what_is_allowed_are_read(old, new):
    assert EXAMPLE.count(old) == 1
    assert Study.parse(EXAMPLE.replace(old, new)).name == "charity"


def test_text_that_comes_from_no_file_is_called_as_the_caller_says():
    with refused_at("the form", 1, "'schema'"):
        Study.parse("x: 1", source="the form")


def test_a_policys_complaint_points_to_the_policy_of_the_file(write):
    path = write(EXAMPLE)
    lines = {key: EXAMPLE[: EXAMPLE.index(key)].count("\n") + 1 for key in ("policy:", "beta_min:")}
    study = Study.read(path)
    error = study.refusal(SettingError("the settings do not fit"))
    assert isinstance(error, StudyError)
    assert str(error) == f"{path}, line {lines['policy:']}, policy: the settings do not fit"
    # A complaint that begins with a key points to its line, and need not name it twice.
    where = f"{path}, line {lines['beta_min:']}, policy.beta_min"
    assert str(study.refusal(SettingError("beta_min is large"))) == f"{where}: beta_min is large"
    assert str(study.refusal(SettingError("beta_min: is large"))) == f"{where}: is large"


def test_a_study_from_no_file_passes_a_policys_complaint_on():
    study = Study(Survey.unit(1), (Arm("a"),), RewardRange(0, 1), policy="ridge")
    assert str(study.refusal(SettingError("no"))) == "no"


def test_without_the_readers_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    for module in ("study_reading", "located_yaml"):
        monkeypatch.delitem(sys.modules, f"askless.survey.{module}", raising=False)
    with refused(MissingExtraError, "yaml", "pip install 'askless[cli]'"):
        Study.parse(SMALLEST)


@pytest.mark.slow
def test_a_study_that_would_fill_the_memory_is_refused():
    options = ", ".join(f"o{i}" for i in range(10))
    many = "".join(
        f"  - {{kind: multi, name: m{i}, may_skip: true, options: [{options}]}}\n"
        for i in range(2_000)
    )
    wide = ", ".join(f"w{i}" for i in range(100))
    text = SMALLEST.replace(
        "questions: [{kind: yes_no, name: donor}]\n",
        f"questions:\n  - {{kind: choice, name: wide, options: [{wide}]}}\n{many}",
    )
    with refused(StudyError, "too large"):
        Study.parse(text)
