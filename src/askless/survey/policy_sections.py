"""The section `policy` of a study file: the settings of every policy, by its name."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, StrictBool, Tag

from askless.survey.policy_names import OWN_NAMES
from askless.survey.section import Name, Positive, Section, Share, Size

Penalty = Annotated[float, Field(strict=True, ge=1e-9, le=1e9)]
AtLeastOne = Annotated[int, Field(strict=True, ge=1)]
WORDS = r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*"
MODULE_CLASS = rf"^{WORDS}:{WORDS}$"


def _no_number(flag: Any) -> Any:
    """Keep a 1 from passing as true."""
    return str(flag) if isinstance(flag, int) and not isinstance(flag, bool) else flag


RECOMMENDED: Literal["survey-bandit"] = "survey-bandit"  # where no name is given
Interactive = Annotated[
    Literal[True, False, "certified", "paper_heuristic"] | None, BeforeValidator(_no_number)
]
INTERACTIVE = "Ask only what can still matter; `true` is `certified`."


class _UCBSection(Section):
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


class PilotThenScreenSection(Section):
    """Asks everything of a pilot, with arms at random; then a fixed short survey."""

    name: Literal["pilot-then-screen"]
    planned: Annotated[int, Field(strict=True, ge=1, le=10**15)] = Field(
        description="How many people the study is planned for."
    )
    share: Annotated[float, Field(strict=True, gt=0, le=1)] = Field(
        0.2, description="The share of them that is the pilot."
    )
    seed: Seed = Field(0, description="Seed of the pilot's draws.")


class LinTSSection(Section):
    """LinTS: Thompson sampling; asks everything."""

    name: Literal["lints"]
    v: Size | None = Field(None, description="How widely models are drawn, in reward units.")
    seed: Seed = Field(0, description="Seed of the draws.")


class EpsilonGreedySection(Section):
    """Mostly the best arm so far, else any; asks everything."""

    name: Literal["epsilon-greedy"]
    epsilon: Share = Field(0.05, description="How often an arm is drawn.")
    seed: Seed = Field(0, description="Seed of the draws.")


class TSRCSection(Section):
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


class LassoBanditSection(Section):
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


class ThresholdedLassoSection(Section):
    """The Thresholded Lasso bandit; asks everything."""

    name: Literal["thresholded-lasso"]
    lam: Penalty = Field(0.02, description="First penalty of the lasso.")
    start: Annotated[int, Field(strict=True, ge=0, le=10**6)] = Field(
        10, description="How often each arm is played first."
    )
    seed: Seed = Field(0, description="Seed of the draws while no column is picked.")


class SparseUCBSection(Section):
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


class UniformSection(Section):
    """Plays at random; asks everything."""

    name: Literal["uniform"]
    seed: Seed | None = None


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
