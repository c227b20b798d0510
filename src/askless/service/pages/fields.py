"""Questions as fields of a form, and what people put into them as answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from starlette.datastructures import FormData

from askless.survey import Choice, Multi, RewardRange, Scale, YesNo
from askless.survey.pages import QuestionWords, RewardQuestion
from askless.survey.question import Answer, Question

__all__ = ["Field", "Typed", "field_of", "read_answer", "reward_field", "reward_steps", "typed_as"]

Say = Callable[..., str]
SKIP, NONE = "-", "+"  # beside the numbers of options
MOST_RADIOS = 15  # more options are a list that opens
MARKS = {ord("٫"): ".", ord("٬"): ",", ord("−"): "-"}
DIGITS = {ord(digit): str(i % 10) for i, digit in enumerate("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹")}
NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,30})?")
GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3}){2,4}(\.\d*)?|[+-]?\d{1,3}(,\d{3})+\.\d+")
SPACED = re.compile(r"(?<=\d)[ \u00a0\u202f'’](?=\d{3}(\D|$))")
THOUSANDS = re.compile(r"\d,\d{3}(\D|$)")


@dataclass(frozen=True)
class Typed:
    """What stands in a field: a text, or what is ticked."""

    text: str = ""
    ticked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """A question as a form shows it.

    Attributes
    ----------
    name : str
        Of its inputs.
    kind : str
        number, one (of some), list (one of many), any (of some) or rating.
    text, help : str
        What people read.
    choices : list of tuple of str
        Value and label of each.
    skips : bool
        Whether there is a box for not answering beside it.
    typed : Typed
        What stands in it.
    problem : str
        What is wrong with that.
    signed : bool
        Whether a number may be below 0.
    """

    name: str
    kind: str
    text: str
    help: str = ""
    choices: list[tuple[str, str]] = field(default_factory=list)
    skips: bool = False
    typed: Typed = Typed()
    problem: str = ""
    signed: bool = False

    @property
    def first(self) -> str:
        """The id of the input to which a problem leads."""
        return self.name if self.kind in ("number", "list") else f"{self.name}-{self.choices[0][0]}"


def field_of(
    index: int, question: Question, words: QuestionWords, say: Say, typed: Typed, problem: str = ""
) -> Field:
    """Return a question of the survey as a field."""
    skip = [(SKIP, say("prefer_not"))] * question.may_skip
    shared: dict[str, Any] = {"typed": typed, "problem": problem}
    name, text = f"a{index}", words.text
    if isinstance(question, Scale):
        ends = _ends(question.low, question.high)
        hint = " · ".join(part for part in (words.help, say("range", **ends)) if part)
        signed = question.low < 0
        return Field(name, "number", text, hint, skips=question.may_skip, signed=signed, **shared)
    if isinstance(question, YesNo):
        choices = [("1", say("yes")), ("0", say("no")), *skip]
        return Field(name, "one", text, words.help, choices, **shared)
    assert isinstance(question, Choice | Multi)
    options = [(str(i), words.options[option]) for i, option in enumerate(question.options)]
    if isinstance(question, Multi):
        options.append((NONE, say("none")))
        return Field(name, "any", text, words.help, options, question.may_skip, **shared)
    kind = "one" if len(options) <= MOST_RADIOS else "list"
    return Field(name, kind, text, words.help, options + skip, **shared)


def typed_as(question: Question, answer: Answer) -> Typed:
    """Return how a field looks that holds an answer."""
    if answer is None:
        return Typed(ticked=(SKIP,))
    if isinstance(question, YesNo):
        return Typed(ticked=("1" if answer else "0",))
    if isinstance(question, Choice):
        return Typed(ticked=(str(question.options.index(str(answer))),))
    if isinstance(question, Multi):
        assert isinstance(answer, list)
        return Typed(ticked=tuple(str(question.options.index(o)) for o in answer) or (NONE,))
    assert isinstance(answer, int | float)
    return Typed(text=in_digits(answer))


def in_digits(value: float) -> str:
    """Write a number without an exponent, so that it can be sent again as it stands.

    >>> in_digits(0.00001), in_digits(1e12), in_digits(2.5)
    ('0.00001', '1000000000000', '2.5')
    """
    return np.format_float_positional(value, trim="-")


def _ends(low: float, high: float) -> dict[str, str]:
    """Write the ends of a range; a minus stays before its number also from right to left."""
    return {"low": _apart(_grouped(low)), "high": _apart(_grouped(high))}


def _grouped(value: float) -> str:
    """Write a number for people to read: large ones in groups of three digits."""
    whole, dot, rest = in_digits(value).partition(".")
    if abs(value) >= 10_000:
        whole = f"{int(whole):,}".replace(",", "\u202f")
    return whole + dot + rest


def _apart(number: str) -> str:
    return f"\u2066{number}\u2069" if number.startswith("-") else number


def read_answer(
    index: int, question: Question, form: FormData, say: Say
) -> tuple[Typed, Answer, str]:
    """Return what was typed, the answer that it is, and what is wrong with it if it is none."""
    name = f"a{index}"
    given = [value for value in form.getlist(name) if isinstance(value, str)]
    box = [value for value in form.getlist(f"{name}-skip") if value == SKIP]
    if isinstance(question, Scale):
        text = given[0].strip()[:40] if given else ""
        typed = Typed(text=text, ticked=tuple(box))
        if len(set(given)) > 1:  # which of them?
            return typed, None, say("need_number", **_ends(question.low, question.high))
        return (typed, *_number(question.low, question.high, text, _skips(question, box), say))
    ticked = list(dict.fromkeys(given[:200] + box))
    typed = Typed(ticked=tuple(ticked))
    if isinstance(question, Multi):
        return (typed, *_any(question, ticked, _skips(question, box), say))
    known: dict[str, Answer] = {"1": True, "0": False}
    if isinstance(question, Choice):
        known = {str(i): option for i, option in enumerate(question.options)}
    if question.may_skip:
        known[SKIP] = None
    if len(ticked) != 1 or ticked[0] not in known:
        return typed, None, say("need_choice")
    return typed, known[ticked[0]], ""


def _skips(question: Question, box: list[str]) -> bool:
    return question.may_skip and bool(box)


def _number(low: float, high: float, text: str, skips: bool, say: Say) -> tuple[Answer, str]:
    if skips:
        return None, say("need_either") if text else ""
    plain = text.translate(DIGITS).translate(MARKS)
    plain = SPACED.sub("", plain)
    if GROUPED.fullmatch(plain):
        plain = plain.replace(",", "")
    elif "," in plain and not THOUSANDS.search(plain):  # 1,000 may be one or a thousand
        plain = plain.replace(",", ".")
    value = float(plain) if NUMBER.fullmatch(plain) else None
    if value is None or not low <= value <= high:
        wrong = say("need_number", **_ends(low, high))
        return None, f"{wrong}. {say('need_digits')}" if value is None and text else wrong
    return int(value) if value.is_integer() else value, ""


def _any(question: Multi, ticked: list[str], skips: bool, say: Say) -> tuple[Answer, str]:
    options = {str(i): option for i, option in enumerate(question.options)}
    if not set(ticked) <= {*options, NONE, *[SKIP] * skips}:
        return None, say("need_options")
    chosen = [options[value] for value in ticked if value in options]
    if bool(chosen) + (NONE in ticked) + skips > 1:
        return None, say("need_either" if skips else "need_options")
    if skips:
        return None, ""
    if not chosen and NONE not in ticked:
        return None, say("need_options")
    return [option for option in question.options if option in chosen], ""


# -- the reward question -------------------------------------------------------------------------


def reward_steps(reward: RewardRange) -> dict[str, float]:
    """Return the steps of a rating: whole numbers of a short range, else 0 to 10 spread over it.

    >>> reward_steps(RewardRange(0, 100))["7"]
    70.0
    >>> list(reward_steps(RewardRange(1, 5)))
    ['1', '2', '3', '4', '5']
    """
    low, high = reward.low, reward.high
    if low.is_integer() and high.is_integer() and high - low <= 10:
        return {str(step): float(step) for step in range(int(low), int(high) + 1)}
    return {str(i): low + (high - low) * i / 10 for i in range(11)}


def reward_field(
    asked: RewardQuestion, text: str, reward: RewardRange, say: Say, typed: Typed, problem: str
) -> Field:
    """Return the reward question as a field."""
    if asked.ask == "amount":
        hint, signed = say("range", **_ends(reward.low, reward.high)), reward.low < 0
        return Field("reward", "number", text, hint, typed=typed, problem=problem, signed=signed)
    steps = list(reward_steps(reward))
    hint = say("rating_range", low=_apart(steps[0]), high=_apart(steps[-1]))
    choices = [(step, step) for step in steps]
    return Field("reward", "rating", text, hint, choices, typed=typed, problem=problem)


def read_reward(
    asked: RewardQuestion, reward: RewardRange, form: FormData, say: Say
) -> tuple[Typed, float | None, str]:
    """Return what was typed, the reward that it is, and what is wrong with it if it is none."""
    given = {value for value in form.getlist("reward") if isinstance(value, str)}
    text = given.pop().strip()[:40] if len(given) == 1 else ""  # of two, which one?
    if asked.ask == "amount":
        value, problem = _number(reward.low, reward.high, text, False, say)
        assert value is None or isinstance(value, int | float)
        return Typed(text=text), value, problem
    step = reward_steps(reward).get(text)
    return Typed(ticked=(text,)), step, "" if step is not None else say("need_choice")
