"""What a plan says to do: shorten, ask everything, one arm for all, or come with more people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from askless.evaluation.ways import FULL, SINGLE, Way
from askless.kernels.bundles import Floats

__all__ = ["SURELY", "Figures", "Judged", "Verdict", "errors_of", "judge"]

SHORTER = 0.1  # a survey is shorter if visits are asked at least this share of questions less
SAME = 0.005  # of the reward range: rewards that differ by less are the same
SURELY = 2.0  # paired standard errors


class Figures(NamedTuple):
    """What became of every world in one way, a visit (worlds,)."""

    asked: Floats
    reward: Floats
    net: Floats  # of the price of asking, or with those who left: what a study really gets


@dataclass(frozen=True)
class Judged:
    """What is best with so many people.

    Attributes
    ----------
    kind : {"shorten", "everything", "one arm"}
        What to do.
    way : str
        The label of the way that does it.
    margin : float
        How far that is from another verdict, in paired standard errors.
    """

    kind: str
    way: str
    margin: float

    @property
    def is_close(self) -> bool:
        """Whether other worlds could well have said otherwise."""
        return self.margin < SURELY


@dataclass(frozen=True)
class Verdict:
    """What to do.

    Attributes
    ----------
    kind : {"shorten", "everything", "one arm", "more people"}
        What it comes to.
    way : Way
        The way that does it, and with which setting.
    respondents : int
        With how many people.
    people : int or None
        "more people": with about how many the survey can be shortened; "everything": more than so
        many would be needed; None where that does not matter.
    is_close : bool
        Whether other worlds could well have said otherwise.
    """

    kind: str
    way: Way
    respondents: int
    people: int | None
    is_close: bool


def judge(figures: Mapping[str, Figures], ours: list[str], span: float) -> Judged:
    """Judge what became of the worlds: ways by their labels, ours in the order of preference."""
    full, single = figures[FULL], figures[SINGLE]
    scores = {label: _shortens(figures[label], full, span) for label in ours}
    good = [label for label in ours if scores[label] > 0]
    best = good[0] if good else max(ours, key=lambda label: scores[label])
    label, score = (best, scores[best]) if good else (FULL, -scores[best])
    over = errors_of(single.net - figures[label].net) - SURELY
    if over > 0:
        return Judged("one arm", SINGLE, over)
    return Judged("shorten" if good else "everything", label, min(score, -over))


def _shortens(own: Figures, full: Figures, span: float) -> float:
    """Return by how many standard errors a way is a shorter survey that is worth it.

    It asks less for the same reward, or its net is higher surely.
    """
    fewer = 1.0 - own.asked / np.maximum(full.asked, 1e-9)
    same = min(
        errors_of(fewer - SHORTER),
        errors_of(own.reward - full.reward + SAME * span),
    )
    return max(same, errors_of(own.net - full.net) - SURELY)


def errors_of(differences: Floats) -> float:
    """Return a mean in units of its standard error."""
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(len(differences))
    if error < 1e-12 * max(1.0, abs(mean)):
        return math.copysign(math.inf, mean) if abs(mean) > 1e-12 else 0.0
    return mean / error
