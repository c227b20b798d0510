"""A chart and its table: the same rows, drawn by Vega-Lite in the browser and written below it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Chart", "Column"]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        The key in each row, and the heading of a file.
    heading : str
        The heading for people.
    write : callable
        How its values are written for people.
    """

    name: str
    heading: str
    write: Callable[[Any], str] = str

    @property
    def is_number(self) -> bool:
        """Whether it is set to the right."""
        return self.write is not str


@dataclass(frozen=True)
class Chart:
    """Rows with what they mean.

    Attributes
    ----------
    name : str
        In addresses and files.
    title : str
        What it shows, as a heading.
    about : str
        One sentence for whoever cannot see it, and for everybody else.
    columns : sequence of Column
        Of its table.
    rows : sequence of mapping
        What the table has.
    spec : mapping
        In the words of Vega-Lite, without data; empty where there is only a table.
    drawn : sequence of mapping or None
        The rows that are drawn, where they are not those of the table.
    """

    name: str
    title: str
    about: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    spec: Mapping[str, Any] = field(default_factory=dict)
    drawn: Sequence[Mapping[str, Any]] | None = None

    @property
    def lines(self) -> list[list[str]]:
        """The table as people read it."""
        return [[column.write(row[column.name]) for column in self.columns] for row in self.rows]

    def as_csv(self) -> str:
        """Return the table as a file, with its numbers in full."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        for row in self.rows:
            writer.writerow(["" if row[c.name] is None else row[c.name] for c in self.columns])
        return text.getvalue()

    def as_data(self) -> dict[str, Any]:
        """Return what the browser draws."""
        values = self.rows if self.drawn is None else self.drawn
        return {"spec": dict(self.spec), "rows": [dict(row) for row in values]}
