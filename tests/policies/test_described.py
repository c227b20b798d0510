"""One description of a setting: constructor, study file, schema and command line agree with it."""

import json
import math
from typing import Annotated, Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import askless as al
from askless.cli.policy_options import chosen_settings
from askless.errors import SettingError, StudyError
from askless.policies.building import build_policy
from askless.policies.described import described, settings_along, settings_of
from askless.survey.policy_descriptions import KNOWN
from askless.survey.setting import Flag, Number, Seed, Whole, Words
from askless.survey.study_file import json_schema

STUDY = """\
schema: 1
questions: [{kind: scale, name: age, low: 18, high: 90}, {kind: yes_no, name: donor}]
arms: [{name: red}, {name: blue}]
reward: {low: 0, high: 10}
policy:
  name: NAME
"""
SETTINGS = [
    (policy, setting)
    for policy, known in KNOWN.items()
    if known.in_files
    for setting in known.settings
]


def needed_by(kind):
    return {name: it.setting.example for name, it in settings_of(kind).items() if it.needed}


def tried(setting):
    """Return values at, within and beyond the ends of a kind of setting, and of other kinds."""
    values = [True, False, "certified", "arm", "valid", "nonsense", [1], {}, 0, 1, -1, 0.5, 2]
    values += [1.0, 1e-13, 1e-101, 1e101, 2**64, 2**64 - 1, 10**15, 10**15 + 1, 10**6 + 1, 101, 3]
    if isinstance(setting, Number):
        ends = [e for e in (setting.least, setting.most, setting.above, setting.below) if e]
        values += [math.nextafter(end, side) for end in ends for side in (-math.inf, math.inf)]
    return [*values, *getattr(setting, "words", ())]


@pytest.fixture(scope="module")
def schema():
    return json_schema()


def refuses(call, *arguments):
    try:
        call(*arguments)
    except SettingError as error:
        return error
    return None


@pytest.mark.parametrize(("policy", "name"), SETTINGS)
def test_file_schema_and_constructor_take_what_the_description_takes(schema, policy, name):
    """Fails if one of them has bounds or words of its own."""
    kind, setting = al.POLICIES[policy], KNOWN[policy].settings[name].setting
    section = schema["$defs"][f"{kind.__name__}Section"]["properties"][name]
    validator, study = Draft202012Validator(section), STUDY.replace("NAME", policy)
    given = {key: value for key, value in needed_by(kind).items() if key != name}
    lines = "".join(f"  {key}: {json.dumps(value)}\n" for key, value in given.items())
    for value in tried(setting):
        refused = refuses(setting.check, value, name) is not None
        whole_as_float = isinstance(setting, Whole) and isinstance(value, float)
        if not whole_as_float:  # JSON knows no difference between 1 and 1.0
            assert validator.is_valid(value) is not refused, value
        text = f"{study}{lines}  {name}: {json.dumps(value)}\n"
        if not refused:  # whether it fits the study's rewards is another matter
            continue
        with pytest.raises(StudyError, match=f"^f, line {len(text.splitlines())}, policy.{name}"):
            al.Study.parse(text, source="f")
        error = refuses(
            lambda value=value: kind(
                al.Survey.unit(2), arms=["a", "b"], reward=(0, 10), **given, **{name: value}
            )
        )
        assert error is not None, value
        assert error.setting == name


@pytest.mark.parametrize(("policy", "name"), SETTINGS)
def test_a_default_is_what_the_policy_says_of_itself(policy, name):
    """Fails if a setting that is left out, or null, is another than its default."""
    kind, taken = al.POLICIES[policy], KNOWN[policy].settings[name]
    made = {"arms": ["a", "b"], "reward": (0, 10), **needed_by(kind)}
    plain = kind(al.Survey.unit(4), **made)
    if not taken.needed:
        same = kind(al.Survey.unit(4), **made, **{name: taken.default})
        assert same._settings() == plain._settings()
    assert set(plain._settings()) == set(settings_of(kind))
    assert set(plain.all_settings()) >= set(settings_of(kind))


