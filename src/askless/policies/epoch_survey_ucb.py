"""Epoch SurveyUCB: models change only between blocks of rows, so each effect is tested alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, NoReturn

import numpy as np

from askless.core.arrays import Flags, Floats, Ints, some
from askless.core.words import NOBODY, Rule
from askless.errors import SettingError
from askless.policies import shared_settings as shared
from askless.policies.base import Policy
from askless.policies.decision import Asked, Decision, Lesson
from askless.policies.epoch_state import EpochState
from askless.policies.linear_ucb import ARRAY, LinearUCB
from askless.policies.one_thread import alone
from askless.policies.player import Player
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Seed

__all__ = ["EpochSurveyUCB"]

AT_ONCE = 1024  # rows for which room is made at once


class EpochSurveyUCB(LinearUCB):
    """Learns in epochs, tests each question for itself, and decides by what the noise shows.

    Each arm learns in blocks of rows. Its model is frozen during a block, so which rows it gets
    does not depend on their own noise; at the end each question is tested for itself, at a price
    that hardly depends on how many others there are. With probability 1 - delta no question whose
    effect exceeds `beta_min` is ever dropped (docs/guarantee.md). Arms are chosen by their means
    on the questions that may matter and by the noise that the rows have shown (maths 8): that
    earns far more in studies of hundreds or thousands of people than an upper bound that always
    holds, and the guarantee does not need one.

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
        How often the guarantees may fail; 0.05 (raw coding: 0.1) unless given. A tenth of it is
        for the confidence sets, the rest for the tests of single effects.
    alpha : float, optional
        The ridge penalty of the confidence sets; 5 unless given (raw coding: 1). Decisions have
        one of their own, which follows from the noise.
    sigma : float, optional
        Sub-Gaussian constant of the noise; half the reward range unless given (raw coding: 1).
        Only the confidence sets use it.
    b1, b2 : float, optional
        Bounds on the 1-norm and on the 2-norm of an arm's parameters; derived from the reward range
        unless given (maths 1.2). Only the confidence sets use them.
    growth : float
        By which factor an epoch makes an arm's rows grow, up to 3; 1.5 unless given.
    optimism : float or "valid"
        How many standard errors an arm's score is above its mean; 1 unless given, 0 is greedy.
        "valid" plays the upper confidence bounds of the sets, which hold always and explore long.
    payback : bool
        Whether some visits that were asked questions for the sake of other arms play one of
        these, so that it learns sooner which of them it needs (maths 8.5).
    explore : float
        How often an arm is drawn evenly from all: with probability explore / t^(1/3) at the t-th
        visit; 0.02 unless given. Visits know with which probability each arm was to be played,
        `propensities`, which off-policy evaluation needs.
    explore_floor : float
        The least that probability can be; 1 plays every arm equally often.
    seed : int
        Seed of all draws; a draw depends on it and on the visit's number alone.
    judge_skips : bool
        Whether a question that may be skipped is dropped only once a skip is known to mean no
        more than an answer (maths 5.4). That takes many skips; where they are rare, `False` judges
        such a question by its answers alone. The guarantee then needs skips to mean nothing.
    radius : {"valid"}
        The confidence sets are those of `RidgeSurveyUCB`.
    interactive : bool or {"certified", "paper_heuristic"}
        Ask a person only what can still change the decision: the winner is the one that the full
        survey would give (maths 4). `True` is "certified"; "paper_heuristic" is the paper's rule,
        for comparison only: it can play another arm. `False` unless given.
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
    drops: ClassVar[bool] = True
    has_epochs: ClassVar[bool] = True
    asks_interactively: ClassVar[bool | str] = False  # unless given
    _model: EpochState

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        beta_min: shared.BetaMin,
        delta: shared.Delta = None,
        alpha: shared.Alpha = None,
        sigma: shared.Sigma = None,
        b1: shared.B1 = None,
        b2: shared.B2 = None,
        growth: shared.Growth = None,
        optimism: shared.Optimism = shared.OPTIMISM,
        payback: Annotated[bool, shared.PAYBACK] = True,
        explore: shared.Explore = shared.EXPLORE,
        explore_floor: shared.ExploreFloor = 0.0,
        seed: Seed = 0,
        judge_skips: shared.JudgeSkips = True,
        radius: shared.ValidRadius = None,
        interactive: Annotated[bool | str | None, shared.INTERACTIVE] = None,
        grain: shared.Grain = None,
    ) -> None:
        self._drawn_ahead: tuple[object, Floats] = (None, np.empty((0, 4)))
        interactive = self.asks_interactively if interactive is None else interactive
        self._begin(locals())
        self.score_name = "upper bound" if optimism == "valid" else "score"

    # -- looking ---------------------------------------------------------------------------------

    @property
    def growth(self) -> float:
        """By which factor an epoch makes an arm's rows grow."""
        return float(self._model.rule.growth)

    @property
    @alone
    def rows(self) -> Ints:
        """How many rows each arm has learned (K), those of its epoch under way included."""
        return (self._model.learned.n + self._model.epochs.held).astype(np.int64)

    @property
    @alone
    def epochs(self) -> Ints:
        """How many epochs each arm has ended (K); blocks of warm-up are none."""
        return self._model.epochs.tested.astype(np.int64)

    @property
    @alone
    def warm(self) -> Flags:
        """Which arms are still in warm-up: nothing has been tested in them (K)."""
        return np.asarray(self._model.epochs.warm != 0)

    @property
    @alone
    def active(self) -> Flags:
        """Which questions each arm is chosen by at present (K × questions) (maths 8.3)."""
        return self._active

    @property
    @alone
    def undecided(self) -> Ints:
        """How many active questions of each arm may have no effect (K)."""
        model = self._model
        return model.arms.epochs.undecided.astype(np.int64)  # once all has been derived

    @property
    @alone
    def noise(self) -> Floats:
        """Standard deviation of the noise that each arm reckons with (K), in reward units."""
        return np.asarray(np.sqrt(self._model.learned.noise) * self.reward.span)

    def merge(self, other: LinearUCB) -> NoReturn:  # noqa: ARG002
        """Refuse: what its epochs have shown cannot be added up."""
        raise SettingError(
            "policies with epochs cannot be added up; learn all rows with one of them, in the order"
            " of their decisions"
        )

    # -- choosing arms ---------------------------------------------------------------------------

    def insurance(self, numbers: Any) -> Any:
        """Return how likely visits of these numbers are to draw an arm from all (maths 8.6)."""
        settings = self.settings
        fading = settings.explore * np.cbrt(1.0 / (1.0 + np.asarray(numbers)))
        return np.maximum(fading, settings.explore_floor)

    def _insured(self, number: int) -> float:
        """Return it for one visit, quickly."""
        settings = self.settings
        fading = settings.explore * np.cbrt(1.0 / (1.0 + number))
        return max(float(fading), float(settings.explore_floor))

    def draws(self, first: int, count: int) -> Floats:
        """Return what the core draws arms by, four numbers a visit (`drawn` in choosing.hpp)."""
        draws = self.coins(first, count)
        few = np.flatnonzero(draws[:, 0] < float(self.insurance(first)))  # insurance only falls
        insured = few[draws[few, 0] < self.insurance(first + few)]
        draws[:, 0] = -1.0
        draws[insured, 0] = draws[insured, 1]
        return draws

    def _draws_of(self, number: int) -> Floats:
        """Return those of one visit; they are made for many visits at once."""
        block = number // AT_ONCE
        of = (block, self.seed, self._stream)
        if self._drawn_ahead[0] != of:
            self._drawn_ahead = of, self.draws(block * AT_ONCE, AT_ONCE)
        draws: Floats = self._drawn_ahead[1][number % AT_ONCE]
        return draws

    def _starter(self, mask: Flags, number: int) -> int | None:
        """Return the arm in `mask` whose turn it is, if it is in its first block (maths 8.7)."""
        arm = self._model.learned.starter(mask, number)
        return None if arm == NOBODY else arm

    def _compared(self, mask: Flags) -> Flags:
        """Return which arms in `mask` are compared: those that are past their first block."""
        return np.asarray(mask & (self._model.epochs.ended > 0))

    def _drawn(self, decision: Decision, mask: Flags, number: int) -> Decision:
        started = self._starter(mask, number) is not None
        arms = self._model.learned if started else self._model.arms
        chances, insured = np.empty(len(mask)), self._insured(number)
        draws = self._draws_of(number)
        arm = arms.draw(mask, decision.arm, started, insured, draws, chances)
        return Decision(arm, decision.scores, chances)

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        starter = self._starter(mask, number)
        if starter is None:
            return self._scored(z, self._compared(mask))
        return Decision(starter, np.where(mask, 0.0, -np.inf))

    def _ask(self, z: Floats, mask: Flags, number: int) -> Asked:
        survey, asks, possible = self.survey, np.zeros(len(self.survey.names), dtype=bool), mask
        if self._starter(mask, number) is not None:
            pass  # decided, whatever is answered
        elif self.settings.interactive:
            asks, possible, _ = super()._ask(z, self._compared(mask), number)
        else:
            scored = self._active[self._compared(mask)].any(axis=0)
            asks = (scored | survey.asked_of_everyone) & survey.open_questions(z)
        if some(asks):
            return Asked(asks, possible)
        # The arm that is played learns the visit, so it must be asked what its model uses.
        winner = self._decide(z, possible, number)
        drawn = self._drawn(winner, mask, number)
        needed = (self._needs(drawn.arm) | survey.asked_of_everyone) & survey.open_questions(z)
        return Asked(needed, possible, (winner, drawn))

    def play(self, z: Any) -> int:
        """Return the index of the arm to play in a context; ties go to the lowest index.

        Arms are drawn by the number of rows learned so far; visits have numbers of their own, and
        so independent draws before anything is learned.
        """
        if self._compiled and type(z) is ARRAY and self.roster.rules is None:
            with self.lock:
                arm = self._play_fast(z, self.roster.live, self._next_number)
            if arm >= 0:
                return arm
        return Policy.play(self, z)

    def _play_fast(self, z: Floats, mask: Flags, number: int) -> int:
        """Return the arm that a visit with all answers gets; below 0 if a row is not in order."""
        return self._model.arms.choose_row(mask, z, number, self._draws_of(number))

    # -- hooks of the base -----------------------------------------------------------------------

    def _learn_visit(self, lesson: Lesson) -> int | None:
        epoch = int(self._model.epochs.ended[lesson.arm])
        if lesson.learned_in is None or lesson.learned_in >= epoch:
            super()._learn_visit(lesson)
            return epoch
        # Its epoch has been judged: it must not be evidence a second time.
        self._model.put_in(lesson.arm, lesson.row, lesson.y)
        self._version += 1
        return lesson.learned_in

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
