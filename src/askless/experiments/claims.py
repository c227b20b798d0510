"""The paper's claims, each judged by what was measured (maths 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from askless.experiments.paper import (
    ASKS,
    NET,
    NET_NEVER,
    NEVER,
    RIDGE,
    STATED,
    VISITS,
    Key,
)
from askless.experiments.quotations import QUOTATIONS, Quotation
from askless.simulation import Run, Runs

__all__ = ["Claim", "Part", "judged", "well_below"]

# The best arm's mean is 19/24 on average; each of the first three arms brings 1/2 (maths 7).
BEST_ARM_COST = 19 / 24 - 1 / 2
HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
NOT_JUDGED = "not judged at this length"
RELEVANT = ("x1", "x2")  # the questions of the paper's environment that matter to an arm

Measured = Mapping[Key, Runs]


@dataclass(frozen=True)
class Part:
    """One thing that a claim says, as it was measured.

    Attributes
    ----------
    measured : str
        What was compared, with its figures.
    agree, runs : int
        In how many runs it is so, of how many.
    holds : bool
        Whether it is so of the mean over runs, and of more than half of the runs.
    """

    measured: str
    agree: int
    runs: int
    holds: bool


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, and the parts that decide it.

    Attributes
    ----------
    number : int
        Its number (maths 7).
    text : str
        What it says, in a sentence of ours.
    quotations : tuple of Quotation
        What the paper says, and where.
    parts : tuple of Part
        What decides it; empty if the runs are too short to.
    so_far : tuple of Part
        The same, as short runs have it: they decide nothing.
    """

    number: int
    text: str
    quotations: tuple[Quotation, ...]
    parts: tuple[Part, ...]
    so_far: tuple[Part, ...] = ()

    @property
    def verdict(self) -> str:
        """Whether all, some or none of its parts hold; or that the runs are too short."""
        if self.so_far:
            return NOT_JUDGED
        holding = sum(part.holds for part in self.parts)
        return HOLDS if holding == len(self.parts) else IN_PART if holding else FAILS

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "number": self.number,
            "claim": self.text,
            "paper": [quotation.to_dict() for quotation in self.quotations],
            "verdict": self.verdict,
            "visits_needed": VISITS,
            "parts": [vars(part) for part in self.parts],
            "so_far": [vars(part) for part in self.so_far],
        }


def well_below(horizon: int) -> float:
    """Return the regret below which a policy does well: half of the best single arm's (maths 7)."""
    return BEST_ARM_COST * horizon / 2


def judged(runs: Measured) -> tuple[Claim, ...]:
    """Judge the paper's seven claims by the runs of every curve.

    The paper speaks of runs of 100,000 visits. Shorter ones are too short for a verdict either way:
    regret and questions add up over a run, and most questions leave late in it.
    """
    judges: tuple[tuple[str, Callable[[Measured], Iterator[Part]]], ...] = (
        ("With beta-min true (the effects are 1) both do well on regret, ridge better.", _one),
        ("Ridge does badly when beta-min is violated (1.5).", _two),
        ("The elastic net then keeps the predictive questions, and does well.", _three),
        ("Without sub-optimal arms (3 arms) every irrelevant question goes.", _four),
        ("Sub-optimal arms (5 arms instead of 3) hurt: more regret, longer surveys.", _five),
        ("Interactive surveys shorten them again, at the same regret.", _six),
        ("A less conservative (larger) beta_min lowers regret.", _seven),
    )
    short = min(curve.horizon for curve in runs.values()) < VISITS
    claims = []
    for number, (text, judge) in enumerate(judges, 1):
        parts = tuple(judge(runs))
        decided, so_far = ((), parts) if short else (parts, ())
        claims.append(Claim(number, text, QUOTATIONS[number], decided, so_far))
    return tuple(claims)


def _one(runs: Measured) -> Iterator[Part]:
    true = [Key(RIDGE, 3, 0.3), *(Key(RIDGE, 5, at) for at in (0.3, 0.5, 0.7)), Key(NET, 5, 0.7)]
    for key in (*true, Key(NET + STATED, 5, 0.7)):
        yield _well(runs, key)
    yield _less(runs, Key(RIDGE, 5, 0.7), Key(NET, 5, 0.7), "regret")


def _two(runs: Measured) -> Iterator[Part]:
    bad = Key(RIDGE, 5, 1.5)
    limit = well_below(runs[bad].horizon)
    yield _part(
        f"{_name(bad)}: regret {runs[bad].regret:,.0f}, limit {limit:,.0f}",
        [run.regret - limit for run in runs[bad].runs],
        at_zero=True,
    )
    yield _less(runs, Key(NEVER, 5, 0.0), bad, "regret")


