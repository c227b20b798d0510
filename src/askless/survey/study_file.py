"""The shape of a study file; `python -m askless.survey.study_file` prints its JSON Schema."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictStr,
    Tag,
)

from askless.survey.policy_names import OWN_NAMES
from askless.survey.window import PATTERN

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Size = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Penalty = Annotated[float, Field(strict=True, ge=1e-9, le=1e9)]
AtLeastOne = Annotated[int, Field(strict=True, ge=1)]
Name = Annotated[str, Field(strict=True, min_length=1)]
WORDS = r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*"
MODULE_CLASS = rf"^{WORDS}:{WORDS}$"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _QuestionSection(_Section):
    name: Name = Field(description="How the question is called in code, files and tables.")
    text: StrictStr = Field("", description="What the person reads; the name if left out.")
    help: StrictStr = Field("", description="A second, smaller line for the person.")
    cost: Positive = Field(1.0, ge=1e-9, le=1e9, description="What asking it costs, in any unit.")
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


def _as_text(window: Any) -> Any:
    """Let a number without a unit be told what it lacks, which is not quotes."""
    return str(window) if isinstance(window, int | float) else window


class RewardSection(_Section):
    """The smallest and the largest reward there can be."""

    low: Number
    high: Number
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


def _no_number(flag: Any) -> Any:
    """Keep a 1 from passing as true."""
    return str(flag) if isinstance(flag, int) and not isinstance(flag, bool) else flag


RECOMMENDED: Literal["survey-bandit"] = "survey-bandit"  # where no name is given
Interactive = Annotated[
    Literal[True, False, "certified", "paper_heuristic"] | None, BeforeValidator(_no_number)
]
INTERACTIVE = "Ask only what can still matter; `true` is `certified`."


class _UCBSection(_Section):
    delta: Annotated[float, Field(strict=True, gt=0, lt=1)] | None = Field(
        None, description="How often the guarantees may fail."
    )
    alpha: Positive | None = Field(None, description="Ridge penalty.")
    sigma: Positive | None = Field(None, description="Sub-Gaussian constant of the noise.")
    b1: Positive | None = Field(None, description="Bound on the 1-norm of an arm's parameters.")
    b2: Positive | None = Field(None, description="Bound on the 2-norm of an arm's parameters.")
    interactive: Interactive = Field(None, description=INTERACTIVE)
    grain: Literal["arm", "question"] | None = Field(
        None, description="Interactive: ask an arm's questions at once, or one question at a time."
    )


Seed = Annotated[int, Field(strict=True, ge=0, lt=2**64)]
BetaMin = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
BETA_MIN = "Smallest change of expected reward for which a question is worth asking."


class _EpochSettings(_UCBSection):
    beta_min: BetaMin = Field(description=BETA_MIN)
    growth: Annotated[float, Field(strict=True, gt=1, le=3)] | None = Field(
        None, description="By which factor an epoch makes an arm's rows grow."
    )
    optimism: Annotated[float, Field(strict=True, ge=0, le=100)] | Literal["valid"] = Field(
        1.0,
        description="How many standard errors a score is above its mean; `valid`: the set's bound.",
    )
    payback: StrictBool | None = Field(
        None, description="Let visits play arms for whose sake they were asked more."
    )
    explore: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(
        0.02, description="Chance that the t-th visit draws its arm from all, times t^(1/3)."
    )
    explore_floor: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(
        0.0, description="The least that this chance can be."
    )
    seed: Seed = Field(0, description="Seed of all draws.")
    judge_skips: StrictBool = Field(
        True, description="False: judge a question that may be skipped by its answers alone."
    )
    radius: Literal["valid"] | None = None


class SurveyBanditSection(_EpochSettings):
    """SurveyBandit, the recommended policy; a setting left out gets its default."""

    name: Literal["survey-bandit"] = RECOMMENDED
    price: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = Field(
        None,
        description="What asking one question may cost, in reward units; 0: no short visits.",
    )
    questions: Positive | None = Field(
        None, description="Instead of a price: questions that a visit may be asked on average."
    )
    planned: Annotated[int, Field(strict=True, ge=1)] | None = Field(
        None, description="For how many people the study is planned."
    )
    full_floor: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(
        0.02, description="Smallest share of visits that ask everything."
    )
    payback: StrictBool | None = Field(
        None, description="With `price: 0`: let visits play arms for whose sake they were asked."
    )
    interactive: Interactive = Field(None, description=f"With `price: 0`: {INTERACTIVE}")


class EpochSection(_EpochSettings):
    """Epoch SurveyUCB; a setting left out gets its default."""

    name: Literal["epoch"]


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
    width: Literal["li2010", "noise"] | None = Field(
        None, description="How wide scores are: as in the paper of 2010, or by the measured noise."
    )


class OFULSection(_UCBSection):
    """OFUL; asks everything."""

    name: Literal["oful"]
    beta_min: BetaMin | None = Field(None, description="Taken and not used: it never drops.")
    radius: Literal["valid"] | None = None


class PilotThenScreenSection(_Section):
    """Asks everything of a pilot, with arms at random; then a fixed short survey."""

    name: Literal["pilot-then-screen"]
    planned: Annotated[int, Field(strict=True, ge=1, le=10**15)] = Field(
        description="How many people the study is planned for."
    )
    share: Annotated[float, Field(strict=True, gt=0, le=1)] = Field(
        0.2, description="The share of them that is the pilot."
    )
    seed: Seed = Field(0, description="Seed of the pilot's draws.")


class LinTSSection(_Section):
    """LinTS: Thompson sampling; asks everything."""

    name: Literal["lints"]
    v: Size | None = Field(None, description="How widely models are drawn, in reward units.")
    seed: Seed = Field(0, description="Seed of the draws.")


class EpsilonGreedySection(_Section):
    """Mostly the best arm so far, else any; asks everything."""

    name: Literal["epsilon-greedy"]
    epsilon: Share = Field(0.05, description="How often an arm is drawn.")
    seed: Seed = Field(0, description="Seed of the draws.")


class TSRCSection(_Section):
    """TSRC: asks a few questions, drawn by what asking them has brought."""

    name: Literal["tsrc"]
    questions: AtLeastOne | None = Field(
        None, description="How many are asked in a visit; half of them if left out."
    )
    v: Size | None = Field(None, description="How widely models are drawn, in reward units.")
    seed: Seed = Field(0, description="Seed of the draws.")


class WTSRCSection(TSRCSection):
    """TSRC that judges questions by the last visits."""

    name: Literal["wtsrc"]  # type: ignore[assignment]
    window: Annotated[int, Field(strict=True, ge=1, le=10**6)] = Field(
        1_000, description="How many of the last learned visits count."
    )


class LassoBanditSection(_Section):
    """The LASSO Bandit; asks everything."""

    name: Literal["lasso-bandit"]
    q: Annotated[int, Field(strict=True, ge=1, le=10**6)] = Field(
        1, description="How often in a round each arm is forced."
    )
    h: Size | None = Field(
        None, description="How far apart arms are that forced samples tell apart, in reward units."
    )
    lam_forced: Penalty = Field(0.05, description="Penalty of the lasso on forced rows.")
    lam_all: Penalty = Field(0.05, description="First penalty of the lasso on all rows.")


class ThresholdedLassoSection(_Section):
    """The Thresholded Lasso bandit; asks everything."""

    name: Literal["thresholded-lasso"]
    lam: Penalty = Field(0.02, description="First penalty of the lasso.")
    start: Annotated[int, Field(strict=True, ge=0, le=10**6)] = Field(
        10, description="How often each arm is played first."
    )
    seed: Seed = Field(0, description="Seed of the draws while no column is picked.")


class SparseUCBSection(_Section):
    """UCB on sets out of a sparse forecaster; asks everything."""

    name: Literal["sparse-ucb"]
    size: Annotated[int, Field(strict=True, ge=0, le=10)] = Field(
        2, description="How many questions matter to an arm at most."
    )
    delta: Annotated[float, Field(strict=True, gt=0, lt=1)] = Field(
        0.05, description="How often some arm's set may miss its parameters."
    )
    sigma: Size | None = Field(None, description="Sub-Gaussian constant of the noise.")
    b2: Size | None = Field(None, description="Bound on the 2-norm of an arm's parameters.")
    scale: Size = Field(1.0, description="What radii are multiplied by; 1 is what is proved.")


class UniformSection(_Section):
    """Plays at random; asks everything."""

    name: Literal["uniform"]
    seed: Seed | None = None


QuestionSection = Annotated[
    ScaleSection | YesNoSection | ChoiceSection | MultiSection, Field(discriminator="kind")
]


class OwnSection(BaseModel):
    """A policy of your own, as module:Class; every other key is one of its settings."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: Annotated[Name, Field(json_schema_extra={"pattern": MODULE_CLASS})]


