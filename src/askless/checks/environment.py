"""check_environment: draw from an environment and see whether it keeps what askless relies on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from askless.checks.blocks import Border, described
from askless.core.arrays import Flags, Floats
from askless.core.words import REWARD_GRID
from askless.errors import AsklessError, ContractError, shown
from askless.policies.player import Block
from askless.whole import check_whole, is_whole

__all__ = ["check_environment"]

Check = Callable[[Any, int, int], None]  # of an environment, so many visits, a seed

CHANCE = 1e-9  # with which a right environment is found wrong in its expectations
ALONE = "make all randomness out of np.random.default_rng([seed, run]), drawn anew in respondents()"


def check_environment(environment: Any, *, visits: int = 2_000, seed: int = 0) -> None:
    """Check that an environment keeps its promises; the environment itself is not changed.

    Parameters
    ----------
    environment : Environment
        One of ours, or an object of your own.
    visits : int
        How many respondents each check draws from a run, or all if there are fewer.
    seed : int
        Seed of the runs that are drawn.

    Raises
    ------
    ContractError
        Says which promise is broken, and what to do.

    Examples
    --------
    >>> import askless as al
    >>> al.check_environment(al.paper_environment(arms=2, features=3))
    """
    visits, seed = check_whole(visits, "visits", 1), check_whole(seed, "seed", 0)
    for check in CHECKS:
        keep(check, environment, visits, seed)


def keep(check: Check, environment: Any, visits: int, seed: int) -> None:
    """Make a check; say which promise is broken, whatever breaks it."""
    promise = (check.__doc__ or "").rstrip(".")
    try:
        check(environment, visits, seed)
    except ContractError:
        raise
    except AsklessError as error:
        raise ContractError(f"broken promise: {promise}; {error}") from None
    except Exception as error:
        raise ContractError(
            f"broken promise: {promise}; it failed with {type(error).__name__}: {error}"
        ) from error


def check_description(environment: Any, visits: int, seed: int) -> None:  # noqa: ARG001
    """An environment says its survey, arms and reward."""
    _, survey, arms, *_ = described(environment)
    useful, shape = getattr(environment, "useful", None), (len(arms), len(survey))
    fits = isinstance(useful, np.ndarray) and useful.dtype == bool and useful.shape == shape
    require(
        useful is None or fits,
        f"says which questions are `useful` by booleans of shape {shape}; leave it out if nobody"
        " knows",
    )
    number = getattr(environment, "number", 0)
    fits = is_whole(number) and number >= 0
    require(fits, "has a `number` that is whole, 0 or more; leave it out if alone")


def check_blocks(environment: Any, visits: int, seed: int) -> None:
    """An environment yields blocks of respondents who answer everything, with legal rewards."""
    for run in (0, 1):
        require(len(drawn(environment, visits, seed, run)) > 0, "has respondents; yield a block")


def check_same(environment: Any, visits: int, seed: int) -> None:
    """The same seed and run give the same respondents, however often they are drawn."""
    first = drawn(environment, visits, seed, 0)
    promise = f"draws the same people for the same seed and run; {ALONE}"
    require(same(first, drawn(environment, visits, seed, 0)), promise)
    at_once = [Drawing(environment, visits, seed, 0) for _ in range(2)]
    pairs = list(zip(*at_once, strict=False))  # a block of each in turn
    for blocks in zip(*pairs, strict=True):
        require(same(first, Respondents.joined(list(blocks))), promise)


def check_others(environment: Any, visits: int, seed: int) -> None:
    """Another run, and another seed, give other respondents."""
    first = drawn(environment, visits, seed, 0)
    for what, key in (("run", (seed, 1)), ("seed", (seed + 1, 0))):
        other = drawn(environment, visits, *key)
        require(not same(first, other), f"draws other people for another {what}; {ALONE}")


def check_kept(environment: Any, visits: int, seed: int) -> None:
    """A block that was handed out is not changed later."""
    border, kept, count = Border(described(environment), 0), [], 0
    for block in environment.respondents(seed, 0):
        kept.append((block, border.checked(block)))  # which is a copy
        count += len(block)
        if count > visits and len(kept) > 1:
            break
    for block, before in kept:
        require(
            same(Respondents.joined([border.checked(block)]), Respondents.joined([before])),
            "leaves a block alone once it is handed out; make new arrays for every block",
        )


def check_expected(environment: Any, visits: int, seed: int) -> None:
    """Rewards average to `expected`, for every arm and whatever is answered."""
    _, survey, arms, reward, _ = described(environment)
    blocks = [
        block for block in Drawing(environment, visits, seed, 0) if block.expected is not None
    ]
    if not blocks:
        return
    people = Respondents.joined(blocks)
    assert people.expected is not None
    off = people.rewards - people.expected
    sums = people.contexts.T @ off  # (p × K), by a column of weights each
    # A term w·(y - E y) is bounded in an interval of length |w|·R whatever came before, so that by
    # Hoeffding and Azuma |sum| exceeds R·w_max·√(n·ln(2M/CHANCE)/2) in one of M sums with
    # probability at most CHANCE. Rewards on the grid are off by half a step of it besides.
    most = np.maximum(np.abs(survey.columns.low), np.abs(survey.columns.high))
    most[0] = 1.0
    chance = math.sqrt(len(off) * math.log(2 * sums.size / CHANCE) / 2)
    limits = reward.span * most * (chance + len(off) * 0.5 / REWARD_GRID)
    beyond = np.argwhere(np.abs(sums) > limits[:, None])
    if len(beyond):
        j, k = beyond[0]
        by = "" if j == 0 else f", weighted by the column {survey.column_names[j]!r}"
        raise ContractError(
            f"broken promise: an environment draws rewards that average to `expected`; those of arm"
            f" {arms[k]!r} are off by {sums[j, k] / len(off):.3g} a visit{by}, and chance explains"
            f" {limits[j] / len(off):.3g}; compute both from the same numbers, or leave `expected`"
            " out"
        )


def check_unchanged(environment: Any, visits: int, seed: int) -> None:
    """Drawing respondents does not change an environment."""
    before = described(environment), np.array(getattr(environment, "useful", None))
    first = drawn(environment, visits, seed, 0)
    for check in WHILE_USED:
        keep(check, environment, visits, seed)
    for run in range(1, 4):
        next(iter(environment.respondents(seed + run, run)))  # begun and left
    after = described(environment), np.array(getattr(environment, "useful", None))
    stays = after[0] == before[0] and np.array_equal(after[1], before[1])
    require(stays, "keeps its survey, arms, reward and `useful` while it is used")
    again = drawn(environment, visits, seed, 0)
    require(same(first, again), f"does not change when it is used; {ALONE}")


WHILE_USED: tuple[Check, ...] = (check_same, check_others, check_kept, check_expected)
CHECKS: tuple[Check, ...] = (check_description, check_blocks, check_unchanged)


class Respondents(NamedTuple):
    """The respondents of some blocks, put together."""

    contexts: Floats
    rewards: Floats
    expected: Floats | None
    allowed: Flags | None

    def __len__(self) -> int:
        return len(self.contexts)

    @classmethod
    def joined(cls, blocks: list[Block]) -> Respondents:
        """Put blocks together; what one of them does not know is not known."""
        if not blocks:
            return cls(np.empty((0, 0)), np.empty((0, 0)), None, None)
        known = [block.expected for block in blocks if block.expected is not None]
        return cls(
            np.vstack([block.contexts for block in blocks]),
            np.vstack([block.rewards for block in blocks]),
            np.vstack(known) if len(known) == len(blocks) else None,
            np.vstack(
                [
                    np.ones(block.rewards.shape, dtype=bool)
                    if block.allowed is None
                    else block.allowed
                    for block in blocks
                ]
            ),
        )


class Drawing:
    """The first respondents of a run, in blocks that have been checked."""

    def __init__(self, environment: Any, visits: int, seed: int, run: int) -> None:
        self.world, self.visits = described(environment), visits
        self.blocks = environment.respondents(seed, run)
        promise = f"yields Blocks; respondents(seed, run) returns {shown(self.blocks, 60)}"
        require(isinstance(self.blocks, Iterable), f"{promise}: write yield instead of return")

    def __iter__(self) -> Iterator[Block]:
        begun = 0
        for block in self.blocks:
            checked = Border(self.world, begun).checked(block)
            yield checked.first(self.visits - begun)
            begun += len(checked)
            if begun >= self.visits:
                return


def drawn(environment: Any, visits: int, seed: int, run: int) -> Respondents:
    """Draw the first respondents of a run."""
    return Respondents.joined(list(Drawing(environment, visits, seed, run)))


def same(one: Respondents, other: Respondents) -> bool:
    """Whether these are the same people, who bring the same."""
    return all(
        (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))
        for a, b in zip(one, other, strict=True)
    )


def require(kept: bool, promise: str) -> None:
    """Raise where a promise is not kept."""
    if not kept:
        raise ContractError(f"broken promise: an environment {promise}")
