"""Whole numbers kept as ranges: which visits have been learned takes no room to speak of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from askless.errors import StateError, shown

__all__ = ["MOST_NUMBER", "Numbers"]

MOST_NUMBER = 2**63 - 1  # of a visit


class Numbers:
    """A set of whole numbers that mostly follow each other.

    >>> learned = Numbers()
    >>> for number in (0, 1, 2, 7, 3):
    ...     learned.add(number)
    >>> learned.to_data(), 5 in learned, len(learned)
    ([[0, 3], [7, 7]], False, 5)
    """

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        for first, last in spans:
            self._firsts.append(first)
            self._lasts.append(last)

    def __contains__(self, number: int) -> bool:
        i = bisect_right(self._firsts, number)
        return i > 0 and number <= self._lasts[i - 1]

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.spans())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbers) and self.to_data() == other.to_data()

    __hash__ = None  # type: ignore[assignment]  # it changes

    @property
    def last(self) -> int:
        """The largest number; -1 where there is none."""
        return self._lasts[-1] if self._lasts else -1

    def spans(self) -> Iterator[tuple[int, int]]:
        """Go through the ranges: first and last number of each."""
        return zip(self._firsts, self._lasts, strict=True)

    def add(self, number: int) -> None:
        """Add a number."""
        i = bisect_right(self._firsts, number)
        if i > 0 and number <= self._lasts[i - 1]:
            return
        before = i > 0 and self._lasts[i - 1] == number - 1
        after = i < len(self._firsts) and self._firsts[i] == number + 1
        if before and after:
            self._lasts[i - 1] = self._lasts.pop(i)
            del self._firsts[i]
        elif before:
            self._lasts[i - 1] = number
        elif after:
            self._firsts[i] = number
        else:
            self._firsts.insert(i, number)
            self._lasts.insert(i, number)

    def remove(self, number: int) -> None:
        """Take a number out that is there."""
        i = bisect_right(self._firsts, number) - 1
        first, last = self._firsts[i], self._lasts[i]
        parts = [(first, number - 1), (number + 1, last)]
        left = [(low, high) for low, high in parts if low <= high]
        self._firsts[i : i + 1] = [low for low, _ in left]
        self._lasts[i : i + 1] = [high for _, high in left]

    def free(self, number: int) -> int:
        """Return this number, or the first one after it that is not there."""
        i = bisect_right(self._firsts, number)
        return max(number, self._lasts[i - 1] + 1) if i > 0 else number

    def shared(self, other: Numbers) -> int | None:
        """Return a number that is in both, if there is one."""
        for first, last in other.spans():
            i = bisect_right(self._firsts, last)
            if i > 0 and self._lasts[i - 1] >= first:
                return max(first, self._firsts[i - 1])
        return None

    def joined(self, other: Numbers) -> Numbers:
        """Return the numbers of both, which have none in common."""
        spans: list[tuple[int, int]] = []
        for first, last in sorted([*self.spans(), *other.spans()]):
            if spans and spans[-1][1] == first - 1:
                spans[-1] = spans[-1][0], last
            else:
                spans.append((first, last))
        return Numbers(spans)

    def to_data(self) -> list[list[int]]:
        """Return the ranges as plain data."""
        return [list(span) for span in self.spans()]

    @classmethod
    def from_data(cls, data: Any) -> Numbers:
        """Take back what `to_data` returned; refuse what cannot be."""
        if not isinstance(data, list) or not all(isinstance(span, list) for span in data):
            raise StateError(f"its learned visits {shown(data)} are no list of ranges")
        spans = [tuple(span) for span in data]
        last = -2
        for span in spans:
            whole = len(span) == 2 and all(type(end) is int for end in span)
            if not whole or not last + 1 < span[0] <= span[1] <= MOST_NUMBER:
                raise StateError(f"its learned visits {shown(span)} are no range that can be")
            last = span[1]
        return cls(spans)