# -- one's own -----------------------------------------------------------------------------------


class Wanders(al.Policy):
    """Plays an arm by a rate, a rhythm and a mood."""

    name = "wanders"

    def __init__(
        self,
        survey,
        *,
        arms,
        reward,
        rate: Annotated[float, Number("How often.", above=0, most=1)],
        rhythm: Annotated[str, Words("How.", words=("even", "odd"))] = "even",
        mood: Annotated[bool | None, Flag("Whether it has one.")] = None,
        steps: "Annotated[int, Whole('How many.', least=1, most=9)]" = 3,
        extra=None,
        hidden: "NowhereToBeFound" = 0,  # noqa: F821
        seed: Seed = 0,
    ):
        super().__init__(survey, arms=arms, reward=reward)
        self.rate, self.rhythm, self.mood, self.steps = rate, rhythm, mood, steps
        self.extra, self.hidden, self.seed = extra, hidden, seed
        self._check_settings()

    def _decide(self, z, mask, number):
        return al.Decision(int(np.argmax(mask)), np.where(mask, 0.0, -np.inf))


class Follows(Wanders):
    """Hands on what it does not know."""

    name = "follows"

    def __init__(
        self, survey, *, steps=4, distance: Annotated[Any, Number("How far.")] = 1, **rest
    ):
        super().__init__(survey, steps=steps, **rest)
        self.distance = distance


MADE = {"arms": ["a", "b"], "reward": (0, 1)}


def test_annotations_are_found_wherever_they_are_and_what_is_not_described_is_anything():
    taken = settings_of(Wanders)
    kinds = {name: type(it.setting) for name, it in taken.items()}
    nothing = type(None)
    assert kinds == {
        "rate": Number,
        "rhythm": Words,
        "mood": Flag,
        "steps": Whole,
        "extra": nothing,
        "hidden": nothing,
        "seed": Whole,
    }
    assert [name for name, it in taken.items() if it.needed] == ["rate"]
    assert [name for name, it in taken.items() if it.may_be_none] == ["mood"]


def test_a_class_below_means_the_settings_of_the_one_above():
    taken = settings_of(Follows)
    assert isinstance(taken["steps"].setting, Whole)
    assert (taken["steps"].default, taken["rate"].needed) == (4, False)  # its own to say
    assert settings_along(Follows)["rate"].setting is settings_of(Wanders)["rate"].setting
    with pytest.raises(SettingError, match="steps is 10; give a whole number from 1 to 9"):
        Follows(al.Survey.unit(1), **MADE, rate=1, steps=10)


def test_settings_are_checked_kept_said_and_saved(tmp_path):
    policy = Wanders(al.Survey.unit(1), **MADE, rate=np.float32(0.5), mood=np.True_)
    assert policy._settings() == {
        "rate": 0.5,
        "rhythm": "even",
        "mood": True,
        "steps": 3,
        "seed": 0,
    }
    assert type(policy.rate) is float
    policy.save(tmp_path / "state.json")
    assert al.load(tmp_path / "state.json", kind=Wanders).rate == 0.5


class Trusting(al.Uniform):
    """Describes a setting and does not check it."""

    name = "trusting"

    def __init__(
        self, survey, *, arms, reward, pace: Annotated[int, Whole("How fast.", least=1, most=9)] = 1
    ):
        super().__init__(survey, arms=arms, reward=reward)
        self.pace = pace


def test_what_a_class_describes_is_checked_even_if_it_does_not_itself():
    study = al.Study(al.Survey.unit(1), (al.Arm("a"),), al.RewardRange(0, 1))
    with pytest.raises(SettingError, match="policy 'x': pace is 10; give a whole number") as caught:
        build_policy(Trusting, study, {"pace": 10}, "x")
    assert caught.value.setting == "pace"


