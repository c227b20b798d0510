"""The arms' arrays: made empty, put together, and turned into plain data and back."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from askless.errors import StateError
from askless.kernels.bundles import Arms, Flags, Floats, Ints
from askless.kernels.ridge import pack
from askless.survey import Survey


def empty_arms(survey: Survey, shares: Floats) -> Arms:
    """Return arms that have learned nothing; `shares` are their parts of delta."""
    count, m, p = len(shares), len(survey), survey.column_count
    widest = int(survey.columns.width.max())
    return Arms(
        support=np.ones((count, m), dtype=bool),
        size=np.full(count, p),
        columns=np.tile(np.arange(p), (count, 1)),
        share=np.array(shares, dtype=np.float64),
        n=np.zeros(count, dtype=np.int64),
        gram=np.zeros((count, p, p)),
        moment=np.zeros((count, p)),
        squares=np.zeros(count),
        root=np.zeros((count, p, p)),
        estimate=np.zeros((count, p)),
        variance=np.zeros((count, p)),
        log_det=np.zeros(count),
        radius=np.zeros(count),
        stale=np.zeros(count, dtype=np.int64),
        dropped_at=np.full((count, m), -1),
        evidence=np.zeros((count, m, 3)),
        work=np.zeros((4, max(p, 3))),
        block=np.zeros((widest, widest)),
    )


def append_arms(arms: Arms, added: Arms) -> Arms:
    """Return the arms with further ones behind them; scratch is shared by all arms."""
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(arms, name), getattr(added, name)]) for name in Arms._fields
    }
    return Arms(**(joined | {"work": arms.work, "block": arms.block}))


def restrict(survey: Survey, arms: Arms, support: Flags) -> None:
    """Let every arm keep only the questions in `support`; the statistics are cut exactly."""
    arms.support[:] = support
    for k in range(len(arms.n)):
        pack(survey.columns, arms, k)


def join_arms(survey: Survey, first: Arms, second: Arms) -> Arms:
    """Add two sets of arms: the statistics are sums, a support is what both kept."""
    joined, other = copy.deepcopy(first), copy.deepcopy(second)
    gone = np.where(first.dropped_at < 0, second.dropped_at, first.dropped_at)
    evidence = np.where((first.dropped_at < 0)[..., None], second.evidence, first.evidence)
    for arms in (joined, other):
        restrict(survey, arms, first.support & second.support)
    for name in ("n", "gram", "moment", "squares"):
        getattr(joined, name)[:] += getattr(other, name)
    joined.dropped_at[:], joined.evidence[:] = gone, evidence
    return joined


def pack_arms(arms: Arms) -> list[dict[str, Any]]:
    """Return the statistics and drops of every arm as plain data; the rest can be derived."""
    packed = []
    for k, size in enumerate(arms.size):
        gone = np.flatnonzero(arms.dropped_at[k] >= 0)
        packed.append(
            {
                "n": int(arms.n[k]),
                "gram": [arms.gram[k, i, : i + 1].tolist() for i in range(size)],
                "moment": arms.moment[k, :size].tolist(),
                "squares": float(arms.squares[k]),
                "dropped": {
                    str(g): [int(arms.dropped_at[k, g]), *arms.evidence[k, g].tolist()]
                    for g in gone
                },
            }
        )
    return packed


def unpack_arms(survey: Survey, packed: Sequence[dict[str, Any]], arms: Arms) -> None:
    """Fill empty arms with what `pack_arms` returned; refuse what cannot be."""
    if len(packed) != len(arms.n):
        raise StateError(f"the file has statistics of {len(packed)} arms, it names {len(arms.n)}")
    for k, saved in enumerate(packed):
        for g, (at, *evidence) in saved["dropped"].items():
            arms.dropped_at[k, int(g)] = at
            arms.evidence[k, int(g)] = evidence
            arms.support[k, int(g)] = False
        pack(survey.columns, arms, k)
        size = int(arms.size[k])
        if len(saved["gram"]) != size or len(saved["moment"]) != size:
            raise StateError(f"arm number {k} of the file does not fit its own support")
        for i, row in enumerate(saved["gram"]):
            arms.gram[k, i, : i + 1] = row
        arms.moment[k, :size] = saved["moment"]
        arms.squares[k] = saved["squares"]
        arms.n[k] = saved["n"]
        if arms.gram[k, 0, 0] != arms.n[k]:  # the constant's column counts the rows
            raise StateError(f"arm number {k} of the file does not count its own rows")


def first_packed(survey: Survey, support: Flags) -> Ints:
    """Return each question's first packed column in an arm with this support."""
    widths = np.where(support, survey.columns.width, 0)
    return np.asarray(1 + np.cumsum(widths) - widths, dtype=np.int64)
