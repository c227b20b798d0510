"""The shape of a study file; `python -m askless.survey.study_file` prints its JSON Schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, StrictBool, StrictStr, create_model

from askless.survey.pages_section import PagesSection
from askless.survey.policy_descriptions import KNOWN, PolicyDescription
from askless.survey.policy_sections import sections, union_of
from askless.survey.section import Name, Number, Positive, Section, Share, Size
from askless.survey.window import PATTERN


class _QuestionSection(Section):
    name: Name = Field(description="How the question is called in code, files and tables.")
    text: StrictStr = Field("", description="What the person reads; the name if left out.")
    help: StrictStr = Field("", description="A second, smaller line for the person.")
    cost: Positive = Field(
        1.0,
        ge=1e-9,
        le=1e9,
        description="What asking it costs, in any unit: its weight in prices and budgets.",
    )
    always_ask: StrictBool = Field(False, description="Ask everyone, whatever the models use.")
    may_skip: StrictBool = Field(False, description="Whether it may be left unanswered.")


class ScaleSection(_QuestionSection):
    """A number between two ends."""

    kind: Literal["scale"]
    low: Number = Field(description="The smallest answer.")
    high: Number = Field(description="The largest answer, above `low`.")


class YesNoSection(_QuestionSection):
    """Yes or no."""

    kind: Literal["yes_no"]


class ChoiceSection(_QuestionSection):
    """One of several options."""

    kind: Literal["choice"]
    options: Annotated[list[Name], Field(min_length=2, max_length=100)] = Field(
        description="What may be answered: 2 to 100 texts, no two alike."
    )


class MultiSection(_QuestionSection):
    """Any of several options."""

    kind: Literal["multi"]
    options: Annotated[list[Name], Field(min_length=1, max_length=10)] = Field(
        description="Of these any may be answered: 1 to 10 texts, no two alike."
    )


class ArmSection(Section):
    """One decision that can be made for a person."""

    name: Name = Field(description="How the arm is called in code, files and tables.")
    text: StrictStr = Field("", description="What is decided, for people; the name if left out.")
    eligible_if: StrictStr | None = Field(
        None,
        description="Who may get it, such as `age >= 65 and region == north`; everyone if left"
        " out.",
    )


def _as_text(window: Any) -> Any:
    """Let a number without a unit be told what it lacks, which is not quotes."""
    return str(window) if isinstance(window, int | float) else window


class RewardSection(Section):
    """The smallest and the largest reward there can be."""

    low: Number = Field(description="The smallest reward there can be.")
    high: Number = Field(description="The largest reward there can be, above `low`.")
    window: (
        Annotated[
            StrictStr, BeforeValidator(_as_text), Field(json_schema_extra={"pattern": PATTERN})
        ]
        | None
    ) = Field(None, description="How long a reward may take, such as `14 days` or `500 visits`.")
    silence: Number | None = Field(
        None,
        description="What a reward that has not come by then is taken to be; such a visit is not"
        " learned if this is left out.",
    )


QuestionSection = Annotated[
    ScaleSection | YesNoSection | ChoiceSection | MultiSection, Field(discriminator="kind")
]


Count = Annotated[int, Field(strict=True, ge=0)]
Sizes = Size | Annotated[list[Size], Field(min_length=2, max_length=2)]
Counts = Count | Annotated[list[Count], Field(min_length=2, max_length=2)]


class PlanSection(Section):
    """What `askless plan` takes to be plausible: each a number, or a pair from and to."""

    useful: Counts | None = Field(
        None, description="How many questions matter in all: each to one arm at least."
    )
    effect: Sizes | None = Field(
        None,
        description="How far the answer to one of them moves an arm's expected reward: the largest"
        " that an answer brings, less the smallest.",
    )
    gap: Sizes | None = Field(None, description="How far the arms' average rewards lie apart.")
    noise: Literal["ends"] | Sizes | None = Field(
        None,
        description="Standard deviation of a reward around its expectation; `ends`: rewards are"
        " only the smallest and the largest one.",
    )
    answers: dict[Name, Number | list[Number]] | None = Field(
        None,
        description="How people answer: a scale's Beta distribution as a pair, the probability of a"
        " yes, the probabilities of options. Uniform if left out.",
    )
    skips: Share | dict[Name, Share] | None = Field(
        None, description="How often questions that may be skipped are: for all, or for each."
    )
    correlation: Annotated[float, Field(strict=True, gt=-1, lt=1)] | None = Field(
        None, description="Correlation of the answers to different questions."
    )
    eligible: dict[Name, Share] | None = Field(
        None, description="Share of people who may get an arm; 1 if left out."
    )
    dropout: Annotated[float, Field(strict=True, ge=0, le=0.5)] | None = Field(
        None, description="Share of people who give up at each question that they are asked."
    )


def _no_flag(version: Any) -> Any:
    """Keep a YAML `yes` from passing as the number 1."""
    return str(version) if isinstance(version, bool) else version


class StudyFile(Section):
    """A study: a survey, its arms, its reward and the policy that decides."""

    schema_: Annotated[Literal[1], BeforeValidator(_no_flag)] = Field(
        alias="schema", description="Version of this format."
    )
    name: Name = Field("study", description="How the study is called.")
    text: StrictStr = Field("", description="What the study is about, for people.")
    coding: Literal["centred", "raw"] = Field(
        "centred", description="`raw`: the original paper's coding, for scales only."
    )
    questions: Annotated[list[QuestionSection], Field(min_length=1)] = Field(
        description="The survey, in order."
    )
    arms: Annotated[list[ArmSection], Field(min_length=1)] = Field(
        description="The decisions among which it chooses."
    )
    reward: RewardSection = Field(description="What a decision may bring.")
    policy: BaseModel  # one of the sections of the policies that are known as a file is read
    plan: PlanSection | None = Field(None, description="What is plausible, for `askless plan`.")
    pages: PagesSection | None = Field(
        None, description="What people see who answer in a browser; without it there are no pages."
    )


@dataclass(frozen=True)
class Shape:
    """What study files look like with the policies that are known."""

    file: type[StudyFile]
    policies: dict[str, type[BaseModel]]  # their sections, by name


def shape() -> Shape:
    """Return what study files look like now."""
    return _shape(tuple(KNOWN.values()))


@lru_cache(maxsize=2)
def _shape(known: tuple[PolicyDescription, ...]) -> Shape:
    policies = sections(known)
    policy: Any = (union_of(policies), ...)
    file = create_model("StudyFile", __base__=StudyFile, __doc__=StudyFile.__doc__, policy=policy)
    return Shape(file, policies)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of study files, for editors and other programs."""
    schema = shape().file.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "askless study file",
    }


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))  # noqa: T201
