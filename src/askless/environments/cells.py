"""Rows of cells out of files and frames, and what is wrong with their columns, arms and rewards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from askless.environments.pilot_reading import BETWEEN, NONE, NUMBER, Cells, read_cells
from askless.errors import SettingError, extra, listed, meant, near, shown, together
from askless.survey import RewardRange

__all__ = ["cells_of", "read_arm", "read_reward", "read_rows", "rows_of"]

PARQUET = (".parquet", ".pq")
FEW = 5  # missing columns for which others are suggested
MISSING = ("NAType", "NaTType")  # of pandas, which need not be there


def read_rows(path: Path) -> Cells:
    """Return the header and the rows of a CSV or Parquet file, each row with where it is."""
    return _parquet(path) if path.suffix.lower() in PARQUET else read_cells(path)


def _parquet(path: Path) -> Cells:
    """Read a Parquet file as cells, as a CSV file would have them."""
    with extra("data"):
        from pyarrow import parquet  # noqa: PLC0415 (an extra)
        from pyarrow.lib import ArrowException  # noqa: PLC0415
    try:
        table = parquet.read_table(path)
    except (OSError, ArrowException) as error:
        first = str(error).splitlines()[0]
        raise SettingError(f"{path}: cannot read the file as Parquet: {first}") from None
    if not table.num_rows:
        raise SettingError(f"{path}: there are no rows in the file")
    columns = [column.to_pylist() for column in table.columns]
    return list(table.column_names), cells_of(f"{path}, row", columns)


def cells_of(where: str, columns: list[list[Any]]) -> list[tuple[str, list[str]]]:
    """Return the rows of some columns of values, as a CSV file would have them."""
    texts = [[_cell(value) for value in column] for column in columns]
    return [(f"{where} {i}", list(row)) for i, row in enumerate(zip(*texts, strict=True), start=1)]


def _cell(value: Any) -> str:
    """Return a value as a CSV file would have it."""
    if value is None or type(value).__name__ in MISSING:
        return ""
    if isinstance(value, float) and np.isnan(value):
        return ""
    if isinstance(value, list):
        return BETWEEN.join(map(str, value)) or NONE
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def rows_of(
    cells: Cells,
    wanted: Sequence[str],
    source: str,
    problems: list[str],
    others: Sequence[str] = (),
) -> Iterator[tuple[str, dict[str, str]]]:
    """Go through rows by the names of their columns; those of other lengths are problems.

    A wanted column must be there, and none of them, nor of `others`, twice.
    """
    names, rows = cells
    wrong = _missing(names, wanted, source, [*wanted, *others])
    wrong += [
        f"{source}: column {name!r} is there {names.count(name)} times; keep one of them"
        for name in [*wanted, *others]
        if names.count(name) > 1
    ]
    if wrong:
        raise SettingError(together(wrong))
    for where, row in rows:
        if len(row) != len(names):
            problems.append(f"{where}: the row has {len(row)} cells, the header {len(names)}")
        else:
            yield where, dict(zip(names, row, strict=True))


def _missing(
    names: Sequence[str], wanted: Sequence[str], source: str, expected: Sequence[str]
) -> list[str]:
    """Say in one line which columns are missing; only strange ones may have been meant."""
    if len(names) == 1 and names[0] not in expected and re.search(r"[;\t]", names[0]):
        between = "semicolons" if ";" in names[0] else "tabs"
        return [f"{source}: its columns are separated by {between}; save it with commas"]
    missing = [name for name in wanted if name not in names]
    strange = [name for name in names if name not in expected]
    if len(missing) <= 1:
        return [
            f"{source}: column {name!r} is missing"
            f"{near(name, strange) or f'; there are {listed(names)}'}"
            for name in missing
        ]
    many = len(missing) > FEW
    said = [
        repr(name) + ("" if many else near(name, strange).replace("; ", " (").replace("?", "?)"))
        for name in missing
    ]
    count = f"{len(missing)} of {len(wanted)} columns are missing"
    return [f"{source}: {count}: {listed(said)}; is it a file of this study?"]


def read_arm(cell: str, arms: Sequence[str], column: str, problems: list[str]) -> int:
    """Return an arm's number; what is no arm is a problem. `column` says where it is."""
    if cell in arms:
        return arms.index(cell)
    problems.append(
        f"{column}: {shown(cell)} is no arm of the study{meant(cell, arms, 'the arms are')}"
    )
    return 0


def read_reward(cell: str, reward: RewardRange, column: str, problems: list[str]) -> float:
    """Return a reward; what is none is a problem. `column` says where it is."""
    if NUMBER.fullmatch(cell) and reward.low <= float(cell) <= reward.high:
        return float(cell)
    what = f"{shown(cell)} is no reward from {reward.low:g} to {reward.high:g}, the study's range"
    missing = "the reward is missing; fill it in, or leave the row out"
    problems.append(f"{column}: {what if cell else missing}")
    return 0.0
