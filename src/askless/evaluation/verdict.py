"""What a plan says to do: shorten, ask everything, one arm for all, or come with more people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from askless.core.arrays import Floats
from askless.evaluation.ways import FULL, SINGLE, Way

__all__ = ["ALIKE", "SAME", "Figures", "Judged", "Verdict", "judge"]

SHORTER = 0.1  # a survey is shorter if visits are asked at least this share of questions less
SAME = 0.005  # of the reward range: rewards that differ by less are the same
ALIKE = 0.0005  # of the reward range: nets that differ by less are alike
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
    nearest : str
        The way of ours that shortens, or comes nearest to it.
    other : {"shorten", "everything", "one arm"}
        The other verdict that is nearest.
    margin : float
        How far that is, in paired standard errors.
    """

    kind: str
    way: str
    nearest: str
    other: str
    margin: float

    @property
    def close_to(self) -> str | None:
        """What other worlds could well have said; None if nothing else."""
        return self.other if self.margin < SURELY else None


@dataclass(frozen=True)
class Verdict:
    """What to do.

    Attributes
    ----------
    kind : {"shorten", "everything", "one arm", "more people"}
        What it comes to.
    way : Way
        The way that does it, and with which setting; "more people": the way that will.
    respondents : int
        With how many people.
    people : int or None
        "more people": with about how many the survey can be shortened; "everything": more than so
        many would be needed; None where that does not matter.
    close_to : {"shorten", "everything", "one arm", "more people"} or None
        What other worlds could well have said; "more people" stands for another number of them.
    """

    kind: str
    way: Way
    respondents: int
    people: int | None
    close_to: str | None


def judge(figures: Mapping[str, Figures], ours: list[str], span: float) -> Judged:
    """Judge what became of the worlds: ways by their labels, of ours the study's own first."""
    figures = {
        label: Figures(own.asked, own.reward / span, own.net / span)
        for label, own in figures.items()
    }
    full, single = figures[FULL], figures[SINGLE]
    scores = {label: _shortens(figures[label], full) for label in ours}
    good = [label for label in ours if scores[label] > 0]
    nearest = _preferred(figures, good, ours[0]) if good else max(ours, key=scores.__getitem__)
    best = max([FULL, *ours], key=lambda label: float(figures[label].net.mean()))
    over = _errors(single.net - figures[best].net) - SURELY
    by_answers, way = ("shorten", nearest) if good else ("everything", FULL)
    if over > 0:
        return Judged("one arm", SINGLE, nearest, by_answers, over)
    instead, by = ("everything" if good else "shorten"), abs(scores[nearest])
    other, margin = ("one arm", -over) if -over < by else (instead, by)
    return Judged(by_answers, way, nearest, other, margin)


def _preferred(figures: Mapping[str, Figures], good: list[str], own: str) -> str:
    """Return the way that nets most; the study's own, if none nets surely more than that."""
    best = max(good, key=lambda label: float(figures[label].net.mean()))
    if own not in good:
        return best
    more = figures[best].net - figures[own].net
    return best if _errors(more) > SURELY and more.mean() >= ALIKE else own


def _shortens(own: Figures, full: Figures) -> float:
    """Return by how many standard errors a way is a shorter survey that is worth it.

    It asks a tenth less for the same reward, or it asks less and its net is higher, surely.
    """
    fewer = 1.0 - own.asked / np.maximum(full.asked, 1e-9)
    same = min(
        _errors(fewer - SHORTER),
        _errors(own.reward - full.reward + SAME),
    )
    more = min(_errors(fewer), _errors(own.net - full.net) - SURELY)
    return max(same, more)


def _errors(differences: Floats) -> float:
    """Return a mean in units of its standard error."""
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(len(differences))
    if error < 1e-12 * max(1.0, abs(mean)):
        return math.copysign(math.inf, mean) if abs(mean) > 1e-12 else 0.0
    return mean / error