def _three(runs: Measured) -> Iterator[Part]:
    for key in (Key(NET, 5, 1.5), Key(NET, 3, 1.5), Key(NET + STATED, 5, 1.5)):
        lost = [run.useful_dropped or 0 for run in runs[key].runs]  # it is known
        yield _part(
            f"{_name(key)}: {np.mean(lost):.1f} useful (arm, question) pairs dropped a run",
            [-float(count) for count in lost],
            at_zero=True,
        )
        gone = [len(set(RELEVANT) - set(run.questions_left)) for run in runs[key].runs]
        yield _part(
            f"{_name(key)}: {len(RELEVANT) - np.mean(gone):.1f} of {len(RELEVANT)} predictive"
            " questions left in the survey",
            [-float(count) for count in gone],
            at_zero=True,
        )
    for label in (NET, NET + STATED):
        yield _well(runs, Key(label, 5, 1.5))


def _four(runs: Measured) -> Iterator[Part]:
    nets = Key(NET, 3, 0.7), Key(NET, 3, 1.5), Key(NET + STATED, 3, 1.5)
    for key in (Key(RIDGE, 3, 0.3), *nets):
        left = [len(set(run.questions_left) - set(RELEVANT)) for run in runs[key].runs]
        yield _part(
            f"{_name(key)}: {np.mean(left):.1f} irrelevant questions left",
            [-float(count) for count in left],
            at_zero=True,
        )


def _five(runs: Measured) -> Iterator[Part]:
    for label, beta_min in ((RIDGE, 0.3), (NET, 0.7), (NET, 1.5)):
        few, many = Key(label, 3, beta_min), Key(label, 5, beta_min)
        for what in ("regret", "questions a visit"):  # the paper's "performance" is both
            yield _less(runs, few, many, what)


def _six(runs: Measured) -> Iterator[Part]:
    for label, beta_min in ((RIDGE, 0.3), (RIDGE, 0.5), (NET, 0.7), (NET, 1.5)):
        full, asks = Key(label, 5, beta_min), Key(label + ASKS, 5, beta_min)
        yield _less(runs, asks, full, "questions a visit")
        pairs = zip(runs[asks].runs, runs[full].runs, strict=True)
        gaps = [float(np.abs(one.regret_at - other.regret_at).max()) for one, other in pairs]
        yield _part(
            f"{_pair(asks, full)}: regrets differ by up to {max(gaps):,.3g}",
            [-gap for gap in gaps],
            at_zero=True,
        )


def _seven(runs: Measured) -> Iterator[Part]:
    ridge = [Key(NEVER, 5, 0.0), *(Key(RIDGE, 5, at) for at in (0.3, 0.5, 0.7))]
    net = [Key(NET_NEVER, 5, 0.0), Key(NET, 5, 0.7), Key(NET, 5, 1.5)]
    stated = [Key(NET + STATED, 5, 0.7), Key(NET + STATED, 5, 1.5)]
    for steps in (ridge, net, stated):
        for before, after in pairwise(steps):
            yield _less(runs, after, before, "regret")


def _well(runs: Measured, key: Key) -> Part:
    limit = well_below(runs[key].horizon)
    return _part(
        f"{_name(key)}: regret {runs[key].regret:,.0f}, limit {limit:,.0f}",
        [limit - run.regret for run in runs[key].runs],
    )


def _less(runs: Measured, smaller: Key, larger: Key, what: str) -> Part:
    """Compare two curves run by run: the same people."""
    few, many = ([_figure(run, what) for run in runs[key].runs] for key in (smaller, larger))
    digits = 1 if what == "questions a visit" else 0
    return _part(
        f"{_pair(smaller, larger)}: {np.mean(few):,.{digits}f} against"
        f" {np.mean(many):,.{digits}f} {what}",
        [b - a for a, b in zip(few, many, strict=True)],
    )


def _figure(run: Run, what: str) -> float:
    return run.regret if what == "regret" else run.questions_per_visit


def _part(measured: str, margins: Sequence[float], *, at_zero: bool = False) -> Part:
    """Judge by how far each run is on the right side; being at zero counts if it may be."""

    def right(margin: float) -> bool:
        return bool(margin > 0 or (at_zero and margin == 0))

    agree = sum(map(right, margins))
    return Part(
        measured=measured,
        agree=agree,
        runs=len(margins),
        holds=right(float(np.mean(margins))) and 2 * agree > len(margins),
    )


def _name(key: Key) -> str:
    return f"{_short(key)}, {key.arms} arms"


def _pair(one: Key, other: Key) -> str:
    if one.arms != other.arms:
        return f"{_short(one)}, {one.arms} arms against {other.arms}"
    return f"{_short(one)} against {_short(other)}, {one.arms} arms"


def _short(key: Key) -> str:
    if key.label in (NEVER, NET_NEVER):
        return "ridge that never drops" if key.label == NEVER else "net that never drops"
    kind = "net" if key.label.startswith(NET) else "ridge"
    asks = "interactive " if key.label.endswith(ASKS) else ""
    return f"{asks}{kind} {key.beta_min:g}{STATED if key.label.endswith(STATED) else ''}"
