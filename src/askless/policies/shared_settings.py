"""The settings that several policies take, each described once."""

from __future__ import annotations

from typing import Annotated

from askless.survey import Survey
from askless.survey.setting import Flag, Number, Whole, Words

__all__ = [
    "B1",
    "B2",
    "EXPLORE",
    "GROWTH",
    "INTERACTIVE",
    "OPTIMISM",
    "PAYBACK",
    "PLANNED",
    "RADIUS",
    "SHARE_OF_VISITS",
    "Alpha",
    "BetaMin",
    "Delta",
    "Explore",
    "ExploreFloor",
    "Grain",
    "Growth",
    "Interactive",
    "JudgeSkips",
    "Optimism",
    "Sigma",
    "UnusedBetaMin",
    "ValidRadius",
    "default_delta",
]

DELTA, RAW_DELTA = 0.05, 0.1  # unless given; in raw coding that of the paper
SMALLEST, LARGEST = 1e-100, 1e100  # beyond them squares leave the floats
SMALLEST_ALPHA = 1e-12  # with less of a penalty, columns that repeat each other drown in rounding
MOST_PEOPLE = 10**15
EXPLORE = 0.02  # of epochs, unless given (maths 8.6)
OPTIMISM = 1.0  # of epochs, unless given (maths 8.4)
GROWTH, MOST_GROWTH = 1.5, 3  # of epochs (maths 5.1)

BetaMin = Annotated[
    float,
    Number(
        "Smallest change of expected reward for which a question is worth asking; 0: never drop.",
        least=0,
        give="0 (never drop) or more",
        example=0.2,
    ),
]
UnusedBetaMin = Annotated[
    float, Number("Taken and not used: it never drops.", least=0, give="0 (never drop) or more")
]
Delta = Annotated[
    float | None,
    Number(
        "How often the guarantees may fail.",
        least=SMALLEST,
        below=1,
        otherwise=f"{DELTA:g} (raw coding: {RAW_DELTA:g})",
    ),
]
Alpha = Annotated[
    float | None,
    Number(
        "Ridge penalty.",
        least=SMALLEST_ALPHA,
        most=LARGEST,
        otherwise="5 with the radii `valid` and `ridge`, else 1 (raw coding: 1)",
    ),
]
Sigma = Annotated[
    float | None,
    Number(
        "Sub-Gaussian constant of the noise, in reward units.",
        least=SMALLEST,
        most=LARGEST,
        otherwise="half the reward range (raw coding: 1)",
    ),
]
B1 = Annotated[
    float | None,
    Number(
        "Bound on the 1-norm of an arm's parameters, in reward units.",
        least=SMALLEST,
        most=LARGEST,
        otherwise="derived",
    ),
]
B2 = Annotated[
    float | None,
    Number(
        "Bound on the 2-norm of an arm's parameters, in reward units.",
        least=SMALLEST,
        most=LARGEST,
        otherwise="derived",
    ),
]
INTERACTIVE = Words(
    "Ask only what can still matter; `true` is `certified`.",
    words=("certified", "paper_heuristic"),
    flags=True,
    otherwise="`false`",
)
Interactive = Annotated[bool | str, INTERACTIVE]
Grain = Annotated[
    str | None,
    Words(
        "Interactive: ask an arm's questions at once, or one question at a time.",
        words=("arm", "question"),
        otherwise="`arm`",
    ),
]
RADIUS = "How wide the confidence sets are."
ValidRadius = Annotated[str | None, Words(RADIUS, words=("valid",), otherwise="`valid`")]
Growth = Annotated[
    float | None,
    Number(
        "By which factor an epoch makes an arm's rows grow.",
        above=1,
        most=MOST_GROWTH,
        otherwise=f"{GROWTH:g}",
    ),
]
Optimism = Annotated[
    float | str,
    Number(
        "How many standard errors a score is above its mean; `valid`: the set's bound.",
        least=0,
        most=100,
        words=("valid",),
    ),
]
PAYBACK = Flag("Let visits play arms for whose sake they were asked more.")
SHARE_OF_VISITS = "a share of visits, from 0 to 1"
Explore = Annotated[
    float,
    Number(
        "Chance that the t-th visit draws its arm from all, times t^(1/3).",
        least=0,
        most=1,
        give=SHARE_OF_VISITS,
    ),
]
ExploreFloor = Annotated[
    float,
    Number("The least that this chance can be.", least=0, most=1, give=SHARE_OF_VISITS),
]
JudgeSkips = Annotated[
    bool, Flag("Whether a skip must be shown to say no more than an answer, too.")
]
PLANNED = Whole(
    "For how many people the study is planned.",
    least=1,
    most=MOST_PEOPLE,
    give=f"how many people the study is planned for, a whole number from 1 to {MOST_PEOPLE}",
    example=150,
)


def default_delta(survey: Survey) -> float:
    """Return how often the guarantees may fail, unless it is given."""
    return RAW_DELTA if survey.coding == "raw" else DELTA
