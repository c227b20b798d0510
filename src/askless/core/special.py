"""Scipy's functions of probability; scipy is imported when one is called, as it takes so long."""

from __future__ import annotations

from typing import Any, TypeVar

from askless.core.arrays import Floats

__all__ = ["betaincinv", "ndtr", "ndtri"]

Numbers = TypeVar("Numbers", float, Floats)


def ndtr(x: Numbers) -> Numbers:
    """Return the probability that a standard normal number is at most x."""
    from scipy import special  # noqa: PLC0415

    return special.ndtr(x)


def ndtri(p: Numbers) -> Numbers:
    """Return the number below which a standard normal one is with probability p."""
    from scipy import special  # noqa: PLC0415

    return special.ndtri(p)


def betaincinv(a: float, b: float, p: Numbers) -> Numbers:
    """Return the number below which one of the law Beta(a, b) is with probability p."""
    from scipy import special  # noqa: PLC0415

    quantile: Any = special.betaincinv  # its stubs say that a number may be one of 32 bits
    found: Numbers = quantile(a, b, p)
    return found
