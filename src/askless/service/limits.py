"""How often somebody may call: buckets that fill with time, one a key and one an address."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["ADDRESS_RATE", "KEY_RATE", "Buckets"]

KEY_RATE, ADDRESS_RATE = 500.0, 200.0  # calls a second, unless others are given
MOST_BUCKETS = 20_000
BURST = 4.0  # seconds' worth that may come at once


class Buckets:
    """Buckets by name; who has not called for long has a full one and is forgotten.

    Parameters
    ----------
    rate : float
        Calls a second, in the long run; 0 for no limit.
    burst : float, optional
        How many may come at once; four seconds' worth if left out.

    Examples
    --------
    >>> now = [0.0]
    >>> buckets = Buckets(1, clock=lambda: now[0])
    >>> [buckets.wait("somebody") for _ in range(5)]
    [0, 0, 0, 0, 1]
    >>> now[0] = 1.0
    >>> buckets.wait("somebody"), buckets.wait("somebody else")
    (0, 0)
    """

    def __init__(
        self,
        rate: float,
        *,
        burst: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate, self._clock = rate, clock
        self._most = max(1.0, rate * BURST if burst is None else burst)
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> int:
        """Take one call; return 0, or for how many seconds to wait if there is none left."""
        if not self._rate:
            return 0
        now = self._clock()
        level, since = self._levels.pop(name, (self._most, now))
        level = min(self._most, level + (now - since) * self._rate)
        left = level - 1 if level >= 1 else level
        self._levels[name] = left, now  # the last to be forgotten
        if len(self._levels) > MOST_BUCKETS:
            self._levels.popitem(last=False)
        return 0 if level >= 1 else max(1, math.ceil((1 - level) / self._rate))
