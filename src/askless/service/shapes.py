"""What is sent and what comes back, as the API describes it (OpenAPI)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from askless.storage import Seen
from askless.survey import Study

__all__ = [
    "Answers",
    "Arms",
    "Changed",
    "Effects",
    "Events",
    "Health",
    "NewVisit",
    "PriceGiven",
    "RewardGiven",
    "Summary",
    "VisitShape",
]

MOST_NUMBER = 1e15
MOST_ENTRIES = 1_000
Words = Annotated[StrictStr, Field(max_length=1_000)]
Number = (
    Annotated[StrictInt, Field(ge=-MOST_NUMBER, le=MOST_NUMBER)]
    | Annotated[StrictFloat, Field(ge=-MOST_NUMBER, le=MOST_NUMBER, allow_inf_nan=False)]
)
AnswerGiven = (
    StrictBool | Number | Words | Annotated[list[Words], Field(max_length=MOST_ENTRIES)] | None
)
AnswersGiven = Annotated[
    dict[Words, AnswerGiven],
    Field(
        max_length=MOST_ENTRIES,
        description="Answers by the names of their questions: a number, true or false, an option,"
        " a list of options, or null for a skip.",
        examples=[{"age": 44, "donor": True, "cause": "animals"}],
    ),
]
OwnId = Annotated[
    StrictStr,
    Field(
        min_length=1,
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f]+$",
        description="The caller's own name of the person; with it, calling again is safe.",
    ),
]


class Sent(BaseModel):
    """What callers send: nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid")


class NewVisit(Sent):
    """A person has come."""

    id: OwnId | None = None
    known: AnswersGiven | None = Field(None, description="Answers held already; not asked again.")
    arms: Annotated[list[Words], Field(min_length=1, max_length=MOST_ENTRIES)] | None = Field(
        None, description="The arms that this person may get; all of them if left out."
    )


class Answers(Sent):
    """Some answers."""

    answers: Annotated[AnswersGiven, Field(min_length=1)]


class RewardGiven(Sent):
    """What the arm brought."""

    reward: Number = Field(description="On the scale of the study file.")


class PriceGiven(Sent):
    """What asking one question may cost from now on."""

    price: Number = Field(description="In reward units, above 0.")


# -- what comes back -----------------------------------------------------------------------------


class QuestionShape(BaseModel):
    """A question to put now."""

    name: str
    kind: Literal["scale", "yes_no", "choice", "multi"]
    text: str
    help: str
    may_skip: bool
    low: float | None = None
    high: float | None = None
    options: list[str] | None = None


class ArmShape(BaseModel):
    """An arm, and its text for people."""

    name: str
    text: str


class VisitShape(BaseModel):
    """A visit as it stands."""

    visit: str = Field(description="How to name it in later calls; nobody guesses it.")
    id: str | None
    number: int
    status: Literal["open", "waiting", "rewarded", "learned", "lost", "silent", "late"]
    asks: list[QuestionShape] = Field(description="Put these now; empty once the arm is decided.")
    at_most: int = Field(description="How many questions are still to come at most; never grows.")
    answers: dict[str, Any]
    arm: ArmShape | None
    reward: float | None


class Changed(BaseModel):
    """Whether a call has changed anything."""

    changed: bool


class Arms(BaseModel):
    """The arms in play."""

    arms: list[ArmShape]


class Health(BaseModel):
    """Whether the service and its database answer."""

    status: Literal["ok"]


class Span(BaseModel):
    """Counts and sums of a day, or of a hundred visits; in all (arm null) or of an arm."""

    start: int = Field(description="Days since 1970, or the number of the hundred.")
    arm: str | None
    started: int
    decided: int
    full: int
    short: int
    checks: int
    asked: int
    rewarded: int
    late: int
    reward: float
    squares: float
    asked_short: int = Field(description="Of asked: in short visits.")


class Summary(BaseModel):
    """How far a study is."""

    study: str
    paused: bool
    stopped: bool
    visits: int
    decided: int
    learned: int
    waiting: int = Field(description="Decided visits whose reward is still to come or to learn.")
    events: int
    questions: list[str]
    arms: list[str] = Field(description="Those in play.")
    support: dict[str, list[str]] = Field(description="Per arm, the questions that its model uses.")
    form: list[str] | None = Field(description="The short form, where one stands.")
    asked_now: list[str] = Field(description="What a full visit asks now, at most.")
    spans: list[Span]


class EffectShape(BaseModel):
    """See `askless.Effect`."""

    arm: str
    question: str
    answers: str
    estimate: float | None
    low: float | None
    high: float | None
    end_low: float | None
    end_high: float | None
    epochs: int
    kept: bool
    dropped_at: int | None
    why: str


class Effects(BaseModel):
    """What answers bring an arm."""

    effects: list[EffectShape]


class EventShape(BaseModel):
    """A line of the journal."""

    serial: int
    at: float
    kind: str
    visit: int | None
    body: dict[str, Any]


class Events(BaseModel):
    """Some lines of the journal, and after which one to go on (null at its end)."""

    events: list[EventShape]
    next: int | None


class Texts:
    """The words of a study, as callers get them: made once."""

    def __init__(self, study: Study) -> None:
        self._arms = {arm.name: {"name": arm.name, "text": arm.text} for arm in study.arms}
        self._questions: dict[str, dict[str, Any]] = {}
        for question in study.survey:
            said: dict[str, Any] = {
                "name": question.name,
                "kind": question.kind,
                "text": question.text,
                "help": question.help,
                "may_skip": question.may_skip,
            }
            for more in ("low", "high", "options"):
                if hasattr(question, more):
                    said[more] = getattr(question, more)
            self._questions[question.name] = said

    def visit(self, seen: Seen) -> dict[str, Any]:
        """Return a visit in the shape of `VisitShape`."""
        return {
            "visit": seen.visit,
            "id": seen.own,
            "number": seen.number,
            "status": seen.status,
            "asks": [self._questions[name] for name in seen.asks],
            "at_most": seen.at_most,
            "answers": seen.answers,
            "arm": None if seen.arm is None else self._arms[seen.arm],
            "reward": seen.reward,
        }
