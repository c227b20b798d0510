"""What a rule may say of each kind of question, and the numbers by which answers are compared."""

from __future__ import annotations

import itertools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.errors import SettingError, meant, shown
from askless.survey.kinds import Choice, Multi, Scale, YesNo
from askless.survey.question import Answer, Question
from askless.survey.rule import COMPARISONS, Test, Value, wrong

__all__ = ["READINGS", "Compared"]

ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
YES, NO = ("yes", "true"), ("no", "false")


@dataclass(frozen=True)
class Compared:
    """A comparison in numbers: what a person is, by `Reading.number`, beside what a rule names."""

    question: str
    how: str
    numbers: tuple[float, ...]
    option: str | None = None  # of a multi

    def truth(self, values: Floats) -> Flags:
        """Return where it holds; NaN, a skip, is never in any comparison."""
        if self.how in ORDERS:
            return np.asarray(ORDERS[self.how](values, self.numbers[0]))
        among = np.isin(values, self.numbers)
        return among if self.how == "==" else ~(among | np.isnan(values))


class Reading(ABC):
    """How rules read questions of one kind."""

    @abstractmethod
    def compared(self, question: Any, test: Test) -> Compared:
        """Return a comparison in numbers, or refuse what cannot be said of such a question."""

    @abstractmethod
    def number(self, question: Any, answer: Any, option: str | None) -> float:
        """Return the number of an answer that is no skip."""

    @abstractmethod
    def numbers(self, question: Any, values: Floats, option: str | None, *, raw: bool) -> Floats:
        """Return the numbers of many encoded answers (n × own columns), as if none were a skip.

        They are those of `question.decode`, to the last bit.
        """

    @abstractmethod
    def cells(self, question: Any, used: list[Compared]) -> Iterator[Answer]:
        """Go through answers of which one stands for each way in which rules can see it."""

    def of_answer(self, question: Question, answer: Answer, option: str | None) -> float:
        """Return the number of an answer; NaN of a skip."""
        return float("nan") if answer is None else self.number(question, answer, option)

    def of_columns(
        self, question: Question, values: Floats, option: str | None, *, raw: bool
    ) -> Floats:
        """Return the numbers of the columns that a question owns (n × width); NaN of a skip."""
        found = self.numbers(question, values[:, : question.own_width], option, raw=raw)
        unsaid = np.isnan(values[:, 0])
        if question.may_skip:
            unsaid = unsaid | (values[:, -1] == 1.0)
        return np.where(unsaid, np.nan, found)

    def all_cells(self, question: Question, used: list[Compared]) -> list[Answer]:
        """Return the cells, that of a skip included."""
        return [*self.cells(question, used), *([None] if question.may_skip else [])]


def _said(test: Test, question: Question, instead: str) -> SettingError:
    """Return the error of a comparison that a kind of question does not have."""
    kind = question.kind.replace("_", "/")
    lacks = "cannot stand alone" if test.how == "is" else f"has no {test.how}"
    return wrong(test.at, f"question {question.name!r} is a {kind}, which {lacks}; write {instead}")


def _option(question: Choice | Multi, value: Value, at: int) -> str:
    if value.text not in question.options:
        raise wrong(
            at,
            f"question {question.name!r} has no option {shown(value.text)}"
            f"{meant(value.text, question.options, 'its options are')}",
        )
    return value.text


class ScaleReading(Reading):
    """A scale is compared with numbers from its low to its high."""

    def compared(self, question: Scale, test: Test) -> Compared:
        low, high = f"{question.low:.10g}", f"{question.high:.10g}"
        if test.how not in COMPARISONS:
            raise _said(test, question, f"{low} <= {question.name} < {high}")
        (value,) = test.values
        if value.number is None:
            raise wrong(
                test.at,
                f"question {question.name!r} is a scale, and {shown(value.text)} is no number; give"
                f" one from {low} to {high}, without quotes",
            )
        if not question.low <= value.number <= question.high:
            raise wrong(
                test.at,
                f"question {question.name!r} is from {low} to {high}, and {value.text} is outside;"
                " give a number within",
            )
        return Compared(question.name, test.how, (value.number,))

    def number(self, question: Scale, answer: Any, option: str | None) -> float:  # noqa: ARG002
        return float(answer)

    def numbers(
        self,
        question: Scale,
        values: Floats,
        option: str | None,  # noqa: ARG002
        *,
        raw: bool,
    ) -> Floats:
        share = values[:, 0] + (0.0 if raw else 0.5)  # as Scale decodes
        inside = question.low + share * (question.high - question.low)
        return np.where(share < 1, inside, question.high)

    def cells(self, question: Scale, used: list[Compared]) -> Iterator[Answer]:
        cuts = sorted({question.low, question.high, *(test.numbers[0] for test in used)})
        for low, high in itertools.pairwise(cuts):
            yield low
            between = low + (high - low) / 2
            if low < between < high:
                yield between
        yield cuts[-1]


