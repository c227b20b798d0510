"""What every kind of question has in common: name, text, cost, and its way into columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from askless.core.arrays import Floats
from askless.errors import AnswerError, SettingError, shown
from askless.survey.names import check_name, check_number, check_text

__all__ = ["Answer", "Question"]

Answer = float | int | bool | str | list[str] | None
MOST_COST = 1e9


@dataclass(frozen=True)
class Question(ABC):
    """What every kind of question has in common; use one of its kinds.

    Parameters
    ----------
    name : str
        How the question is called in code, files and tables.
    text : str
        What the person reads; the name if left out.
    help : str
        A second, smaller line for the person.
    cost : float
        What asking it costs, in any unit you like, from 1e-9 to 1e9.
    always_ask : bool
        Ask everyone, even when no arm's model uses it any more.
    may_skip : bool
        Whether a person may leave it unanswered; a skip is answered as `None`.
    """

    name: str
    _: KW_ONLY
    text: str = ""
    help: str = ""  # the word that study files use
    cost: float = 1.0
    always_ask: bool = False
    may_skip: bool = False

    kind: ClassVar[str]
    columns_kind: ClassVar[int]

    def __post_init__(self) -> None:
        name = check_name(self.name, "a question")
        where = f"question {name!r}"
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "text", check_text(self.text, f"{where}: text") or name)
        object.__setattr__(self, "help", check_text(self.help, f"{where}: help"))
        cost = check_number(self.cost, f"{where}: cost")
        if cost <= 0:
            raise SettingError(f"{where}: cost is {cost:g}; give a number above 0")
        if not 1 / MOST_COST <= cost <= MOST_COST:
            raise SettingError(
                f"{where}: cost is {cost:g}; give a number from {1 / MOST_COST:g} to {MOST_COST:g},"
                " in another unit if need be"
            )
        object.__setattr__(self, "cost", cost)
        for setting in ("always_ask", "may_skip"):
            if not isinstance(getattr(self, setting), bool):
                raise SettingError(
                    f"{where}: {setting} is {shown(getattr(self, setting))}; give True or False"
                )

    # -- what each kind defines ------------------------------------------------------------------

    @property
    def own_width(self) -> int:
        """How many columns the answer itself takes, without the skip column."""
        return 1

    def own_column_names(self) -> list[str]:
        """Names of those columns."""
        return [self.name]

    @abstractmethod
    def _extremes(self, *, raw: bool) -> Floats: ...

    @abstractmethod
    def _directions(self) -> Floats: ...

    @abstractmethod
    def _check(self, answer: Any) -> Answer: ...

    @abstractmethod
    def _encode(self, answer: Any, *, raw: bool) -> list[float]: ...

    @abstractmethod
    def _decode(self, values: Floats, *, raw: bool) -> Answer: ...

    @abstractmethod
    def _point_names(self) -> list[str]: ...

    @abstractmethod
    def _direction_names(self) -> list[str]: ...

    def _norm_factors(self) -> tuple[float, float]:
        return (1.25, 1.5) if self.may_skip else (1.0, 1.0)

    # -- the same for every kind -----------------------------------------------------------------

    @property
    def width(self) -> int:
        """How many columns the question owns, the skip column included."""
        return self.own_width + self.may_skip

    def column_names(self) -> list[str]:
        """Names of its columns."""
        return self.own_column_names() + [f"{self.name} (skipped)"] * self.may_skip

    def extremes(self, *, raw: bool = False) -> Floats:
        """Extreme points of the encoded answers, one a row, without the skip point."""
        return self._extremes(raw=raw)

    def points(self, *, raw: bool = False) -> Floats:
        """Extreme points of the encoded answers, one a row, the skip point last if there is one."""
        points = self._extremes(raw=raw)
        if not self.may_skip:
            return points
        skip = np.eye(self.width)[-1:]
        return np.vstack([np.hstack([points, np.zeros((len(points), 1))]), skip])

    def directions(self) -> Floats:
        """All directions of the question's effect, on its own columns, one a row (maths 1.1)."""
        own = self._directions()
        if not self.may_skip:
            return own
        extremes = self.extremes()
        between = np.hstack([own, np.zeros((len(own), 1))])
        against_skip = np.hstack([extremes, -np.ones((len(extremes), 1))])
        return np.vstack([between, against_skip])

    def effect(self, coefficients: Floats) -> float:
        """Largest change of expected reward that changing only this answer can make (maths 1.1)."""
        return float(np.abs(self.directions() @ coefficients).max())

    def norm_factors(self) -> tuple[float, float]:
        """The c² and c' with ‖β_g‖₂ ≤ c·effect and ‖β_g‖₁ ≤ c'·effect (maths 1.2)."""
        return self._norm_factors()

    def check(self, answer: Any) -> Answer:
        """Return the answer as plain Python, or refuse it.

        Examples
        --------
        >>> from askless import Scale
        >>> Scale("age", low=18, high=90).check(np.float64(30))
        30.0
        """
        if answer is not None:
            return self._check(answer.item() if isinstance(answer, np.generic) else answer)
        if not self.may_skip:
            raise AnswerError(
                f"question {self.name!r} may not be skipped; answer it, or set may_skip"
            )
        return None

    def encode(self, answer: Any, *, raw: bool = False) -> Floats:
        """Turn an answer into the values of its columns (maths 1.1).

        Examples
        --------
        >>> from askless import Choice
        >>> Choice("cause", ["children", "animals"]).encode("animals")
        array([0., 1.])
        """
        return np.array(self.values(self.check(answer), raw=raw), dtype=np.float64)

    def values(self, answer: Answer, *, raw: bool = False) -> list[float]:
        """Return the values of its columns for an answer that has been checked."""
        if answer is None:
            return [*[0.0] * self.own_width, 1.0]
        return [*self._encode(answer, raw=raw), *[0.0] * self.may_skip]

    def decode(self, values: Floats, *, raw: bool = False) -> Answer:
        """Turn the values of its columns back into an answer (a scale's to within the grid)."""
        if self.may_skip and values[-1] == 1.0:
            return None
        return self._decode(values[: self.own_width], raw=raw)

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain data, as in a study file."""
        return {"kind": self.kind, **asdict(self)}

    def meaning(self) -> dict[str, Any]:
        """Return what matters for the columns: everything but the words and the cost."""
        words = ("text", "help", "cost", "always_ask")
        return {key: value for key, value in self.to_dict().items() if key not in words}

    def point_names(self) -> list[str]:
        """Name the extreme answers, the skip included, for people."""
        return self._point_names() + ["a skip"] * self.may_skip

    def direction_names(self) -> list[str]:
        """Name the two answers of each direction, in the order of `directions`.

        Examples
        --------
        >>> from askless import Multi
        >>> Multi("media", ["tv", "web"]).direction_names()
        ['tv, web - none of them', 'tv - web']
        """
        against_skip = [f"{name} - a skip" for name in self._point_names()] * self.may_skip
        return self._direction_names() + against_skip

    def refusal(self, answer: Any, allowed: str) -> AnswerError:
        """Build the one error for an answer that does not fit."""
        return AnswerError(
            f"question {self.name!r}: the answer {shown(answer)} is not {allowed}",
            discreet=f"question {self.name!r}: the answer is not {allowed}",
        )
