"""Epoch SurveyUCB: models change only between epochs, so that each effect is tested alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NoReturn

import numpy as np

from askless.errors import SettingError
from askless.kernels.bundles import Flags, Floats, Ints, Rule
from askless.policies.base import Policy
from askless.policies.decision import Asked, Decision
from askless.policies.epoch_state import EpochState
from askless.policies.linear_ucb import LinearUCB
from askless.policies.player import Player
from askless.survey import Arm, RewardRange, Survey

__all__ = ["EpochSurveyUCB"]

AT_ONCE = 1024  # rows for which room is made at once


class EpochSurveyUCB(LinearUCB):
    """Ridge models and confidence sets that stay as they are during an epoch (maths 5).

    Each arm learns in epochs of growing length. Its model is frozen during an epoch, so which rows
    it gets does not depend on their own noise; at the end each question is tested for itself, at a
    price that hardly depends on how many others there are. So questions leave many times sooner
    than with `RidgeSurveyUCB`, under the same kind of guarantee: with probability 1 - delta no
    question whose effect exceeds `beta_min` is ever dropped (docs/guarantee.md).

    It needs rewards to be learned in the order of the decisions (maths 2.5), contexts that do not
    react to rewards, and independent noise.

    Parameters
    ----------
    survey : Survey
        The questions.
    arms : iterable of str or Arm
        The decisions.
    reward : (float, float)
        The smallest and the largest reward there can be.
    beta_min : float
        The smallest change of expected reward for which a question is worth asking; 0: never drop.
    delta : float, optional
        How often the guarantees may fail; 0.05 (raw coding: 0.1) unless given. Half of it is for
        the confidence sets, half for the tests of single effects.
    alpha : float, optional
        The ridge penalty; 5 unless given (raw coding: 1).
    sigma, b1, b2 : float, optional
        Sub-Gaussian constant of the noise and bounds on the norms of an arm's parameters;
        derived from the reward range unless given (maths 1.2). The tests learn the real noise, so
        there is little to gain from a smaller sigma.
    growth : float
        By which factor an epoch makes an arm's rows grow, up to 3; 1.5 unless given.
    explore : float
        Share of visits whose arm is drawn at random, evenly among the arms with undecided
        questions. Visits know with which probability their arm was to be played, `propensity`,
        which off-policy evaluation needs.
    seed : int
        Seed of those draws; a draw depends on it and on the visit's number alone.
    judge_skips : bool
        Whether a question that may be skipped is dropped only once a skip is known to mean no
        more than an answer (maths 5.4). That takes many skips; where they are rare, `False` judges
        such a question by its answers alone. The guarantee then needs skips to mean nothing.
    radius : {"valid"}
        The confidence sets are those of `RidgeSurveyUCB`.
    interactive : bool or {"certified", "paper_heuristic"}
        Ask a person only what can still change the decision: the arm is the one that the full
        survey would give (maths 4). `True` is "certified"; "paper_heuristic" is the paper's rule,
        for comparison only: it can play another arm.
    grain : {"arm", "question"}, optional
        Interactive: ask all open questions of an arm at once ("arm", the default), or one question
        at a time, that which settles most for its cost.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> policy = al.EpochSurveyUCB(survey, arms=["red_cross", "wwf"], reward=(0, 100), beta_min=5)
    >>> visit = policy.visit(known={"age": 44, "donor": True})
    >>> policy.learn(visit, reward=25)
    >>> policy.rows, policy.epochs
    (array([1, 0]), array([0, 0]))
    """

    name: ClassVar[str] = "epoch"
    radii: ClassVar[tuple[str, ...]] = ("valid",)
    drops: ClassVar[bool] = True
    has_epochs: ClassVar[bool] = True
    own_settings: ClassVar[tuple[str, ...]] = ("growth", "explore", "seed", "judge_skips")
    _model: EpochState

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        beta_min: float,
        delta: float | None = None,
        alpha: float | None = None,
        sigma: float | None = None,
        b1: float | None = None,
        b2: float | None = None,
        growth: float | None = None,
        explore: float = 0.0,
        seed: int = 0,
        judge_skips: bool = True,
        radius: str | None = None,
        interactive: bool | str = False,
        grain: str | None = None,
    ) -> None:
        Policy.__init__(self, survey, arms=arms, reward=reward)
        self._begin(
            beta_min=beta_min,
            delta=delta,
            alpha=alpha,
            sigma=sigma,
            b1=b1,
            b2=b2,
            growth=growth,
            explore=explore,
            seed=seed,
            judge_skips=judge_skips,
            radius=radius,
            interactive=interactive,
            grain=grain,
        )
        if self.settings.interactive == "paper_heuristic" and self.settings.explore > 0:
            raise SettingError(
                "explore needs to know which arm the full survey gives, and the paper's heuristic"
                " does not; choose interactive='certified'"
            )

    # -- looking ---------------------------------------------------------------------------------

    @property
    def growth(self) -> float:
        """By which factor an epoch makes an arm's rows grow."""
        return float(self._model.rule.growth)

    @property
    def rows(self) -> Ints:
        """How many rows each arm has learned (K), those of its epoch under way included."""
        return np.asarray(self._model.learned.n + self._model.epochs.held)

    @property
    def epochs(self) -> Ints:
        """How many epochs each arm has ended (K)."""
        return self._model.epochs.ended.copy()

    @property
    def undecided(self) -> Ints:
        """How many questions each arm keeps whose effect may still be zero (K)."""
        return self._model.epochs.undecided.copy()

    def merge(self, other: LinearUCB) -> NoReturn:  # noqa: ARG002
        """Refuse: what its epochs have shown cannot be added up."""
        raise SettingError(
            "policies with epochs cannot be added up; learn all rows with one of them, in the order"
            " of their decisions"
        )

    # -- drawing arms ----------------------------------------------------------------------------

    def draws(self, first: int, count: int) -> Floats:
        """Return a number in [0, 1) for each visit whose arm is drawn, -1 for the others."""
        if self.settings.explore == 0:
            return np.full(count, -1.0)
        coin, draw = self.coins(first, count)[:, :2].T
        return np.where(coin < self.settings.explore, draw, -1.0)

    def _candidates(self, mask: Flags) -> Ints:
        """Return the arms in `mask` among which one is drawn."""
        return np.flatnonzero(mask & (self._model.epochs.undecided > 0))

    def _draw(self, mask: Flags, number: int) -> int | None:
        """Return the arm that a visit draws, if it draws one."""
        candidates, draw = self._candidates(mask), float(self.draws(number, 1)[0])
        return (
            None
            if draw < 0 or not len(candidates)
            else int(candidates[int(draw * len(candidates))])
        )

    def _drawn(self, decision: Decision, mask: Flags, number: int) -> Decision:
        candidates, share = self._candidates(mask), self.settings.explore
        if share == 0 or not len(candidates):
            return decision
        chances = (1.0 - share) * decision.chances()
        chances[candidates] += share / len(candidates)
        drawn = self._draw(mask, number)
        return Decision(decision.arm if drawn is None else drawn, decision.scores, chances)

    def _ask(self, z: Floats, mask: Flags, number: int) -> Asked:
        asked = super()._ask(z, mask, number)
        drawn = None if asked.questions.any() else self._draw(mask, number)
        if drawn is None:
            return asked
        # The drawn arm learns the visit, so it must be asked what its model uses.
        possible = asked.possible.copy()
        possible[drawn] = True
        missing = np.isnan(z[self.survey.columns.first])
        return Asked(self._needs(drawn) & missing, possible)

    def play(self, z: object) -> int:
        """Return the index of the arm to play in a context; ties go to the lowest index.

        With `explore` an arm is drawn by the number of rows learned so far; visits have numbers of
        their own, and so independent draws before anything is learned.
        """
        return Policy.play(self, z) if self.settings.explore else super().play(z)

    # -- hooks of the base -----------------------------------------------------------------------

    def _learn_visit(
        self, played: Ints, rows: Floats, ys: Floats, *, learned_in: int | None
    ) -> int | None:
        (arm,) = played
        epoch = int(self._model.epochs.ended[arm])
        if learned_in is None or learned_in >= epoch:
            super()._learn_visit(played, rows, ys, learned_in=learned_in)
            return epoch
        # Its epoch has been judged: it must not be evidence a second time.
        self._model.put_in(int(arm), rows[0], float(ys[0]))
        self._version += 1
        return learned_in

    def _player(self) -> Player | None:
        return super()._player()  # the loops know epochs and their draws

    def _empty(self, rule: Rule, shares: Floats) -> EpochState:
        state = EpochState.empty(self.survey, rule, shares)
        if not self.settings.judge_skips:
            state.leave_out_skips()
        return state

    def _grow(self) -> None:
        super()._grow()
        if not self.settings.judge_skips:
            self._model.leave_out_skips()

    def _share(self, later: int) -> float:
        return super()._share(later) / 2  # the other half is for the tests (maths 5.1)

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        for first in range(0, len(played), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            with self._model.counting(len(played[part]), set(played[part].tolist())):
                super()._learn(played[part], rows[part], ys[part])
