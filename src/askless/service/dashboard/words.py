"""Numbers and moments as the dashboard writes them."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["count", "day", "ends", "many", "moment", "number", "passed", "share"]

NONE = "–"


def number(value: float | None) -> str:
    """Write a measured number.

    Examples
    --------
    >>> number(3.14159), number(1234.5), number(None), number(-0.00001)
    ('3.14', '1,234', '–', '0')
    """
    if value is None:
        return NONE
    if value and abs(value) < 5e-5:
        return "0"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 else 4
    return f"{value:,.{digits}f}".replace("-", "−")


def count(value: int) -> str:
    """Write how many."""
    return f"{value:,}"


def many(value: int, what: str) -> str:
    """Write how many of something.

    Examples
    --------
    >>> many(1, "visit"), many(1200, "visit")
    ('1 visit', '1,200 visits')
    """
    return f"{count(value)} {what}{'' if value == 1 else 's'}"


def share(part: float, whole: float) -> str:
    """Write a share as a percentage.

    Examples
    --------
    >>> share(1, 3), share(0, 0)
    ('33%', '–')
    """
    return f"{part / whole:.0%}" if whole else NONE


def ends(low: float | None, high: float | None) -> str:
    """Write the ends of an interval.

    Examples
    --------
    >>> ends(-1, 2.5)
    '−1.00 to 2.50'
    """
    return NONE if low is None or high is None else f"{number(low)} to {number(high)}"


def moment(at: float | None) -> str:
    """Write a moment (UTC)."""
    if at is None:
        return NONE
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def day(since_1970: int) -> str:
    """Write a day by its number.

    Examples
    --------
    >>> day(0)
    '1970-01-01'
    """
    return datetime.fromtimestamp(86_400 * since_1970, UTC).strftime("%Y-%m-%d")


def passed(seconds: float) -> str:
    """Write how long ago.

    Examples
    --------
    >>> passed(5), passed(300), passed(86_400 * 3)
    ('5 seconds', '5 minutes', '3 days')
    """
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        many = int(max(seconds, 0) // size)
        if many or size == 1:
            return f"{many:,} {name}{'' if many == 1 else 's'}"
    return NONE
