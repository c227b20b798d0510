"""By what a world is known again, so that results of one are not taken for another's."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from askless.checks.blocks import described
from askless.environments import Environment, LinearEnvironment
from askless.environments.base import first_respondents, number_of, useful_of
from askless.policies.player import LinearBlock

__all__ = ["fingerprint"]


def fingerprint(world: Environment, seed: int) -> str:
    """Return a hash of an environment: what it is, and its first respondents in all their numbers.

    Of a linear one also its table, its noise and who may get which arm.
    """
    _, survey, arms, reward = described(world)
    block = next(first_respondents(world, seed, 0, 1 << 62))
    digest = hashlib.sha256(json.dumps([survey.to_dict(), *arms], sort_keys=True).encode())
    parts: list[Any] = [block.contexts, block.allowed, useful_of(world)]
    facts: list[Any] = [reward.low, reward.high, number_of(world)]
    if isinstance(block, LinearBlock):  # not what is computed from it: machines round differently
        parts += [block.luck, block.law.coefficients]
        facts += block.law.noise
    else:
        parts += [block.rewards, block.expected]
    if isinstance(world, LinearEnvironment):
        parts.append(world.eligible)
    for part in parts:
        if part is None:
            digest.update(b"nothing")
        else:
            digest.update(repr(np.shape(part)).encode() + np.ascontiguousarray(part).tobytes())
    digest.update(repr(facts).encode())
    return digest.hexdigest()[:16]
