"""What an environment is: anything that says its survey, arms and reward, and yields blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np

from askless.checks.blocks import checked_block, described
from askless.core.arrays import Flags
from askless.environments.linear import LinearEnvironment
from askless.errors import SettingError, shown
from askless.policies.building import Basis
from askless.policies.player import Block

__all__ = [
    "Block",
    "Environment",
    "checked_block",
    "first_respondents",
    "is_linear",
    "number_of",
    "useful_of",
]


@runtime_checkable
class Environment(Basis, Protocol):
    """Where simulated respondents come from; any object with these parts is one.

    Its `survey`, `arms` and `reward`, for which policies are made, and `respondents`.

    It may also have `useful` (K × questions, bool): which questions have an effect in which arm;
    and `number`: which world it is, if it is one of many. `askless.check_environment` says whether
    it keeps its promises.

    Examples
    --------
    >>> import askless as al
    >>> isinstance(al.paper_environment(), al.Environment)
    True
    """

    def respondents(self, seed: int, run: int) -> Iterator[Block]:
        """Draw the respondents of a run, block after block; they depend on (seed, run) alone."""


def useful_of(environment: Environment) -> Flags | None:
    """Return which questions have an effect in which arm (K × questions); None if nobody knows."""
    useful: Flags | None = getattr(environment, "useful", None)
    return useful


def number_of(environment: Environment) -> int:
    """Return which world it is."""
    return int(getattr(environment, "number", 0))


def is_linear(environment: Environment) -> bool:
    """Whether it is a `LinearEnvironment` and draws people as that class does."""
    return type(environment) is LinearEnvironment and "respondents" not in vars(environment)


def first_respondents(
    environment: Environment, seed: int, run: int, count: int, live: Flags | None = None
) -> Iterator[Block]:
    """Go through the first respondents of a run, so many of them, in blocks that are checked.

    `live` are the arms that a policy may play.
    """
    # Our own blocks are made right; checking them would take longer than playing some of them.
    ours, rules = is_linear(environment), described(environment).rules
    begun = 0
    for given in _iterated(environment, seed, run):
        block = given if ours else checked_block(environment, given, begun=begun, live=live)
        if rules.exists:  # the only place where rules meet simulated people
            block = _by_rules(block, rules.allowed(block.contexts), live, begun)
        yield block.first(count - begun)
        begun += len(block)
        if begun >= count:
            return
    raise SettingError(
        f"environment {type(environment).__name__} has {begun} respondents for seed {seed}, run"
        f" {run}, and the horizon is {count}; shorten the horizon, or let respondents() draw people"
        " again"
    )


def _by_rules(block: Block, open_to: Flags, live: Flags | None, begun: int) -> Block:
    """Return a block whose people get only arms whose rules hold; refuse one who then has none."""
    allowed = open_to if block.allowed is None else block.allowed & open_to
    may = allowed if live is None else allowed & live
    lost = ~may.any(axis=1)
    if lost.any():
        visit = begun + int(lost.argmax())
        raise SettingError(
            f"visit {visit}: this respondent's answers satisfy the rule of no arm that it may get;"
            " allow it more arms, or leave one without eligible_if"
        )
    return block.allowing(np.ascontiguousarray(allowed))


def _iterated(environment: Any, seed: int, run: int) -> Iterator[Any]:
    blocks = environment.respondents(seed, run)
    if not isinstance(blocks, Iterable):
        raise SettingError(
            f"environment {described(environment).name}: respondents(seed, run) returns"
            f" {shown(blocks, 60)}; let it yield Blocks (yield instead of return)"
        )
    return iter(blocks)