class YesNoReading(Reading):
    """A yes/no stands alone, or is compared with yes and no."""

    def compared(self, question: YesNo, test: Test) -> Compared:
        if test.how == "is":
            return Compared(question.name, "==", (1.0,))
        if test.how not in ("==", "!="):
            raise _said(test, question, f"{question.name}, or {question.name} == no")
        word = test.values[0].text.lower()
        if word not in YES + NO:
            raise wrong(
                test.at,
                f"question {question.name!r} is a yes/no, and {shown(test.values[0].text)} is"
                f" neither; write {question.name} == yes or {question.name} == no",
            )
        return Compared(question.name, test.how, (float(word in YES),))

    def number(self, question: YesNo, answer: Any, option: str | None) -> float:  # noqa: ARG002
        return float(answer)

    def numbers(
        self,
        question: YesNo,  # noqa: ARG002
        values: Floats,
        option: str | None,  # noqa: ARG002
        *,
        raw: bool,  # noqa: ARG002
    ) -> Floats:
        return (values[:, 0] > 0).astype(np.float64)

    def cells(self, question: YesNo, used: list[Compared]) -> Iterator[Answer]:  # noqa: ARG002
        yield from (False, True)


class ChoiceReading(Reading):
    """A choice is one of its options, or one of several."""

    def compared(self, question: Choice, test: Test) -> Compared:
        first = question.options[0]
        if test.how not in ("==", "!=", "in", "not in"):
            raise _said(test, question, f"{question.name} == {first}")
        places = [
            float(question.options.index(_option(question, value, test.at)))
            for value in test.values
        ]
        how = {"in": "==", "not in": "!="}.get(test.how, test.how)
        return Compared(question.name, how, tuple(places))

    def number(self, question: Choice, answer: Any, option: str | None) -> float:  # noqa: ARG002
        return float(question.options.index(answer))

    def numbers(
        self,
        question: Choice,  # noqa: ARG002
        values: Floats,
        option: str | None,  # noqa: ARG002
        *,
        raw: bool,  # noqa: ARG002
    ) -> Floats:
        return np.asarray(values.argmax(axis=1), dtype=np.float64)

    def cells(self, question: Choice, used: list[Compared]) -> Iterator[Answer]:
        named = sorted({int(place) for test in used for place in test.numbers})
        yield from (question.options[place] for place in named)
        others = [option for k, option in enumerate(question.options) if k not in named]
        yield from others[:1]  # to the rules they are all alike


class MultiReading(Reading):
    """A multi has some of its options."""

    def compared(self, question: Multi, test: Test) -> Compared:
        if test.how != "has":
            raise _said(test, question, f"{question.name} has {question.options[0]}")
        return Compared(question.name, "==", (1.0,), _option(question, test.values[0], test.at))

    def number(self, question: Multi, answer: Any, option: str | None) -> float:  # noqa: ARG002
        return float(option in answer)

    def numbers(
        self,
        question: Multi,
        values: Floats,
        option: str | None,
        *,
        raw: bool,  # noqa: ARG002
    ) -> Floats:
        place = question.options.index(option or "")
        return (values[:, place] > 0).astype(np.float64)

    def cells(self, question: Multi, used: list[Compared]) -> Iterator[Answer]:
        named = [option for option in question.options if option in {test.option for test in used}]
        for chosen in itertools.product([False, True], repeat=len(named)):
            yield list(itertools.compress(named, chosen))


READINGS: dict[str, Reading] = {
    Scale.kind: ScaleReading(),
    YesNo.kind: YesNoReading(),
    Choice.kind: ChoiceReading(),
    Multi.kind: MultiReading(),
}
