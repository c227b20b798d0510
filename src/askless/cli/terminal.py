"""What the verbs share: consoles, a progress bar with speed and time left, complaints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from askless.errors import SettingError

BEGINS_AGAIN = "nothing of it is kept, and the same command begins again"
THOUSANDS = re.compile(r"(^|,)\d(,\d{3})+(?=,|$)")  # 1,500 is meant as one number
SHORT = re.compile(r"(\d+(?:\.\d+)?)(?:([km])|e(\d))?", re.IGNORECASE)  # 1.5k, 2M, 1e4
TIMES = {"k": 1_000, "m": 1_000_000}
TABLES = (".csv", ".parquet", ".pq")
output = Console()
messages = Console(stderr=True)


def complain(message: str) -> None:
    """Say on stderr, in one line where it is one, what is wrong."""
    messages.print(f"askless: {message}", markup=False, highlight=False, soft_wrap=True)


def report(show: Callable[[], None], where: str, data: Mapping[str, Any] | None) -> None:
    """Show what was found, then where its report is; or data alone as JSON, and that on stderr."""
    if data is None:
        show()
    else:
        typer.echo(json.dumps(data, allow_nan=False))
    console = output if data is None else messages
    console.print(where, markup=False, highlight=False, soft_wrap=True)


def check_order(study: Path, table: Path, what: str) -> None:
    """Refuse a table where the study should be, which is what swapped arguments look like."""
    swapped = study.suffix.lower() in TABLES and table.suffix.lower() not in TABLES
    if swapped:
        raise SettingError(f"{study} is a {what}, not a study file; give the study first")


def of_study(study: object) -> str:
    """Say which commands play a study of one's own."""
    return f"a study of yours is played by `askless plan {study}` and `askless simulate {study}`"


def refuse_options(context: typer.Context, names: tuple[str, ...], when: str) -> None:
    """Refuse options that would be passed over."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise SettingError(f"--{name} says nothing {when}; leave it out")


def counted(count: int, thing: str) -> str:
    """Return a count and what is counted."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def numbers(option: str, text: str, kind: type) -> list[Any]:
    """Return the numbers that an option was given, separated by commas."""
    if kind is int and (grouped := THOUSANDS.search(text)):
        parts = grouped[0].strip(",").split(",")
        raise SettingError(
            f"{option} is {text!r}, where {','.join(parts)} is read as {' and '.join(parts)}; write"
            f" {''.join(parts)}"
        )
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        whole = kind is int
        meant = [in_digits(part, whole=whole) for part in text.split(",")]
        example = ",".join(meant) if all(meant) else "500,2000" if whole else "0.1,0.2"
        raise SettingError(
            f"{option} is {text!r}; give {'whole numbers' if whole else 'numbers'} separated by"
            f" commas, such as {example}"
        ) from None


def in_digits(text: str, *, whole: bool) -> str:
    """Return in digits alone a number that has commas, k, M or a power of ten; else nothing.

    >>> in_digits("1.5k", whole=True), in_digits("1,000", whole=True), in_digits("ten", whole=True)
    ('1500', '1000', '')
    """
    number = SHORT.fullmatch(text.replace(",", "").strip())
    if number is None:
        return ""
    value = Decimal(number[1]) * TIMES.get((number[2] or "").lower(), 1) * 10 ** int(number[3] or 0)
    return "" if whole and value % 1 else f"{value.normalize():f}"


class Speed(ProgressColumn):
    """Visits a second, or what else is counted."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        """Return the speed of a task."""
        return Text(f"{task.speed or 0:,.0f} {self.unit}/s")


class Stop(BaseException):
    """Ctrl-C came; says how far the work was, and how to go on."""


@contextmanager
def stages(
    unit: str = "visits", kept: Callable[[], str] = lambda: BEGINS_AGAIN, *, begun: str = ""
) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar a stage of the work on stderr, if that is a terminal; yields what to call.

    It is called with what is being done, how many of the unit further, and of how many. Where the
    work is stopped, `kept` says what is left of it. Without a terminal there is one line once the
    work has begun, which is not before its input was checked: what `begun` says, if anything.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), Speed(unit), TimeRemainingColumn())
    hidden = not messages.is_terminal
    tasks: dict[str, TaskID] = {}
    bar = Progress(*columns, console=messages, disable=hidden, transient=True)

    def advance(what: str, further: int, total: int) -> None:
        if hidden and begun and not tasks:
            messages.print(f"askless: {begun}", markup=False, highlight=False, soft_wrap=True)
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.advance(tasks[what], further)

    try:
        with bar:
            yield advance
    except KeyboardInterrupt:
        raise Stop(f"stopped {_how_far(bar, unit)}; {kept()}") from None


def _how_far(bar: Progress, unit: str) -> str:
    if not bar.tasks:
        return "before it began"
    last = bar.tasks[-1]
    stage = f" ({last.description})" if len(bar.tasks) > 1 else ""
    return f"after {last.completed:,.0f} of {last.total or 0:,.0f} {unit}{stage}"


@contextmanager
def progress_bar(
    visits: int, what: str, kept: Callable[[], str] = lambda: BEGINS_AGAIN
) -> Iterator[Callable[[int], None]]:
    """Show a bar of one stage; yields what to call with further visits."""
    with stages(kept=kept) as advance:
        advance(what, 0, visits)
        yield lambda further: advance(what, further, visits)
