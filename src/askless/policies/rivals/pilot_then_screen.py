"""Pilot, then screen: ask everything of a share of the people, then a fixed short survey."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.errors import SettingError, StateError
from askless.policies.base import Policy
from askless.policies.decision import Decision
from askless.policies.packed import pack, unpack
from askless.policies.player import Block, Played, Player
from askless.policies.rivals.lasso import kept_columns, least_squares
from askless.policies.shared_settings import PLANNED
from askless.policies.state_proof import RowSpace
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Number, Seed

__all__ = ["PilotThenScreen"]

MOST_COEFFICIENT = 1e30  # in ranges: with more, scores would leave the floats


class Models(NamedTuple):
    """What a pilot has found; it stays as it is."""

    kept: Flags  # which questions each arm uses (K × questions)
    coefficients: Floats  # K × p, in reward units

    def means(self, contexts: Floats) -> Floats:
        """Return what each arm is expected to bring in each context (n × K)."""
        means = np.zeros((len(contexts), len(self.coefficients)))
        # Column by column and not as a product, whose last bits depend on how many contexts there
        # are: a visit by itself must decide as one among many.
        for j in np.flatnonzero(self.coefficients.any(axis=0)):
            means += contexts[:, j, None] * self.coefficients[:, j]
        return means

    def means_of(self, z: Floats) -> Floats:
        """Return the same for one context, NaN for an arm that lacks an answer."""
        lacking = (np.isnan(z) & (self.coefficients != 0)).any(axis=1)
        return np.where(lacking, np.nan, self.means(np.nan_to_num(z[None, :]))[0])


class PilotThenScreen(Policy):
    """A randomised pilot, a lasso, then a short survey that stays as it is (maths 6).

    Until `pilot` rows have been learned, everything is asked and every arm that the visit may get
    is played with the same probability. Then a lasso with the one-standard-error rule picks the
    questions of each arm, least squares on those gives its expected rewards, and from then on the
    picked questions are asked and the arm with the largest expected reward is played. Rows that
    are learned later change nothing.

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    planned : int
        How many people the study is planned for.
    share : float
        The share of them that is the pilot.
    seed : int
        Seed of the pilot's draws.

    Attributes
    ----------
    pilot : int
        How many rows are learned in the pilot: the share of the planned people, rounded up.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.PilotThenScreen(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1), planned=300)
    >>> for i in range(policy.pilot):
    ...     visit = policy.visit(known={"x1": i % 2, "x2": i % 3 / 2})
    ...     policy.learn(visit, reward=i % 2 if visit.arm == "a" else 0.25)
    >>> policy.in_pilot, policy.asked_now()
    (False, ('x1',))
    >>> policy.visit(known={"x1": 1}).arm, policy.visit(known={"x1": 0}).arm
    ('a', 'b')
    """

    name: ClassVar[str] = "pilot-then-screen"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        planned: Annotated[int, PLANNED],
        share: Annotated[
            float,
            Number(
                "The share of these people that is the pilot.",
                above=0,
                most=1,
                give="the share of people that is the pilot, above 0 and up to 1",
            ),
        ] = 0.2,
        seed: Seed = 0,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        self.planned, self.share, self.seed = planned, share, seed
        self._check_settings()
        # The share as it is written: as a float, .07 of 100 is a bit more than 7.
        self.pilot = math.ceil(Fraction(repr(self.share)) * self.planned)
        self._played: list[int] = []  # the pilot's rows, until it ends
        self._rows: list[Floats] = []
        self._ys: list[float] = []
        self._models: Models | None = None

    @property
    def in_pilot(self) -> bool:
        """Whether the pilot is under way."""
        return self._models is None

    @property
    def coefficients(self) -> Floats | None:
        """What each arm is taken to bring (K × p), in the units of `Target`; none in the pilot."""
        return None if self._models is None else self._models.coefficients.copy()

    # -- asking and deciding ---------------------------------------------------------------------

    def _may_ask(self, mask: Flags) -> Flags:
        if self._models is None:
            return np.ones(len(self.survey), dtype=bool)
        return np.asarray(self._models.kept[mask].any(axis=0))

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        if self._models is None:
            (arm,) = _drawn(self.coins(number, 1)[:, 0], mask[None, :])
            return Decision(int(arm), np.where(mask, 0.0, -np.inf), mask / mask.sum())
        scores = np.where(mask, self._models.means_of(z), -np.inf)
        return Decision(int(np.argmax(scores)), scores)

    def _outlook(self, z: Floats) -> tuple[Floats, Floats] | None:
        if self._models is None:
            return None
        means = self._models.means_of(z)
        return means, means

    # -- learning --------------------------------------------------------------------------------

    @property
    def _left(self) -> int:
        """How many rows the pilot still lacks."""
        return self.pilot - len(self._ys) if self.in_pilot else 0

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        if not self.in_pilot:
            return
        wanted = self._left  # of a batch, those beyond the pilot come too late
        self._played += played[:wanted].tolist()
        self._rows += list(rows[:wanted].copy())
        self._ys += ys[:wanted].tolist()
        if not self._left:
            self._screen()

    def _screen(self) -> None:
        """End the pilot: pick each arm's questions, fit its model, let the rows go."""
        played, rows, ys = np.array(self._played), np.array(self._rows), np.array(self._ys)
        found = [self._model(rows[played == k], ys[played == k]) for k in range(len(self.roster))]
        kept = np.array([own for own, _ in found])
        self._models = Models(kept, self.reward.span * np.array([coef for _, coef in found]))
        self._played, self._rows, self._ys = [], [], []

    def _model(self, rows: Floats, ys: Floats) -> tuple[Flags, Floats]:
        """Return the questions that an arm keeps, and its coefficients in units of the range."""
        coef, kept = np.zeros(self.survey.column_count), np.zeros(len(self.survey), dtype=bool)
        if not len(ys):
            coef[0] = (self.reward.middle - self._shift) / self.reward.span
            return kept, coef
        kept[self.survey.owner[kept_columns(rows[:, 1:], ys)]] = True
        columns = 1 + np.flatnonzero(kept[self.survey.owner])
        coef[np.append(0, columns)] = least_squares(rows[:, columns], ys)
        return kept, coef

    def _grow(self) -> None:
        if not self.in_pilot:
            raise SettingError(
                "the pilot is over, and an arm that is added now would never be tried; start a new"
                " study with a pilot of all arms"
            )

    def _player(self) -> Player:
        return Blocks(self)

    # -- as data ---------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        if self._models is None:
            rows = np.array(self._rows).reshape(-1, self.survey.column_count)
            return {"played": list(self._played), "ys": pack(self._ys), "rows": pack(rows)}
        kept, coefficients = self._models
        return {"kept": kept.tolist(), "coefficients": pack(coefficients)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        count, p = len(self.roster), self.survey.column_count
        if "kept" in state:
            models = Models(
                np.array(state["kept"]), unpack(state["coefficients"], (count, p), "its models")
            )
            fits = models.kept.dtype == bool and models.kept.shape == (count, len(self.survey))
            most = MOST_COEFFICIENT * self.reward.span
            if not fits or not (np.abs(models.coefficients) < most).all():
                raise StateError("its models are not those of its survey and arms")
            if models.coefficients[:, 1:][~models.kept[:, self.survey.owner]].any():
                raise StateError("its models use questions that they do not keep")
            self._models = models
            return
        played = [self.roster.check_number(arm) for arm in state["played"]]
        rows, ys = unpack(state["rows"], (-1, p), "its rows"), unpack(state["ys"], (-1,), "its ys")
        reason = RowSpace(self.survey, self.reward).doubt_rows(rows, ys)
        if reason or not len(played) == len(rows) < self.pilot or np.isnan(rows).any():
            raise StateError(f"the pilot cannot be: {reason or 'it has not as many rows as arms'}")
        self._played, self._rows, self._ys = played, list(rows), ys.tolist()


class Blocks:
    """Plays the visits of a block at once: only the end of the pilot changes what they do."""

    def __init__(self, policy: PilotThenScreen) -> None:
        self.policy = policy
        self.cost = np.array([question.cost for question in policy.survey])

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits: first those of the pilot, then the others."""
        policy, count = self.policy, len(block)
        live, support, pilot = policy.roster.live, policy.support, min(count, policy._left)
        masks = np.tile(live, (count, 1)) if block.allowed is None else live & block.allowed
        rewards = block.rewards
        arms, asked = np.empty((2, count), dtype=np.int64)
        paid = np.empty(count)
        for part in (slice(0, pilot), slice(pilot, count)):
            if part.start < part.stop:
                asked[part], paid[part] = self._asked(masks[part])
                arms[part] = self._arms(block.contexts[part], masks[part])
                each = np.arange(part.start, part.stop)
                self._learn(arms[part], block.contexts[part], rewards[each, arms[part]])
        drops[support & ~policy.support] = begun + pilot
        return Played.of(block, live, arms, asked, paid)

    def _asked(self, masks: Flags) -> tuple[Ints, Floats]:
        """Return how many questions each visit is asked, and what they cost."""
        policy = self.policy
        kinds, kind = np.unique(masks, axis=0, return_inverse=True)
        put = [policy._may_ask(mask) | policy.survey.asked_of_everyone for mask in kinds]
        # Summed one after the other, as a visit does: sums are rounded.
        costs = [np.append(0.0, self.cost[questions]).cumsum()[-1] for questions in put]
        kind = kind.reshape(-1)
        return np.array([questions.sum() for questions in put])[kind], np.array(costs)[kind]

    def _arms(self, contexts: Floats, masks: Flags) -> Ints:
        policy = self.policy
        if policy._models is None:
            return _drawn(policy.coins(policy._next_number, len(masks))[:, 0], masks)
        means = policy._models.means(contexts)
        return np.asarray(np.where(masks, means, -np.inf).argmax(axis=1))

    def _learn(self, arms: Ints, contexts: Floats, rewards: Floats) -> None:
        policy = self.policy
        policy._next_number += len(arms)
        policy._version += len(arms)
        if policy.in_pilot:
            ys = [policy._checked_reward(reward) for reward in rewards.tolist()]
            policy._learn(arms, contexts, np.array(ys))


def _drawn(coins: Floats, masks: Flags) -> Ints:
    """Return the arms that visits draw, each evenly among those of its own mask."""
    place = (coins * masks.sum(axis=1)).astype(np.int64)
    return np.asarray((masks.cumsum(axis=1) > place[:, None]).argmax(axis=1))
