"""What waits for a database is waited for, but not for ever."""

import asyncio
import threading

import pytest

from askless.errors import StorageError
from askless.service.aside import aside


def test_what_something_brings_is_returned():
    """Fails if an outcome, an argument or an error is lost on the way."""
    assert asyncio.run(aside(lambda a, b: a - b, 7, 4)) == 3
    with pytest.raises(ZeroDivisionError):
        asyncio.run(aside(lambda: 1 // 0))


def test_nobody_waits_for_ever():
    """Fails if whoever asks waits for a database that says nothing."""
    answers = threading.Event()
    try:
        with pytest.raises(StorageError, match="too slow to answer; try again"):
            asyncio.run(aside(answers.wait, seconds=0.05))
    finally:
        answers.set()
