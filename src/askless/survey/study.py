"""A study: survey, arms, reward and policy settings, as one file says them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.errors import AsklessError, SettingError, StudyError, extra, shown
from askless.survey.arms import Arm
from askless.survey.eligibility import Eligibility, SurveyRule
from askless.survey.image import embedded
from askless.survey.kinds import question_from_dict
from askless.survey.names import check_name, check_names
from askless.survey.pages import Pages
from askless.survey.policy_descriptions import RECOMMENDED, PolicyDescription
from askless.survey.question import Question
from askless.survey.reward import RewardRange, check_beta_min
from askless.survey.rule import Rule
from askless.survey.survey import Survey
from askless.survey.window import Window, check_silence

if TYPE_CHECKING:
    from askless.survey.located_yaml import Located
    from askless.survey.study_file import StudyFile

__all__ = ["EXAMPLE", "Study", "check_study"]

EXAMPLE = Path(__file__).with_name("charity.yaml")


@dataclass(frozen=True)
class Study:
    """What a study asks, among which arms it decides, and how.

    Parameters
    ----------
    survey : Survey
        The questions; those that rules of arms need are marked `always_ask`.
    arms : tuple of Arm
        The decisions; where they have rules (`Arm.eligible_if`), some arm must be open to everyone,
        whatever is answered.
    reward : RewardRange
        The smallest and the largest reward.
    policy : str
        Name of the policy that decides: one of `askless.POLICIES`, or `module:Class`.
    settings : mapping
        Its settings, those left out being the policy's defaults.
    plan : mapping
        What is plausible, for planning; see `askless.Prior`.
    name, text : str
        How the study is called and what it is about.
    window : str, optional
        How long a reward may take, such as "14 days" or "500 visits".
    silence : float, optional
        What a reward is taken to be that has not come by then; if left out, its visit is not
        learned.
    pages : Pages, optional
        What people see who answer in a browser; without it the study has no pages.

    Examples
    --------
    >>> study = Study.parse('''
    ... schema: 1
    ... questions: [{kind: yes_no, name: donor}]
    ... arms: [{name: red_cross}, {name: wwf}]
    ... reward: {low: 0, high: 100}
    ... policy: {name: ridge, beta_min: 5}
    ... ''')
    >>> study.survey.names, study.policy, dict(study.settings)
    (('donor',), 'ridge', {'beta_min': 5.0})
    """

    survey: Survey
    arms: tuple[Arm, ...]
    reward: RewardRange
    policy: str = RECOMMENDED
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)
    name: str = "study"
    text: str = ""
    window: str | None = None
    silence: float | None = None
    pages: Pages | None = None
    located: Located | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reward", RewardRange.of(self.reward))
        object.__setattr__(self, "survey", _covered(self.survey, self.arms).asking())
        if self.window is not None:
            object.__setattr__(self, "window", str(Window.of(self.window)))
        if self.silence is not None:
            silence = check_silence(self.silence, self.window, self.reward)
            object.__setattr__(self, "silence", silence)
        if self.pages is not None:
            self.pages.check_words(self.survey, self.arms)

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """Read a study file (YAML, `schema: 1`); errors name the file, the line and the key."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise StudyError(f"{path}: the file is not UTF-8 text") from None
        except OSError as error:
            hint = _other_ending(Path(path)) if isinstance(error, FileNotFoundError) else ""
            raise StudyError(f"{path}: cannot read the file: {error.strerror}{hint}") from None
        with extra("cli"):
            text = embedded(text, Path(path))
        return cls.parse(text, source=str(path))

    @classmethod
    def example(cls) -> Study:
        """Return the example study: a charity app with eight questions, three of which matter."""
        return cls.read(EXAMPLE)

    @classmethod
    def parse(cls, text: str, *, source: str = "study") -> Study:
        """Read a study from text; `source` is how errors call it."""
        with extra("cli"):
            from askless.survey.study_reading import read_study_file  # noqa: PLC0415
        return cls._from_file(*read_study_file(text, source))

    @classmethod
    def _from_file(cls, file: StudyFile, located: Located) -> Study:
        place: tuple[str | int, ...] = ()
        questions: list[Question] = []
        arms: list[Arm] = []
        seen: set[str] = set()
        named: set[str] = set()
        try:
            place = ("name",)
            check_name(file.name, "the study")
            for i, section in enumerate(file.questions):
                place = ("questions", i)
                questions.append(question_from_dict(section.model_dump()))
                Survey(questions[-1:], coding=file.coding)
                check_names([section.name, *({section.name} & seen)], "question")
                seen.add(section.name)
            for i, arm in enumerate(file.arms):
                if arm.eligible_if is not None:
                    place = ("arms", i, "eligible_if")
                    Rule(arm.eligible_if)
                place = ("arms", i)
                arms.append(Arm(arm.name, arm.text, arm.eligible_if))
                check_names([arm.name, *({arm.name} & named)], "arm")
                named.add(arm.name)
            place = ("reward",)
            reward = RewardRange(file.reward.low, file.reward.high)
            place = ("reward", "window")
            window = None if file.reward.window is None else str(Window.of(file.reward.window))
            place = ("reward", "silence")
            if file.reward.silence is not None:
                check_silence(file.reward.silence, window, reward)
            place = ("policy", "beta_min")
            check_beta_min(getattr(file.policy, "beta_min", None) or 0.0, reward)
            place = ("questions",)
            survey = Survey(questions, coding=file.coding)
            for i, made in enumerate(arms):
                if made.eligible_if is not None:
                    place = ("arms", i, "eligible_if")
                    SurveyRule(Rule(made.eligible_if), survey)
            place = ("arms",)
            _covered(survey, arms)
            place = ("pages",)
            pages = None if file.pages is None else Pages.of(file.pages.model_dump())
            if pages is not None:
                pages.check_words(survey, arms)
        except AsklessError as error:
            place = (*place, *getattr(error, "place", ()))
            said = str(error).removeprefix(f"{place[-1]}: ")
            raise StudyError(f"{located.where(place)}: {said}") from None
        settings = file.policy.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
        return cls(
            survey=survey,
            arms=tuple(arms),
            reward=reward,
            policy=settings.pop("name", RECOMMENDED),
            settings=settings,
            plan=file.plan.model_dump(exclude_none=True) if file.plan else {},
            name=file.name,
            text=file.text,
            window=window,
            silence=file.reward.silence,
            pages=pages,
            located=located,
        )

    def check_policy(self, policy: PolicyDescription) -> None:
        """Check the section of a policy that was not known when the study's file was read."""
        said = {} if self.located is None else dict(self.located.data.get("policy", {}))
        said.pop("name", None)
        said = {key: value for key, value in said.items() if value is not None}
        if self.located is None or said != dict(self.settings):  # changed since: by itself, then
            return
        from askless.survey.study_reading import check_policy_section  # noqa: PLC0415

        check_policy_section(policy, self.located)

    def refusal(self, error: AsklessError, section: str = "policy") -> StudyError:
        """Say where in the file a complaint about the settings of a section comes from."""
        if self.located is None:
            return StudyError(str(error))
        said = str(error)
        # Where an error has no setting, complaints begin with the key, if with any.
        key = getattr(error, "setting", None) or said.split(maxsplit=1)[0].rstrip(":")
        place = (section, key) if (section, key) in self.located.lines else (section,)
        return StudyError(f"{self.located.where(place)}: {said.removeprefix(f'{key}: ')}")


def _other_ending(path: Path) -> str:
    """Say which file was meant where its ending alone is another: study.yaml for study.yml."""
    endings = (path.with_suffix(ending) for ending in (".yaml", ".yml"))
    return next((f"; did you mean {file}?" for file in endings if file.is_file()), "")


def check_study(study: object) -> None:
    """Refuse what is no study, such as the path of its file."""
    if isinstance(study, str | Path):
        raise SettingError(
            f"study is {shown(str(study), 200)}, a path; read the file with al.Study.read(path)"
        )
    if not isinstance(study, Study):
        raise SettingError(
            f"study is {shown(study, 200)}; give an askless.Study, such as al.Study.read(path)"
        )


def _covered(survey: Survey, arms: Sequence[str | Arm]) -> Eligibility:
    """Return who may get which arm; refuse rules that leave somebody without any."""
    rules = Eligibility(survey, arms)
    rules.check_cover(np.ones(len(arms), dtype=bool))
    return rules
