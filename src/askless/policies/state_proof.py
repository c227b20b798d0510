"""Proof that saved rows can be rows, and sums the sums of rows (maths 1.1, 1.3).

Rows are on a grid, so their sums are exact: what is wrong by a bit is wrong. Only whether there is
a direction in which rows had a negative square is a question of rounding; and, in raw coding, what
rewards add up to that are many times as large as their range.
"""

from __future__ import annotations

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.core.words import GRID, NUMBER, ONE_HOT, REWARD_GRID, SIGNS
from askless.survey import RewardRange, Survey

__all__ = ["RowSpace", "is_square_sum"]

ROUNDING = 1e-10  # of a sum of squares whose diagonal is 1
LARGE = 8.0  # rewards beyond so many ranges from 0 have sums that are rounded


class RowSpace:
    """What rows of some columns of a survey, and their rewards, can be.

    Parameters
    ----------
    survey : Survey
        Whose columns they are.
    reward : RewardRange
        The smallest and the largest reward.
    columns : array of int, optional
        Which columns rows have, in order, all of some questions'; all of them if left out.
    gaps : bool
        Whether rows have zeros where a question was not asked.
    """

    def __init__(
        self,
        survey: Survey,
        reward: RewardRange,
        columns: Ints | None = None,
        *,
        gaps: bool = False,
    ) -> None:
        laid = survey.columns
        own = np.arange(survey.column_count) if columns is None else np.asarray(columns)
        self.gaps = gaps
        kind = np.append(ONE_HOT, laid.kind[survey.owner])
        last = np.zeros(survey.column_count, dtype=bool)  # which columns say that one was skipped
        last[(laid.first + laid.width - 1)[laid.skip != 0]] = True
        self.skip: Flags = last[own]
        self.kind: Ints = np.where(self.skip, ONE_HOT, kind[own])
        self.unit: Floats = np.select(
            [self.kind == NUMBER, self.kind == SIGNS], [1 / GRID, 0.5], 1.0
        )
        may_be_zero = gaps or np.append(False, (laid.skip != 0)[survey.owner])[own]
        zeros = may_be_zero | (self.kind == ONE_HOT)
        low, high = laid.low[own], laid.high[own]
        self.low: Floats = np.where(zeros, np.minimum(low, 0), low)
        self.high: Floats = np.where(zeros, np.maximum(high, 0), high)
        self.low[0] = self.high[0] = 1.0
        owner = np.append(-1, survey.owner)[own]
        firsts = np.flatnonzero(np.diff(owner, prepend=-2))[1:]  # of each question
        ends = np.append(firsts, len(own))[1:]
        # What must be looked at question by question: choices, and questions that may be skipped.
        mixed = (self.kind[firsts] == ONE_HOT) | self.skip[ends - 1]
        self.questions = list(zip(firsts[mixed].tolist(), ends[mixed].tolist(), strict=True))
        signs = self.kind == SIGNS
        for first, end in self.questions:
            signs[first:end] = False
        self.halves: Flags = signs & (not gaps)  # columns that are never 0
        least = reward.low / reward.span if survey.coding == "raw" else -0.5
        self.least, self.most = least - 1 / REWARD_GRID, least + 1 + 1 / REWARD_GRID
        self.largest = max(abs(self.least), abs(self.most))
        # By how much of a reward, and of its square, sums may be off for each row.
        self.rough = 1e-9 * self.largest**2 if self.largest > LARGE else 0.0

    # -- rows ------------------------------------------------------------------------------------

    def doubt_rows(self, rows: Floats, ys: Floats | None = None) -> str | None:
        """Say why these cannot be rows and their rewards in units of the range; None if they can.

        A row may have NaN in all columns of a question that was not asked.
        """
        if ys is not None:
            if len(rows) != len(ys):
                return "it has not as many rows as rewards"
            if not ((self.least <= ys) & (ys <= self.most)).all() or not _are_whole(
                ys * REWARD_GRID
            ):
                return "its rewards are not all in their range and on their grid"
        known = ~np.isnan(rows)
        values = np.where(known, rows, 0.0)
        in_range = (self.low <= values) & (values <= self.high)
        if not (in_range | ~known).all() or not _are_whole(values / self.unit):
            return "its rows are not all in their range and on their grid"
        if not known[:, 0].all():
            return "its rows do not all begin with 1"
        if not ((values**2 == 0.25) | ~known)[:, self.halves].all():
            return "its rows do not all hold answers"
        for first, end in self.questions:
            if not self._are_answers(values[:, first:end], known[:, first:end], first):
                return "its rows do not all hold answers"
        return None

    def _are_answers(self, values: Floats, known: Flags, first: int) -> bool:
        """Whether a question's columns hold answers, skips, or nothing."""
        asked = known[:, 0]
        if not (known == asked[:, None]).all():
            return False
        kinds, skips = self.kind[first], self.skip[first + values.shape[1] - 1]
        skipped = values[:, -1] if skips else np.zeros(len(values))
        own = values[:, :-1] if skips else values
        if kinds == ONE_HOT:
            answered = own.sum(axis=1) == asked - skipped
        elif kinds == SIGNS:
            answered = ((own * own).sum(axis=1)) == 0.25 * own.shape[1] * (asked - skipped)
        else:
            answered = (own[:, 0] == 0) | (skipped == 0)
        return bool((answered | (self.gaps & ~values.any(axis=1))).all())

    # -- sums ------------------------------------------------------------------------------------

    def doubt_sums(
        self, n: int, lower: Floats, moment: Floats, squares: float | None, *, told: bool = False
    ) -> str | None:
        """Say why these cannot be n, Σzz′ (its lower triangle), Σzy and Σy²; None if they can.

        Without `squares`, the largest that they can be stand in. `told`: rewards are forecasts,
        in their range but on no grid.
        """
        gram = lower + np.tril(lower, -1).T
        parts = (gram, moment) if squares is None else (gram, moment, np.array(squares))
        if not all(np.isfinite(part).all() for part in parts):
            return "its sums are no numbers"
        if gram[0, 0] != n or n < 0:
            return "its sums do not count its rows"
        reason = self._doubt_gram(n, gram)
        if reason is not None:
            return reason
        bounds = 1e-9 * (1 + n) if told else self.rough * n
        if not (told or self.rough) and not _are_whole(moment * (REWARD_GRID / self.unit)):
            return "its sums of rewards are not on their grid"
        if not n * self.least - bounds <= moment[0] <= n * self.most + bounds:
            return "its sums of rewards leave their range"
        if squares is not None:
            if not (told or self.rough or _are_whole(np.array(squares * REWARD_GRID**2))):
                return "its sum of squared rewards is not on its grid"
            if not 0 <= squares <= n * self.largest**2 + bounds:
                return "its sum of squared rewards cannot be"
        for first, end in self._exhaustive():
            if abs(moment[first:end].sum() - moment[0]) > bounds:
                return "its sums of rewards differ from those of a choice's options"
        rest = n * self.largest**2 if squares is None else squares
        whole = np.block([[gram, moment[:, None]], [moment, np.array(rest)]])
        if not is_square_sum(whole, 1e-6 if self.rough else ROUNDING):
            return "its sums are no sums of squares"
        return None

    def _doubt_gram(self, n: int, gram: Floats) -> str | None:
        """Say why this cannot be Σzz′ of n rows."""
        if not _are_whole(gram / (self.unit[:, None] * self.unit)):
            return "its sums are not on their grid"
        sums, diagonal = gram[0], gram.diagonal()
        if not ((n * self.low <= sums) & (sums <= n * self.high)).all():
            return "its sums leave the range of so many rows"
        if not (diagonal <= n * np.maximum(self.low**2, self.high**2)).all():
            return "its sums of squares are more than so many rows have"
        one_hot = self.kind == ONE_HOT
        if not (diagonal == sums)[one_hot].all():
            return "its counts of answers differ from each other"
        halves = self.halves  # a sum of n halves of either sign is n / 2 less a whole number
        if not (diagonal == 0.25 * n)[halves].all() or not _are_whole(sums[halves] + 0.5 * n):
            return "its sums are of no answers"
        for first, end in self.questions:
            if not self._are_sums_of_answers(n, gram[first:end, first:end], first):
                return "its sums of one question are of no answers"
        for first, end in self._exhaustive():
            if not (gram[first:end].sum(axis=0) == sums).all():
                return "its counts of a choice's options are not those of its rows"
        return None

    def _are_sums_of_answers(self, n: int, block: Floats, first: int) -> bool:
        """Whether a question's part of Σzz′ can be: one answer a row, or a skip."""
        skips = bool(self.skip[first + len(block) - 1])
        skipped = block[-1, -1] if skips else 0.0
        own = block[:-1, :-1] if skips else block
        if skips and block[-1, :-1].any():
            return False
        answered, diagonal = n - skipped, own.diagonal()
        if self.kind[first] == ONE_HOT:
            return not np.triu(own, 1).any()
        largest = max(self.low[first] ** 2, self.high[first] ** 2) * answered
        if self.kind[first] == SIGNS and not self.gaps:
            return bool((diagonal == largest).all())
        return bool((diagonal <= largest).all())

    def _exhaustive(self) -> list[tuple[int, int]]:
        """Return where the columns of questions are of which one is 1 in every row."""
        return [pair for pair in self.questions if self.kind[pair[0]] == ONE_HOT and not self.gaps]


def is_square_sum(matrix: Floats, rounding: float = ROUNDING) -> bool:
    """Whether a symmetric matrix has no negative eigenvalue, but for rounding; by its own scale."""
    diagonal = matrix.diagonal()
    if (diagonal < 0).any() or matrix[diagonal == 0].any():
        return False
    own = np.flatnonzero(diagonal)
    scale = np.sqrt(diagonal[own])
    scaled = matrix[np.ix_(own, own)] / scale[:, None] / scale
    scaled[np.diag_indices(len(own))] += rounding * max(1, len(own) // 100)
    try:
        np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return False
    return True


def _are_whole(numbers: Floats) -> bool:
    """Whether these are whole numbers."""
    return bool((numbers == np.floor(numbers)).all())
