"""A table of measurements: as text, as Markdown, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Cell = str | int | float | None


@dataclass
class Table:
    """Rows under a title and headings."""

    name: str
    title: str
    headings: tuple[str, ...]
    rows: list[tuple[Cell, ...]] = field(default_factory=list)

    def add(self, *cells: Cell) -> None:
        """Add a row."""
        if len(cells) != len(self.headings):
            raise ValueError(f"{len(cells)} cells under {len(self.headings)} headings")
        self.rows.append(cells)

    def shown(self) -> list[list[str]]:
        """Return headings and rows as strings."""
        return [
            list(self.headings),
            *(
                [shown(cell, name) for cell, name in zip(row, self.headings, strict=True)]
                for row in self.rows
            ),
        ]

    def text(self) -> str:
        """Return the table for a terminal."""
        cells = self.shown()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        return "\n".join([self.title, *lines])

    def markdown(self) -> str:
        """Return the table for a page of docs."""
        head, *rows = ("| " + " | ".join(row) + " |" for row in self.shown())
        rule = "|" + "|".join("---" if i == 0 else "---:" for i in range(len(self.headings))) + "|"
        return "\n".join([f"## {self.title}", "", head, rule, *rows])

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {
            "title": self.title,
            "rows": [dict(zip(self.headings, row, strict=True)) for row in self.rows],
        }


def shown(cell: Cell, heading: str) -> str:
    """Return a cell as people read it: three digits, shares in per cent."""
    if cell is None:
        return ""
    if isinstance(cell, str | int):
        return f"{cell:,}" if isinstance(cell, int) else cell
    if heading in ("of the limit", "same arms"):
        return f"{100 * cell:.0f}%"
    digits = 0 if cell >= 100 else 1 if cell >= 10 else 2
    return f"{cell:,.{digits}f}"
