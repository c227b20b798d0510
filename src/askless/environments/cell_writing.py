"""Cells into files, CSV or Parquet, some rows at a time: what `cells` reads again."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from askless.environments.cells import PARQUET
from askless.errors import SettingError, extra

__all__ = ["Rows", "writing_rows"]

Rows = Callable[[Sequence[Sequence[str]]], None]  # takes further rows of a file


@contextmanager
def writing_rows(path: Path, columns: Mapping[str, type]) -> Iterator[Rows]:
    """Write a table row by row; nothing but the rows at hand is held.

    Parameters
    ----------
    path : Path
        The file; Parquet (the extra `data`) if it ends in `.parquet` or `.pq`.
    columns : mapping of str to type
        Their names, and what Parquet has their cells as: int, float, datetime or str.
    """
    if not path.parent.is_dir():
        raise SettingError(f"{path}: there is no folder {path.parent}; make it first")
    writing = _parquet if path.suffix.lower() in PARQUET else _csv
    with writing(path, columns) as rows:
        yield rows


@contextmanager
def _csv(path: Path, columns: Mapping[str, type]) -> Iterator[Rows]:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        yield writer.writerows


@contextmanager
def _parquet(path: Path, columns: Mapping[str, type]) -> Iterator[Rows]:
    with extra("data"):
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    kinds = {
        int: pa.int64(),
        float: pa.float64(),
        datetime: pa.timestamp("us", tz="UTC"),
        str: pa.string(),
    }
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])

    with parquet.ParquetWriter(path, schema) as writer:

        def write(rows: Sequence[Sequence[str]]) -> None:
            if not rows:
                return
            arrays = [
                pa.array([_typed(kind, row[i]) for row in rows], type=kinds[kind])
                for i, kind in enumerate(columns.values())
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))

        yield write


def _typed(kind: type, cell: str) -> Any:
    """Return a cell as its column has it; None where it is empty."""
    if not cell:
        return None
    return datetime.fromisoformat(cell) if kind is datetime else kind(cell)
