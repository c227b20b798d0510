"""The kinds of settings: one description says what may be given, what it means, what is refused.

Where a policy's constructor takes a setting, its annotation describes it; the policy's section in
study files, the JSON Schema, the command line's options, the tables of the docs and what a refusal
says follow from that.

>>> chance = Number("How often an arm is drawn.", least=0, most=1)
>>> chance.check(0.25, "epsilon")
0.25
>>> chance.check(2, "epsilon")
Traceback (most recent call last):
    ...
askless.errors.SettingError: epsilon is 2; give a number from 0 to 1
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

from askless.errors import SettingError, near, shown
from askless.survey.names import check_flag, check_number
from askless.whole import check_whole

__all__ = ["SEED", "Flag", "Number", "Seed", "Setting", "Table", "Whole", "Words"]

TINY = 1e-6  # a least value below it is said as: above 0
FLAGS = {"true": True, "false": False}


@dataclass(frozen=True)
class Setting(ABC):
    """What all kinds of settings have.

    Parameters
    ----------
    about : str
        What it says, in one line.
    give : str
        What a refusal asks for; derived from the bounds if left out.
    otherwise : str
        What holds if it is left out, in words, where that is no plain default.
    example : object
        A value that fits most studies, for checks of settings that must be given.
    """

    about: str
    _: KW_ONLY
    give: str = ""
    otherwise: str = ""
    example: Any = None
    in_files: ClassVar[bool] = True  # whether a file or a command can say it

    @abstractmethod
    def check(self, value: Any, name: str) -> Any:
        """Return a value as plain data, or refuse it by name."""

    @property
    @abstractmethod
    def values(self) -> str:
        """What may be given, for people."""

    def read(self, text: str) -> Any:
        """Return the value that a text on a command line stands for; `check` refuses others."""
        return text

    def refusal(self, value: str, name: str, give: str = "") -> SettingError:
        """Return the error that asks for another value; the name goes with it."""
        return SettingError(f"{name} is {value}; give {give or self.give or self.values}", name)


@dataclass(frozen=True)
class Number(Setting):
    """A finite number, from `least` to `most`, above `above`, below `below`; or one of `words`."""

    _: KW_ONLY
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    words: tuple[str, ...] = ()

    def check(self, value: Any, name: str) -> float | str:
        """Return a number as a float, or one of the words."""
        if self.words and isinstance(value, str):
            if value in self.words:
                return value
            raise self.refusal(shown(value), name)
        number = check_number(value, name)
        if self.least is not None and 0 < number < self.least < TINY:
            raise self.refusal(f"{number:g}", name, f"one of at least {self.least:g}")
        if not (
            (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
            and (self.below is None or number < self.below)
        ):
            raise self.refusal(f"{number:g}", name)
        return number

    @property
    def values(self) -> str:
        """Which numbers, and which words."""
        words = "".join(f", or {word!r}" for word in self.words)
        return f"a number{self._range()}{words}"

    def _range(self) -> str:
        least, above = self.least, self.above
        if least is not None and 0 < least < TINY:
            least, above = None, 0.0
        if least is not None:
            if self.most is not None:
                return f" from {least:g} to {self.most:g}"
            end = "" if self.below is None else f", below {self.below:g}"
            return f", {least:g} or more" if not end else f" from {least:g}{end}"
        if above is not None and self.below is not None:
            return f" between {above:g} and {self.below:g}"
        low = "" if above is None else f" above {above:g}"
        high = "" if self.below is None else f" below {self.below:g}"
        high = high if self.most is None else f" up to {self.most:g}"
        return f"{low},{high}" if low and high else low or high

    def read(self, text: str) -> float | str:
        """Return the number that a text stands for."""
        try:
            return float(text)
        except ValueError:
            return text


@dataclass(frozen=True)
class Whole(Setting):
    """A whole number from `least` to `most`."""

    _: KW_ONLY
    least: int
    most: int

    def check(self, value: Any, name: str) -> int:
        """Return a whole number as an int."""
        try:
            return check_whole(value, name, self.least, self.most)
        except SettingError:
            raise self.refusal(shown(value), name) from None

    @property
    def values(self) -> str:
        """Which whole numbers."""
        return f"a whole number from {self.least} to {self.most}"

    def read(self, text: str) -> int | str:
        """Return the whole number that a text stands for."""
        try:
            return int(text)
        except ValueError:
            return text


@dataclass(frozen=True)
class Flag(Setting):
    """True or False."""

    def check(self, value: Any, name: str) -> bool:
        """Return a flag as a bool."""
        return check_flag(value, name)

    @property
    def values(self) -> str:
        """Both of them."""
        return "True or False"

    def read(self, text: str) -> bool | str:
        """Return the flag that a text stands for."""
        return FLAGS.get(text.lower(), text)


@dataclass(frozen=True)
class Words(Setting):
    """One of some `words`; with `flags` also True or False."""

    _: KW_ONLY
    words: tuple[str, ...]
    flags: bool = False

    def check(self, value: Any, name: str) -> str | bool:
        """Return one of the words, or a flag where these are allowed."""
        if isinstance(value, str) and value in self.words:
            return str.__str__(value)
        if self.flags and not isinstance(value, str):
            try:
                return check_flag(value, name)
            except SettingError:
                pass  # the words are allowed too
        hint = near(value, self.words) if isinstance(value, str) else ""
        raise SettingError(f"{name} is {shown(value)}{hint or f'; choose {self.values}'}", name)

    @property
    def values(self) -> str:
        """The words."""
        return "True, False or " * self.flags + " or ".join(map(repr, self.words))

    def read(self, text: str) -> bool | str:
        """Return the word or the flag that a text stands for."""
        return FLAGS.get(text.lower(), text) if self.flags else text


@dataclass(frozen=True)
class Table(Setting):
    """A table of numbers, which code alone can give; the constructor checks it."""

    in_files: ClassVar[bool] = False

    def check(self, value: Any, name: str) -> Any:  # noqa: ARG002
        """Return it as it is."""
        return value

    @property
    def values(self) -> str:
        """What it is."""
        return "a table of numbers"


SEED = Whole(
    "Seed of all draws.",
    least=0,
    most=2**64 - 1,
    give="a whole number from 0 to 2^64 - 1",
)
Seed = Annotated[int, SEED]
