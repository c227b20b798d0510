"""One line of a live study's journal, as the service exports it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Event"]


@dataclass(frozen=True)
class Event:
    """Something that happened in a study.

    Attributes
    ----------
    serial : int
        Its place in the journal, from 1, without gaps.
    at : float
        When, in seconds since 1970.
    kind : str
        What: started, asked, answered, decided, rewarded, learned, …
    visit : int or None
        The number of its visit, if it is of one.
    body : dict
        The rest. It may hold answers, so that it is not shown when an event is printed.

    Examples
    --------
    >>> Event(7, 0.0, "answered", 3, {"answers": {"age": 44}})
    Event(serial=7, at=0.0, kind='answered', visit=3)
    """

    serial: int
    at: float
    kind: str
    visit: int | None
    body: dict[str, Any] = field(repr=False)
