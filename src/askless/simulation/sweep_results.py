"""The results of a sweep as a file: lines of JSON in the order of its grid.

So the file is the same on any engine, with any number of workers, and after any number of
interruptions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askless.errors import StateError, extra

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMAT", "VERSION", "appending", "count_done", "sweep_frame", "sweep_rows"]

FORMAT, VERSION = "askless.sweep", 3


def count_done(
    target: Path,
    header: Callable[[], dict[str, Any]],
    jobs: Iterable[tuple[str, dict[str, Any], int]],
) -> int:
    """Count the runs that a file of a sweep has; refuse any other file."""
    if not target.exists() or target.stat().st_size == 0:
        return 0
    with target.open(encoding="utf-8", errors="replace") as file:
        try:
            first = json.loads(file.readline())
        except ValueError:
            first = None
        if not isinstance(first, dict):
            first = {}
        if first.get("format") != FORMAT:
            raise StateError(f"{target}: these are not results of a sweep; name another file")
        if first != json.loads(json.dumps(header())):
            raise StateError(f"{target}: these are results of another sweep; name another file")
        count = 0
        for (name, settings, run), text in zip(jobs, file, strict=False):
            row = _line(target, count + 2, text)
            if [row.get(key) for key in ("environment", "policy", "run")] != [
                name,
                json.loads(json.dumps(settings)),
                run,
            ]:
                raise StateError(f"{target}, line {count + 2}: this run is not the sweep's next")
            count += 1
        if file.readline():
            raise StateError(f"{target}: the file has more runs than the sweep")
    return count


def _line(target: Path, number: int, text: str) -> dict[str, Any]:
    try:
        if not text.endswith("\n"):
            raise ValueError
        row = json.loads(text)
    except ValueError:
        raise StateError(
            f"{target}, line {number}: the line is not complete; remove it to go on from there"
        ) from None
    return row if isinstance(row, dict) else {}


@contextmanager
def appending(target: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Open a file to add lines to, each in one write, so that a kill leaves whole lines."""
    try:
        file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise StateError(f"{target}: cannot write the file: {error.strerror}") from None

    def add(row: dict[str, Any]) -> None:
        line = (json.dumps(row, allow_nan=False) + "\n").encode()
        try:
            written = os.write(file, line)
        except OSError as error:
            raise StateError(f"{target}: cannot write the file: {error.strerror}") from None
        if written < len(line):
            raise StateError(
                f"{target}: the last line could not be written whole; make room on the disk,"
                " remove it and start again"
            )

    try:
        yield add
    finally:
        os.close(file)


def sweep_rows(path: str | Path) -> Iterator[dict[str, Any]]:
    """Go through the results of a sweep: a mapping a run."""
    with Path(path).open(encoding="utf-8") as file:
        next(file, None)
        yield from map(json.loads, file)


def sweep_frame(path: str | Path) -> pd.DataFrame:
    """Return the results of a sweep: a row a run, with a column a setting and a figure.

    `regret_at`, `reward_at`, `asked_at` and `cost_at` are lists of what was summed up to each of
    `visits`; `drops` lists (visit, arm, question, the arm's rows then, whether it is useful) by
    index.
    """
    with extra("cli"):
        import pandas as pd  # noqa: PLC0415

    flat = [
        {"environment": row["environment"]}
        | {("policy" if key == "name" else key): value for key, value in row["policy"].items()}
        | {key: value for key, value in row.items() if key not in ("environment", "policy")}
        for row in sweep_rows(path)
    ]
    return pd.DataFrame(flat)
