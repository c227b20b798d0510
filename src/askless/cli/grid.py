"""The one way in which verbs print a table: no number and no word is ever cut or broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich import box
from rich.cells import cell_len
from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from askless.cli.terminal import output

__all__ = ["Grid"]

# Spaces between columns beside the one that is always there, and whether words may go on in the
# next line.
LAYOUTS = ((1, False), (0, False), (1, True), (0, True))
INDENT = "  "


@dataclass
class Grid:
    """A table of a verb.

    Where it is too wide, columns move together, headings and words go on in the next line, and in
    the end each row is printed as a list of its own.

    Attributes
    ----------
    headings : sequence of str
        One a column; a line break in it is kept.
    words : sequence of str
        Headings of the columns that hold words; all others are numbers, which stay in a line.
    title : str
        Stands above it.
    """

    headings: Sequence[str]
    words: Sequence[str] = ()
    title: str = ""
    _rows: list[tuple[tuple[str, ...], str, bool]] = field(default_factory=list)

    def add(self, *cells: str, style: str = "") -> None:
        """Add a row, in a style of the terminal; cells that are left out are empty."""
        missing = len(self.headings) - len(cells)
        self._rows.append((cells + ("",) * missing, style, False))

    def head(self, *cells: str) -> None:
        """Begin a part with a row that stands out, after a space."""
        self.add(*cells, style="bold")
        if self._rows[:-1]:
            self._rows[-2] = (*self._rows[-2][:2], True)

    def fits(self, width: int, gap: int = 0) -> bool:
        """Return whether it can be a table of this width, with at least this gap."""
        return self._widths(width, gap, breaks=True) is not None

    def show(self) -> None:
        """Print it."""
        output.print(self.laid_out(output.width))

    def laid_out(self, width: int) -> RenderableType:
        """Return it as it is printed at a width."""
        for gap, breaks in LAYOUTS:
            widths = self._widths(width, gap, breaks=breaks)
            if widths is not None:
                return self._table(widths, gap)
        return self._turned()

    def _widths(self, width: int, gap: int, *, breaks: bool) -> list[int] | None:
        """Return how wide columns are; None if what must not be broken would not fit."""
        columns = list(zip(*(cells for cells, _, _ in self._rows), strict=True))
        columns = columns or [()] * len(self.headings)
        widths, least = [], []
        for heading, column in zip(self.headings, columns, strict=True):
            lines = [line for text in (heading, *column) for line in text.split("\n")]
            whole = heading.split("\n" if "\n" in heading else None) + [
                part
                for cell in column
                for part in cell.split(None if breaks and heading in self.words else "\n")
            ]
            widths.append(max(map(cell_len, lines)))
            least.append(max(map(cell_len, whole), default=0))
        room = width - 2 - (gap + 1) * (len(widths) - 1)  # a space on either side
        while sum(widths) > room:
            wider = [i for i, at_least in enumerate(least) if widths[i] > at_least]
            if not wider:
                return None
            widths[max(wider, key=widths.__getitem__)] -= 1
        return widths

    def _table(self, widths: list[int], gap: int) -> Table:
        table = Table(
            title=Text(self.title) if self.title else None,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            padding=(0, gap, 0, 0),
            pad_edge=False,
            show_header=any(self.headings),
        )
        for heading, width in zip(self.headings, widths, strict=True):
            side: JustifyMethod = "left" if heading in self.words else "right"
            table.add_column(Text(heading), width=width, justify=side, overflow="fold")
        for cells, style, ends in self._rows:
            table.add_row(*map(Text, cells), style=style, end_section=ends)
        return table

    def _turned(self) -> Group:
        """Return a list a row: its first cell, and below it what the others say."""
        lines = [Text(), Text(self.title)] if self.title else [Text()]
        for cells, style, _ in self._rows:
            lines.append(Text(cells[0], style=style or "bold", overflow="fold"))
            for heading, cell in zip(self.headings[1:], cells[1:], strict=True):
                if cell:
                    named = f"{' '.join(heading.split())}: " if heading else ""
                    said = INDENT + named + cell
                    lines.append(Text(said, style=style, overflow="fold"))
        return Group(*lines, Text())