OWN = "module:Class"


def _policy_tag(section: Any) -> str:
    """Return by which section a policy is to be read; what is none of them is refused."""
    name = section.get("name", RECOMMENDED) if isinstance(section, dict) else RECOMMENDED
    is_own = isinstance(name, str) and (name in OWN_NAMES or re.fullmatch(MODULE_CLASS, name))
    return OWN if is_own else str(name)


PolicySection = Annotated[
    Annotated[SurveyBanditSection, Tag(RECOMMENDED)]
    | Annotated[EpochSection, Tag("epoch")]
    | Annotated[RidgeSection, Tag("ridge")]
    | Annotated[ElasticNetSection, Tag("elastic-net")]
    | Annotated[LinUCBSection, Tag("linucb")]
    | Annotated[OFULSection, Tag("oful")]
    | Annotated[LinTSSection, Tag("lints")]
    | Annotated[EpsilonGreedySection, Tag("epsilon-greedy")]
    | Annotated[TSRCSection, Tag("tsrc")]
    | Annotated[WTSRCSection, Tag("wtsrc")]
    | Annotated[LassoBanditSection, Tag("lasso-bandit")]
    | Annotated[ThresholdedLassoSection, Tag("thresholded-lasso")]
    | Annotated[SparseUCBSection, Tag("sparse-ucb")]
    | Annotated[PilotThenScreenSection, Tag("pilot-then-screen")]
    | Annotated[UniformSection, Tag("uniform")]
    | Annotated[OwnSection, Tag(OWN)],
    Discriminator(_policy_tag),
]


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
    dropout: Annotated[float, Field(strict=True, ge=0, le=0.5)] | None = Field(
        None, description="Share of people who give up at each question that they are asked."
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
