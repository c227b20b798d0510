"""One thread at a time in a policy: what many threads see of it is always that of one moment."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

__all__ = ["OneThread", "alone"]

P = ParamSpec("P")
Result = TypeVar("Result")
Owner = TypeVar("Owner", bound="Locked")


class Locked(Protocol):
    """Whatever has a lock."""

    @property
    def lock(self) -> RLock:
        """The lock."""


class OneThread:
    """Has a lock; copies of it are of one moment. Copies and pickles have locks of their own.

    Attributes
    ----------
    lock : RLock
        Held by everything that looks at the policy or changes it. Hold it yourself to do several
        things at one moment: ``with policy.lock: ...``.
    """

    lock: RLock

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make one with a lock, whatever its constructor does or does not do."""
        made = super().__new__(cls)
        made.lock = RLock()
        return made

    def _content(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "lock"}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        same = memo[id(self)] = type(self).__new__(type(self))
        with self.lock:
            vars(same).update(copy.deepcopy(self._content(), memo))
        return same

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # two that shared their numbers would need one lock

    def __getstate__(self) -> dict[str, Any]:
        return self._content()


def alone(
    method: Callable[Concatenate[Owner, P], Result],
) -> Callable[Concatenate[Owner, P], Result]:
    """Let a method hold the lock of its object."""

    @wraps(method)
    def held(self: Owner, *args: P.args, **given: P.kwargs) -> Result:
        with self.lock:
            return method(self, *args, **given)

    return held  # type: ignore[return-value]  # it is called as the method is
