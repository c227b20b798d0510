"""The kinds of questions: what each may be answered, and how answers become columns (maths 1.1)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from askless.core.arrays import Floats
from askless.core.words import GRID, NUMBER, ONE_HOT, SIGNS
from askless.errors import SettingError
from askless.survey.names import check_name, check_number
from askless.survey.question import Answer, Question

__all__ = ["KINDS", "Choice", "Multi", "Scale", "YesNo", "question_from_dict"]

MOST_MULTI_OPTIONS = 10  # a multi of r options has 2^(r-1) directions


@dataclass(frozen=True)
class Scale(Question):
    """A number between two ends.

    Examples
    --------
    >>> Scale("age", low=18, high=90, text="How old are you?").encode(54)
    array([0.])
    """

    _: KW_ONLY
    low: float
    high: float

    kind: ClassVar[str] = "scale"
    columns_kind: ClassVar[int] = NUMBER

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f"question {self.name!r}"
        low = check_number(self.low, f"{where}: low")
        high = check_number(self.high, f"{where}: high")
        if low >= high:
            raise SettingError(f"{where}: low ({low:g}) must be below high ({high:g})")
        if not math.isfinite(high - low):
            raise SettingError(f"{where}: the scale from {low:g} to {high:g} is too long")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        if [*self._encode(low, raw=False), *self._encode(high, raw=False)] != [-0.5, 0.5]:
            raise SettingError(f"{where}: the scale from {low!r} to {high!r} is too short")

    def _extremes(self, *, raw: bool) -> Floats:
        return np.array([[0.0], [1.0]] if raw else [[-0.5], [0.5]])

    def _directions(self) -> Floats:
        return np.array([[1.0]])

    def _point_names(self) -> list[str]:
        return [f"{end:.10g}" for end in (self.low, self.high)]

    def _direction_names(self) -> list[str]:
        return [f"{self.high:.10g} - {self.low:.10g}"]

    def _check(self, answer: Any) -> Answer:
        allowed = f"a number from {self.low:g} to {self.high:g}"
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            raise self.refusal(answer, allowed)
        if not self.low <= answer <= self.high:
            raise self.refusal(answer, allowed)
        return answer

    def _encode(self, answer: Any, *, raw: bool) -> list[float]:
        share = (answer - self.low) / (self.high - self.low)
        value = share if raw else share - 0.5
        return [math.floor(value * GRID + 0.5) / GRID]

    def _decode(self, values: Floats, *, raw: bool) -> Answer:
        share = float(values[0]) + (0.0 if raw else 0.5)
        return self.low + share * (self.high - self.low) if share < 1 else self.high


@dataclass(frozen=True)
class YesNo(Question):
    """Yes or no, answered as True or False.

    Examples
    --------
    >>> YesNo("donor", may_skip=True).encode(None)
    array([0., 1.])
    """

    kind: ClassVar[str] = "yes_no"
    columns_kind: ClassVar[int] = SIGNS

    def _extremes(self, *, raw: bool) -> Floats:  # noqa: ARG002
        return np.array([[-0.5], [0.5]])

    def _directions(self) -> Floats:
        return np.array([[1.0]])

    def _point_names(self) -> list[str]:
        return ["no", "yes"]

    def _direction_names(self) -> list[str]:
        return ["yes - no"]

    def _check(self, answer: Any) -> Answer:
        if not isinstance(answer, bool):
            raise self.refusal(answer, "True or False")
        return answer

    def _encode(self, answer: Any, *, raw: bool) -> list[float]:  # noqa: ARG002
        return [0.5 if answer else -0.5]

    def _decode(self, values: Floats, *, raw: bool) -> Answer:  # noqa: ARG002
        return bool(values[0] > 0)


@dataclass(frozen=True)
class _Optioned(Question):
    """A question with a list of options."""

    options: tuple[str, ...] = ()

    fewest: ClassVar[int]
    most: ClassVar[int]

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f"question {self.name!r}"
        given: Any = self.options
        unordered = isinstance(given, str | set | frozenset | dict)
        if unordered or not isinstance(given, Iterable):
            raise SettingError(f"{where}: options must be a list of texts")
        options = tuple(check_name(option, f"{where}: an option") for option in given)
        if len(set(options)) < len(options):
            twice = next(o for o in options if options.count(o) > 1)
            raise SettingError(f"{where}: option {twice!r} is listed twice")
        if not self.fewest <= len(options) <= self.most:
            raise SettingError(
                f"{where}: a {self.kind} takes {self.fewest} to {self.most} options,"
                f" this one has {len(options)}"
            )
        object.__setattr__(self, "options", options)

    @property
    def own_width(self) -> int:
        return len(self.options)

    def own_column_names(self) -> list[str]:
        return [f"{self.name} = {option}" for option in self.options]

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "options": list(self.options)}


@dataclass(frozen=True)
class Choice(_Optioned):
    """One of several options.

    Examples
    --------
    >>> Choice("cause", ["children", "animals", "climate"]).directions()
    array([[ 1., -1.,  0.],
           [ 1.,  0., -1.],
           [ 0.,  1., -1.]])
    """

    kind: ClassVar[str] = "choice"
    columns_kind: ClassVar[int] = ONE_HOT
    fewest: ClassVar[int] = 2
    most: ClassVar[int] = 100

    def _extremes(self, *, raw: bool) -> Floats:  # noqa: ARG002
        return np.eye(len(self.options))

    def _directions(self) -> Floats:
        eye = np.eye(len(self.options))
        return np.array([u - v for u, v in itertools.combinations(eye, 2)])

    def _point_names(self) -> list[str]:
        return list(self.options)

    def _direction_names(self) -> list[str]:
        return [f"{u} - {v}" for u, v in itertools.combinations(self.options, 2)]

    def _norm_factors(self) -> tuple[float, float]:
        r = len(self.options)
        return r / 4 + self.may_skip, r / 2 + self.may_skip

    def _check(self, answer: Any) -> Answer:
        if not isinstance(answer, str) or answer not in self.options:
            raise self.refusal(answer, f"one of {', '.join(map(repr, self.options))}")
        return str.__str__(answer)

    def _encode(self, answer: Any, *, raw: bool) -> list[float]:  # noqa: ARG002
        return [float(option == answer) for option in self.options]

    def _decode(self, values: Floats, *, raw: bool) -> Answer:  # noqa: ARG002
        return self.options[int(np.argmax(values))]


@dataclass(frozen=True)
class Multi(_Optioned):
    """Any of several options, none and all included; at most ten.

    Examples
    --------
    >>> Multi("media", ["tv", "radio", "web"]).encode(["web", "tv"])
    array([ 0.5, -0.5,  0.5])
    """

    kind: ClassVar[str] = "multi"
    columns_kind: ClassVar[int] = SIGNS
    fewest: ClassVar[int] = 1
    most: ClassVar[int] = MOST_MULTI_OPTIONS

    def _extremes(self, *, raw: bool) -> Floats:  # noqa: ARG002
        return np.array(list(itertools.product([-0.5, 0.5], repeat=len(self.options))))

    def _directions(self) -> Floats:
        patterns = itertools.product([1.0, -1.0], repeat=len(self.options) - 1)
        return np.array([(1.0, *pattern) for pattern in patterns])

    def _point_names(self) -> list[str]:
        patterns = itertools.product([False, True], repeat=len(self.options))
        return [self._named(pattern) for pattern in patterns]

    def _direction_names(self) -> list[str]:
        signs = self._directions()
        return [f"{self._named(own > 0)} - {self._named(own < 0)}" for own in signs]

    def _named(self, chosen: Iterable[Any]) -> str:
        """Name the options that are chosen; an option with a comma must not look like two."""
        between = "; " if any(", " in option for option in self.options) else ", "
        own = [option for option, was in zip(self.options, chosen, strict=True) if was]
        return between.join(own) or "none of them"

    def _check(self, answer: Any) -> Answer:
        allowed = f"a list of some of {', '.join(map(repr, self.options))}"
        if isinstance(answer, np.ndarray):
            answer = answer.tolist()
        if not isinstance(answer, Sequence | set | frozenset) or isinstance(answer, str):
            raise self.refusal(answer, allowed)
        given = list(answer)
        if any(not isinstance(o, str) or o not in self.options for o in given):
            raise self.refusal(answer, allowed)
        if len(set(given)) < len(given):
            raise self.refusal(answer, f"{allowed}, each at most once")
        return [option for option in self.options if option in given]

    def _encode(self, answer: Any, *, raw: bool) -> list[float]:  # noqa: ARG002
        return [0.5 if option in answer else -0.5 for option in self.options]

    def _decode(self, values: Floats, *, raw: bool) -> Answer:  # noqa: ARG002
        return [option for option, value in zip(self.options, values, strict=True) if value > 0]


KINDS: dict[str, type[Question]] = {kind.kind: kind for kind in (Scale, YesNo, Choice, Multi)}


def question_from_dict(data: dict[str, Any]) -> Question:
    """Build a question from what `Question.to_dict` or a study file says."""
    settings = dict(data)
    return KINDS[settings.pop("kind")](**settings)
