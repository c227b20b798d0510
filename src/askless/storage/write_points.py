"""Where a process may die: tests let it, at a point that they name."""

from __future__ import annotations

import os
from collections import Counter

__all__ = ["POINTS", "reached"]

# In the order in which a transaction goes through them.
POINTS = (
    "journal locked",
    "snapshot written",
    "visits added",
    "visits changed",
    "events appended",
    "summaries written",
    "counters written",
    "before the commit",
    "after the commit",
    "answered",
    "applied",
)
VARIABLE = "ASKLESS_EXIT_AT"  # such as "events appended:3": the third time

_plan = os.environ.get(VARIABLE, "")
_seen: Counter[str] = Counter()


def reached(point: str) -> None:
    """End the process at once where a test has said so; else nothing."""
    if not _plan:
        return
    _seen[point] += 1
    if _plan == f"{point}:{_seen[point]}":
        os._exit(137)  # as after kill -9: nothing is put in order


def plan(point: str, times: int) -> None:
    """Let this process end when it reaches a point for so many times."""
    global _plan  # noqa: PLW0603 (a process has one end)
    _seen.clear()
    _plan = f"{point}:{times}"
