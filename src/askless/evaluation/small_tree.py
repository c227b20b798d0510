"""People told apart by their answers, and a rule about them as a small tree that can be read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.survey import Choice, Multi, Question, Scale
from askless.survey.question import Answer

__all__ = ["Leaf", "Rule", "Test", "conditions", "grow", "splits_of", "told_apart"]

DEEPEST = 3  # questions on the way to a leaf
SMALLEST = 0.05  # of the people: fewer make no leaf
WORTH = 0.01  # of the people: a split must set right as many
LEVELS = 5  # of a scale: with more it is cut in thirds
CUTS = 9  # of a scale, for the tree
YES_NO: dict[str, Answer] = {"yes": True, "no": False}


class Leaf(NamedTuple):
    """Who gets what, by the tree."""

    conditions: tuple[str, ...]
    arm: str
    share: float  # of the people
    right: float  # of those, to how many the policy gives this arm


@dataclass(frozen=True)
class Rule:
    """The policy's rule as a tree; `right` is how many of all people it gives their arm."""

    leaves: tuple[Leaf, ...]
    right: float


class Test(NamedTuple):
    """An answer, and who gave it."""

    question: str
    answer: str
    holds: Flags
    other: str = ""  # what the others said, where that has a name

    def side(self, held: bool) -> tuple[Flags, str]:
        """Return who gave it, or who did not, and how to say so."""
        if held:
            return self.holds, f"{self.question}: {self.answer}"
        return ~self.holds, f"{self.question}: {self.other or f'not {self.answer}'}"


def told_apart(question: Question, answers: Sequence[dict[str, Answer]]) -> Iterator[Test]:
    """Go through the answers to a question that are told apart."""
    given = [row.get(question.name) for row in answers]
    skipped = np.array([answer is None for answer in given])
    if isinstance(question, Multi):
        for option in question.options:
            chosen = np.array([isinstance(a, list) and option in a for a in given])
            yield Test(question.name, f"with {option}", chosen, f"without {option}")
    elif isinstance(question, Scale):
        yield from _levels(question, given, skipped)
    else:
        named = YES_NO
        if isinstance(question, Choice):
            named = {option: option for option in question.options}
        other = "no" if named == YES_NO and not skipped.any() else ""
        for name, meant in named.items():
            holds = np.array([answer == meant for answer in given])
            yield Test(question.name, name, holds, other if name == "yes" else "")
    if skipped.any():
        yield Test(question.name, "a skip", skipped)


def splits_of(question: Question, answers: Sequence[dict[str, Answer]]) -> Iterator[Test]:
    """Go through the ways to tell people in two by a question."""
    if not isinstance(question, Scale):
        yield from told_apart(question, answers)
        return
    given = [row.get(question.name) for row in answers]
    skipped = np.array([answer is None for answer in given])
    numbers = _numbers(given)
    if skipped.all():
        return
    shares = np.arange(1, CUTS + 1) / (CUTS + 1)
    for cut in _round(np.quantile(numbers[~skipped], shares, method="inverted_cdf"), numbers):
        above = f"above {cut:.10g}" + (", or a skip" if skipped.any() else "")
        yield Test(question.name, f"up to {cut:.10g}", numbers <= cut, above)
    if skipped.any():
        yield Test(question.name, "a skip", skipped)


def _round(cuts: Floats, numbers: Floats) -> list[float]:
    """Return cuts that people would print, each once: to a hundredth of what there is."""
    return sorted({round(float(cut), _digits(numbers)) for cut in cuts})


def _digits(numbers: Floats) -> int:
    """Return how many decimals answers on a scale are shown with."""
    spread = float(np.nanmax(numbers) - np.nanmin(numbers))
    return 2 - math.floor(math.log10(spread)) if spread > 0 else 2


def _numbers(given: Sequence[Answer | None]) -> Floats:
    """Return answers on a scale; NaN for a skip."""
    return np.array([x if isinstance(x, int | float) else np.nan for x in given], dtype=np.float64)


def _levels(question: Scale, given: Sequence[Answer | None], skipped: Flags) -> Iterator[Test]:
    """Go through the levels of a scale, or through thirds of the people."""
    numbers = _numbers(given)
    if skipped.all():
        return
    rounded = np.round(numbers, _digits(numbers))
    levels = np.unique(rounded[~skipped])
    if len(levels) <= LEVELS:
        for level in levels:
            yield Test(question.name, f"{level:.10g}", rounded == level)
        return
    cuts = np.quantile(numbers[~skipped], [1 / 3, 2 / 3], method="inverted_cdf")
    thirds = _round(cuts, numbers)
    first, second = thirds[0], thirds[-1]
    yield Test(question.name, f"up to {first:.10g}", numbers <= first)
    if second > first:
        yield Test(
            question.name,
            f"above {first:.10g}, up to {second:.10g}",
            (numbers > first) & (numbers <= second),
        )
    yield Test(question.name, f"above {second:.10g}", numbers > second)


def grow(
    tests: Sequence[Test],
    arms: Ints,
    weights: Floats,
    names: Sequence[str],
    here: Flags,
    path: tuple[tuple[Test, bool], ...],
) -> Iterator[Leaf]:
    """Split people where that gives most of them their own arm; yield the leaves."""
    counts = np.array([weights[here & (arms == k)].sum() for k in range(len(names))])
    best, gain = None, WORTH
    if len(path) < DEEPEST:
        for test in tests:
            yes, no = here & test.holds, here & ~test.holds
            if min(weights[yes].sum(), weights[no].sum()) < SMALLEST:
                continue
            right = sum(
                max(weights[side & (arms == k)].sum() for k in range(len(names)))
                for side in (yes, no)
            )
            if right - counts.max() > gain:
                best, gain = test, right - counts.max()
    if best is None:
        total = counts.sum()
        share, right = float(total), float(counts.max() / total)
        yield Leaf(conditions(path), names[int(counts.argmax())], share, right)
        return
    for held in (True, False):
        side, _ = best.side(held)
        yield from grow(tests, arms, weights, names, here & side, (*path, (best, held)))


def conditions(path: Sequence[tuple[Test, bool]]) -> tuple[str, ...]:
    """Return a path in words, without what a later answer to the same question implies."""
    found = []
    for i, (test, held) in enumerate(path):
        side, said = test.side(held)
        later = [own.side(was)[0] for own, was in path[i + 1 :] if own.question == test.question]
        if all((narrower & ~side).any() for narrower in later):
            found.append(said)
    return tuple(found)
