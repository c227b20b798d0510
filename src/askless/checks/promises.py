"""What the checks of the contract are made of: promises, refusals, a visit that is filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from askless.errors import AsklessError, ContractError, StateError
from askless.policies import Policy, Visit
from askless.policies.hooks import broken
from askless.survey.question import Answer


def fill(visit: Visit, answers: Mapping[str, Answer]) -> None:
    """Answer everything that a visit asks."""
    while asks := visit.asks:
        visit.answer({q: answers[q] for q in asks})


def built_again(policy: Policy) -> Policy:
    """Return a policy's copy from JSON."""
    saved = json.loads(json.dumps(policy.to_dict(), allow_nan=False))
    try:
        return type(policy).from_dict(saved)
    except StateError as error:
        promise = f"takes back by `_restore` what `_state` returned; it says: {error}"
        raise broken(promise, "_restore") from error


def require(kept: bool, promise: str, hook: str | None = None) -> None:
    """Raise where a promise is not kept; `hook` is the one to define."""
    if not kept:
        raise broken(promise, hook)


@contextmanager
def refused(kind: type[AsklessError], promise: str) -> Iterator[None]:
    """Raise unless the block is refused with an error of this kind."""
    try:
        yield
    except ContractError:
        raise
    except kind:
        return
    raise broken(promise)
