"""Whole numbers: the one place that says what is one, and refuses what is not."""

from typing import Any, TypeGuard

import numpy as np

from askless.errors import AsklessError, SettingError, shown

__all__ = ["check_whole", "is_whole"]


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number, of Python or NumPy; True and False are none.

    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_whole(
    value: Any,
    what: str,
    least: int,
    most: int | None = None,
    *,
    meaning: str = "a whole number",
    error: type[AsklessError] = SettingError,
) -> int:
    """Return a whole number within bounds, the ends included, as an int; or refuse it.

    Parameters
    ----------
    value : anything
        What was given.
    what : str
        How the message calls it.
    least, most : int
        The ends; without `most` there is no upper one.
    meaning : str
        What the message asks for in its place.
    error : type of AsklessError
        As what it is refused.

    Examples
    --------
    >>> check_whole(7, "runs", 1, 10)
    7
    >>> check_whole(0, "deadline", 1, meaning="a whole number of visits")
    Traceback (most recent call last):
    ...
    askless.errors.SettingError: deadline is 0; give a whole number of visits, 1 or more
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        ends = f", {least} or more" if most is None else f" from {least} to {most}"
        message = f"{what} is {shown(value)}; give {meaning}{ends}"
        raise SettingError(message, what) if error is SettingError else error(message)
    return int(value)
