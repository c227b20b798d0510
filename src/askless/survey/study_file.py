"""The shape of a study file; `python -m askless.survey.study_file` prints its JSON Schema."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictStr

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Name = Annotated[str, Field(strict=True, min_length=1)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _QuestionSection(_Section):
    name: Name = Field(description="How the question is called in code, files and tables.")
    text: StrictStr = Field("", description="What the person reads; the name if left out.")
    help: StrictStr = Field("", description="A second, smaller line for the person.")
    cost: Positive = Field(1.0, description="What asking it costs, in any unit.")
    always_ask: StrictBool = Field(False, description="Ask everyone, whatever the models use.")
    may_skip: StrictBool = Field(False, description="Whether it may be left unanswered.")


class ScaleSection(_QuestionSection):
    """A number between two ends."""

    kind: Literal["scale"]
    low: Number
    high: Number


class YesNoSection(_QuestionSection):
    """Yes or no."""

    kind: Literal["yes_no"]


class ChoiceSection(_QuestionSection):
    """One of several options."""

    kind: Literal["choice"]
    options: Annotated[list[Name], Field(min_length=2, max_length=100)]


class MultiSection(_QuestionSection):
    """Any of several options."""

    kind: Literal["multi"]
    options: Annotated[list[Name], Field(min_length=1, max_length=10)]


class ArmSection(_Section):
    """One decision that can be made for a person."""

    name: Name
    text: StrictStr = Field("", description="What is decided, for people; the name if left out.")


class RewardSection(_Section):
    """The smallest and the largest reward there can be."""

    low: Number
    high: Number


def _no_number(flag: Any) -> Any:
    """Keep a 1 from passing as true."""
    return str(flag) if isinstance(flag, int) and not isinstance(flag, bool) else flag


class _UCBSection(_Section):
    delta: Annotated[float, Field(strict=True, gt=0, lt=1)] | None = Field(
        None, description="How often the guarantees may fail."
    )
    alpha: Positive | None = Field(None, description="Ridge penalty.")
    sigma: Positive | None = Field(None, description="Sub-Gaussian constant of the noise.")
    b1: Positive | None = Field(None, description="Bound on the 1-norm of an arm's parameters.")
    b2: Positive | None = Field(None, description="Bound on the 2-norm of an arm's parameters.")
    interactive: Annotated[
        Literal[True, False, "certified", "paper_heuristic"] | None, BeforeValidator(_no_number)
    ] = Field(None, description="Ask only what can still matter; `true` is `certified`.")
    grain: Literal["arm", "question"] | None = Field(
        None, description="Interactive: ask an arm's questions at once, or one question at a time."
    )


Seed = Annotated[int, Field(strict=True, ge=0, lt=2**64)]
BetaMin = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
BETA_MIN = "Smallest change of expected reward for which a question is worth asking."


class EpochSection(_UCBSection):
    """Epoch SurveyUCB, the recommended policy; a setting left out gets its default."""

    name: Literal["epoch"]
    beta_min: BetaMin = Field(description=BETA_MIN)
    growth: Annotated[float, Field(strict=True, gt=1, le=3)] | None = Field(
        None, description="By which factor an epoch makes an arm's rows grow."
    )
    explore: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(
        0.0, description="Share of visits whose arm is drawn at random."
    )
    seed: Seed = Field(0, description="Seed of those draws.")
    judge_skips: StrictBool = Field(
        True, description="False: judge a question that may be skipped by its answers alone."
    )
    radius: Literal["valid"] | None = None


class RidgeSection(_UCBSection):
    """Ridge SurveyUCB; a setting left out gets its default."""

    name: Literal["ridge"]
    beta_min: BetaMin = Field(description=BETA_MIN)
    radius: Literal["valid", "published", "published_sqrt"] | None = None


class ElasticNetSection(_UCBSection):
    """Elastic Net SurveyUCB; a setting left out gets its default."""

    name: Literal["elastic-net"]
    beta_min: BetaMin = Field(description=BETA_MIN)
    radius: (
        Literal[
            "valid",
            "published",
            "published_sqrt",
            "published_scaled",
            "published_scaled_sqrt",
            "ridge",
        ]
        | None
    ) = None
    lam: Positive | None = Field(None, description="Penalty as a multiple of the noise level.")


class LinUCBSection(_UCBSection):
    """LinUCB; asks everything."""

    name: Literal["linucb"]
    beta_min: BetaMin | None = Field(None, description="Taken and not used: it never drops.")
    radius: Literal["li2010"] | None = None


class OFULSection(_UCBSection):
    """OFUL; asks everything."""

    name: Literal["oful"]
    beta_min: BetaMin | None = Field(None, description="Taken and not used: it never drops.")
    radius: Literal["valid"] | None = None


class UniformSection(_Section):
    """Plays at random; asks everything."""

    name: Literal["uniform"]
    seed: Seed | None = None


QuestionSection = Annotated[
    ScaleSection | YesNoSection | ChoiceSection | MultiSection, Field(discriminator="kind")
]
PolicySection = Annotated[
    EpochSection | RidgeSection | ElasticNetSection | LinUCBSection | OFULSection | UniformSection,
    Field(discriminator="name"),
]


Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Size = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=0)]
Sizes = Size | Annotated[list[Size], Field(min_length=2, max_length=2)]
Counts = Count | Annotated[list[Count], Field(min_length=2, max_length=2)]


class PlanSection(_Section):
    """What `askless plan` takes to be plausible: each a number, or a pair from and to."""

    useful: Counts | None = Field(None, description="How many questions matter to some arm.")
    effect: Sizes | None = Field(
        None, description="How much the answer to one of them moves an arm's expected reward."
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


def _no_flag(version: Any) -> Any:
    """Keep a YAML `yes` from passing as the number 1."""
    return str(version) if isinstance(version, bool) else version


class StudyFile(_Section):
    """A study: a survey, its arms, its reward and the policy that decides."""

    schema_: Annotated[Literal[1], BeforeValidator(_no_flag)] = Field(
        alias="schema", description="Version of this format."
    )
    name: Name = Field("study", description="How the study is called.")
    text: StrictStr = Field("", description="What the study is about, for people.")
    coding: Literal["centred", "raw"] = "centred"
    questions: Annotated[list[QuestionSection], Field(min_length=1)]
    arms: Annotated[list[ArmSection], Field(min_length=1)]
    reward: RewardSection
    policy: PolicySection
    plan: PlanSection | None = Field(None, description="What is plausible, for `askless plan`.")


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of study files, for editors and other programs."""
    schema = StudyFile.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "askless study file",
    }


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))  # noqa: T201
