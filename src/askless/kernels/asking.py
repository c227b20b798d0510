"""The room in which it is decided what to ask next: answers so far, inverses, scratch (maths 4)."""

from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Floats, Ints, aligned
from askless.kernels.compiling import INLINE, internal
from askless.kernels.lanes import WIDTH, padded
from askless.kernels.machine import floats_at, ints_at, part


class Asking(NamedTuple):
    """What it takes to decide what to ask next. P and the packing are those of `Arms`.

    An arm sees its unasked questions at their centres, each with a reach around it. An unasked
    question is *plain* if its columns move independently of each other (it is no choice and may
    not be skipped); else it is *special*.
    """

    live: Ints  # (K,) in: 1 for the arms that may be played
    always: Ints  # (m,) in: 1 for the questions that everyone is asked
    asks: Ints  # (m,) out: 1 for the questions to ask next
    possible: Ints  # (K,) out: 1 for the arms that can still win
    counts: Ints  # (K, 2) how many unasked plain columns an arm has, and special questions
    plain_at: Ints  # (K, P) which columns
    special_at: Ints  # (K, P) the special questions' first packed columns
    special_width: Ints  # (K, P) how many columns they own
    special_choice: Ints  # (K, P) 1 for a choice
    cost: Floats  # (m,) in: of each question
    z: Floats  # (p,) in: the answers so far, NaN where there is none
    seen: Floats  # (p,) scratch
    numbers: Floats  # (K, 3) x' inv(D) x at the centre, the UCB there, the trace of inv(D)
    limit: Floats  # (K,) in: what an arm must exceed
    gap: Floats  # (K,) by how much an arm may exceed the leading one
    inverse: Floats  # (K, P, P) inv(D), whole; `Arms.inverted` says whether it is up to date
    centre: Floats  # (K, P) the context with unasked questions at their centres
    pull: Floats  # (K, P) inv(D) times that
    reach: Floats  # (K, P) half the range of an unasked column; 0 for choices and what is asked
    plain: Floats  # (K, P) the same, 0 for special questions too
    slope: Floats  # (K, P) how the UCB changes with a column at the centre; not packed
    linear: Floats  # (P,) the linear part of what is to be bounded
    tilt: Floats  # (P,) scratch
    point: Floats  # (P,) scratch
    price: Floats  # (P,) diag(price) dominates the quadratic part


class Scratch(NamedTuple):
    """Room for the levels of the bounds."""

    order: Ints  # (P,)
    turn: Ints  # (P,)
    lead: Ints  # (P,)
    vertex: Floats  # (P,)
    turned: Floats  # (P,)
    border: Floats  # (P,)
    start: Floats  # (P WIDTH,) unit vectors in general position; the first is (1, 0, …)
    vectors: Floats  # (P WIDTH,)
    scaled: Floats  # (P, P)
    fields: Floats  # (P, P)


def asking_buffers(
    count: int, p: int, always: Ints, cost: Floats, *, wanted: bool
) -> tuple[Ints, Floats]:
    """Return the buffers of so many arms; almost nothing where none is `wanted`."""
    if not wanted:
        return np.zeros(4, dtype=np.int64), np.zeros(1)
    m, wide = len(always), padded(p)
    ints = np.zeros(4 + 2 * m + count * (4 + 4 * wide) + 3 * wide, dtype=np.int64)
    ints[:4] = count, m, p, wide
    per_arm = wide * wide + 5 * wide + 5
    floats = aligned(count * per_arm + 2 * wide * wide + (7 + 2 * WIDTH) * wide + m + 2 * p)
    asking, scratch = named_asking(ints, floats)
    asking.always[:], asking.cost[:] = always, cost
    directions = np.random.default_rng(0).normal(size=(wide, WIDTH))  # any will do
    directions[0] = np.eye(WIDTH)[0]  # the constant is always known; its place is the border's
    scratch.start[:] = (directions / np.linalg.norm(directions, axis=1, keepdims=True)).ravel()
    return ints, floats


def named_asking(ints: Ints, floats: Floats) -> tuple[Asking, Scratch]:
    """Name the parts of the buffers; what is loaded in lanes comes first."""
    count, m, p, wide = ints[0], ints[1], ints[2], ints[3]
    live, always, asks = 4, 4 + count, 4 + count + m
    possible = asks + m
    counts, plain_at = possible + count, possible + 3 * count
    square, row = wide * wide, count * wide
    special_at = plain_at + row
    order = special_at + 3 * row
    inverse, scaled = 0, count * square
    fields = scaled + square
    start, vectors = fields + square, fields + square + WIDTH * wide
    centre = vectors + WIDTH * wide
    linear = centre + 5 * row
    numbers = linear + 7 * wide
    cost = numbers + 5 * count
    asking = Asking(
        live=part(ints, live, (count,)),
        always=part(ints, always, (m,)),
        asks=part(ints, asks, (m,)),
        possible=part(ints, possible, (count,)),
        counts=part(ints, counts, (count, 2)),
        plain_at=part(ints, plain_at, (count, wide)),
        special_at=part(ints, special_at, (count, wide)),
        special_width=part(ints, special_at + row, (count, wide)),
        special_choice=part(ints, special_at + 2 * row, (count, wide)),
        cost=part(floats, cost, (m,)),
        z=part(floats, cost + m, (p,)),
        seen=part(floats, cost + m + p, (p,)),
        numbers=part(floats, numbers, (count, 3)),
        limit=part(floats, numbers + 3 * count, (count,)),
        gap=part(floats, numbers + 4 * count, (count,)),
        inverse=part(floats, inverse, (count, wide, wide)),
        centre=part(floats, centre, (count, wide)),
        pull=part(floats, centre + row, (count, wide)),
        reach=part(floats, centre + 2 * row, (count, wide)),
        plain=part(floats, centre + 3 * row, (count, wide)),
        slope=part(floats, centre + 4 * row, (count, wide)),
        linear=part(floats, linear, (wide,)),
        tilt=part(floats, linear + wide, (wide,)),
        point=part(floats, linear + 2 * wide, (wide,)),
        price=part(floats, linear + 3 * wide, (wide,)),
    )
    return asking, Scratch(
        order=part(ints, order, (wide,)),
        turn=part(ints, order + wide, (wide,)),
        lead=part(ints, order + 2 * wide, (wide,)),
        vertex=part(floats, linear + 4 * wide, (wide,)),
        turned=part(floats, linear + 5 * wide, (wide,)),
        border=part(floats, linear + 6 * wide, (wide,)),
        start=part(floats, start, (wide * WIDTH,)),
        vectors=part(floats, vectors, (wide * WIDTH,)),
        scaled=part(floats, scaled, (wide, wide)),
        fields=part(floats, fields, (wide, wide)),
    )


open_asking_parts = internal(**INLINE)(named_asking)


@internal(**INLINE)
def open_asking(address: int) -> tuple[Asking, Scratch]:
    """Name the parts of the buffers, given the address of their header."""
    at = ints_at(address, 12)
    return open_asking_parts(ints_at(at[8], at[9]), floats_at(at[10], at[11]))
