"""By what a world is known again, so that results of one are not taken for another's."""

from __future__ import annotations

import hashlib
import inspect
import json
from typing import Any

import numpy as np

from askless.checks.blocks import described
from askless.environments import Environment, LinearEnvironment, TableEnvironment
from askless.environments.base import first_respondents, number_of, useful_of
from askless.policies.player import LinearBlock

__all__ = ["class_fingerprint", "fingerprint"]


def fingerprint(world: Environment, seed: int) -> str:
    """Return a hash of an environment: what it is, and its first respondents in all their numbers.

    Of a linear one also its table, its noise and who may get which arm; of a table all its people.
    """
    _, survey, arms, reward, rules = described(world)
    block = next(first_respondents(world, seed, 0, 1 << 62))
    said: list[Any] = [survey.to_dict(), *arms]
    if rules.exists:
        said.append([arm.eligible_if for arm in rules.arms])
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    parts: list[Any] = [block.contexts, block.allowed, useful_of(world)]
    facts: list[Any] = [reward.low, reward.high, number_of(world)]
    if isinstance(block, LinearBlock):  # not what is computed from it: machines round differently
        parts += [block.luck, block.law.coefficients]
        facts += block.law.noise
    else:
        parts += [block.rewards, block.expected]
    if isinstance(world, LinearEnvironment):
        parts.append(world.eligible)
    if isinstance(world, TableEnvironment):
        people = world.people
        parts += [people.contexts, people.rewards, people.expected, people.allowed]
    for part in parts:
        if part is None:
            digest.update(b"nothing")
        else:
            digest.update(repr(np.shape(part)).encode() + np.ascontiguousarray(part).tobytes())
    digest.update(repr(facts).encode())
    return digest.hexdigest()[:16]


def class_fingerprint(kind: type) -> str | None:
    """Return a hash of the source of a class; None of ours, and of those without a source."""
    if kind.__module__.partition(".")[0] == "askless":
        return None
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        return None
    return hashlib.sha256(source.encode()).hexdigest()[:16]