WRONG = """\
  rate: 7
  rhythm: odd
  mood: 3
  setps: 3
"""
SAYS = [
    "charity.yaml, line 7, policy.rate: 7 is too large; give at most 1",
    "charity.yaml, line 9, policy.mood: 3 is not true or false",
    "charity.yaml, line 10, policy.setps: unknown key 'setps'; did you mean 'steps'?",
]


def test_a_registered_policy_s_section_is_checked_like_ours(catalogue):
    al.register(Wanders)
    with pytest.raises(StudyError) as caught:
        al.Study.parse(STUDY.replace("NAME", "wanders") + WRONG, source="charity.yaml")
    assert str(caught.value).splitlines() == SAYS


class Odd(al.Uniform):
    """Has settings whose names a model of data has, too."""

    name = "odd"

    def __init__(
        self,
        survey,
        *,
        arms,
        reward,
        copy: Annotated[int, Whole("", least=1, most=9)] = 1,
        _rate=1,
        model_config=1,
        name=None,
    ):
        super().__init__(survey, arms=arms, reward=reward)
        self.copy, self._rate, self.model_config = copy, _rate, model_config


def test_any_name_can_be_that_of_a_setting(catalogue):
    al.register(Odd)
    text = STUDY.replace("NAME", "odd") + "  copy: COPY\n  _rate: 5\n  model_config: x\n"
    study = al.Study.parse(text.replace("COPY", "3"))
    assert study.settings == {"copy": 3, "_rate": 5, "model_config": "x"}
    policy = al.policy_for(study)
    assert (policy.copy, policy._rate, policy.model_config) == (3, 5, "x")
    with pytest.raises(StudyError, match=r"line 7, policy.copy: 10 is too large"):
        al.Study.parse(text.replace("COPY", "10"))
    with pytest.raises(StudyError, match="unknown key 'cpoy'; did you mean 'copy'"):
        al.Study.parse(text.replace("copy: COPY", "cpoy: 3"))


def test_a_class_of_a_module_is_checked_like_ours_once_it_is_imported():
    text = STUDY.replace("NAME", f"'{__name__}:Wanders'") + WRONG
    study = al.Study.parse(text, source="charity.yaml")  # which imports nothing
    with pytest.raises(StudyError) as caught:
        al.policy_for(study)
    assert str(caught.value).splitlines() == SAYS


def test_a_study_that_was_changed_since_is_judged_by_what_it_is_now():
    text = STUDY.replace("NAME", f"'{__name__}:Wanders'") + "  rate: 7\n"
    study = al.Study.parse(text, source="charity.yaml")
    changed = al.Study(
        study.survey, study.arms, study.reward, study.policy, {"rate": 1}, located=study.located
    )
    assert al.policy_for(changed).rate == 1


def test_what_hangs_together_is_refused_on_the_line_of_the_setting():
    text = STUDY.replace("NAME", "epoch") + "  beta_min: 1\n  grain: question\n"
    with pytest.raises(StudyError, match=r"f, line 8, policy.grain: .*set interactive too"):
        al.policy_for(al.Study.parse(text, source="f"))


def test_options_are_read_by_the_description_of_the_policy_that_is_chosen():
    chosen = chosen_settings("tsrc", {"questions": "2", "v": "1e-1"}, ["seed=3"])
    assert chosen == {"questions": 2, "v": 0.1, "seed": 3}
    assert type(chosen["questions"]) is int
    assert (
        type(chosen_settings("survey-bandit", {"questions": "2", "beta_min": "0"}, [])["questions"])
        is float
    )


def test_a_description_has_the_first_line_of_the_docstring():
    found = described(Follows, "follows")
    assert (found.about, found.takes_any, found.in_files) == (
        "Hands on what it does not know.",
        True,
        True,
    )
    assert not KNOWN["target"].in_files  # its coefficients are no setting for a file
