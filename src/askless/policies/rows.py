"""Rows about a policy: a list like any other, whose print is a table and not pages of fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

__all__ = ["Rows", "aligned", "number_of"]

MOST = 20  # lines of a table
WIDEST = 80  # columns of a terminal
FEWEST = 4  # characters that are left of a name

Row = TypeVar("Row")


class Rows(list[Row], Generic[Row]):
    """A list of rows, equal to any list of the same; printing it shows the weightiest of them."""

    headings: ClassVar[tuple[str, ...]]
    names: ClassVar[int]  # how many columns are names, which are cut where lines would be too long
    note: ClassVar[str] = ""

    def cells(self, row: Row) -> Sequence[str]:
        """Return a row's cells."""
        raise NotImplementedError

    def weight(self, row: Row) -> float:
        """Return how important a row is to see; of too many, the others are left out."""
        raise NotImplementedError

    def __str__(self) -> str:
        if not self:
            return "no rows"
        first = sorted(range(len(self)), key=lambda i: -self.weight(self[i]))[:MOST]
        lines = [list(self.headings), *(list(self.cells(self[i])) for i in sorted(first))]
        shown, longest = aligned(lines), max(len(cell) for line in lines for cell in line)
        while max(map(len, shown)) > WIDEST and longest > FEWEST:
            longest -= 1
            shown = aligned([self._cut(line, longest) for line in lines])
        more = len(self) - len(first)
        all_of_them = "with smaller estimates; pandas.DataFrame(map(dict, rows)) has all"
        return "\n".join(
            [
                *shown,
                *([f"and {more:,} more, {all_of_them}"] if more else []),
                *([self.note] if self.note else []),
            ]
        )

    def _cut(self, line: list[str], longest: int) -> list[str]:
        names = (
            name if len(name) <= longest else f"{name[: longest - 1]}…"
            for name in line[: self.names]
        )
        return [*names, *line[self.names :]]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002
        """Show the table in a notebook too."""
        printer.text(str(self))


def number_of(value: float | None) -> str:
    """Return a number as a table has it."""
    return "" if value is None else f"{value:.4g}"


def aligned(lines: list[list[str]]) -> list[str]:
    """Put cells below each other: words to the left, numbers to the right."""
    columns = list(zip(*lines, strict=True))
    widths = [max(map(len, column)) for column in columns]
    numeric = [all(_is_number(cell) for cell in column[1:]) for column in columns]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    ]


def _is_number(cell: str) -> bool:
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True
