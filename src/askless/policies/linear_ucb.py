"""What the UCB policies with one ridge model an arm share: Ridge SurveyUCB, LinUCB, OFUL."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.core.words import DECLINED, NOBODY, NUMBER, Rule
from askless.errors import SettingError, StateError, VisitError
from askless.policies import shared_settings as shared
from askless.policies.arm_data import refusal
from askless.policies.arm_state import ArmState
from askless.policies.as_data import Correction
from askless.policies.base import Policy
from askless.policies.decision import Asked, Decision, Reach
from askless.policies.described import SHARED, settings_along
from askless.policies.effects import Effect, effect_rows
from askless.policies.evidence import Evidence, evidence_rows
from askless.policies.first_asks import first_asks
from askless.policies.hooks import Hooks, plays_as_compiled
from askless.policies.one_thread import alone
from askless.policies.passage import answering
from askless.policies.player import Player
from askless.policies.settings import Settings
from askless.policies.visit import Visit
from askless.survey import Arm, Constants, RewardRange, Survey
from askless.survey.names import check_flag
from askless.whole import check_whole

__all__ = ["LinearUCB"]

ARRAY = np.ndarray  # what the core looks at, itself; it declines other kinds and shapes of them
STEPS = 33  # at how many answers of a scale an explanation looks
ANOTHER = "only a policy of the same study and settings can be added"
MOST_ADDED = 500  # the share of delta halves with every added arm (maths 2.4)


class LinearUCB(Policy):
    """A ridge model for each arm; plays the largest score, which is mean plus width.

    See `RidgeSurveyUCB` for the parameters.
    """

    radius_setting: ClassVar[str] = "radius"  # what the setting is called that chooses the radius
    drops: ClassVar[bool] = False  # whether questions may leave
    has_net: ClassVar[bool] = False  # whether an elastic net has a say in it
    has_epochs: ClassVar[bool] = False  # whether models change only at the ends of epochs

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        beta_min: shared.UnusedBetaMin = 0.0,
        delta: shared.Delta = None,
        alpha: shared.Alpha = None,
        sigma: shared.Sigma = None,
        b1: shared.B1 = None,
        b2: shared.B2 = None,
        radius: shared.ValidRadius = None,
        interactive: shared.Interactive = False,
        grain: shared.Grain = None,
    ) -> None:
        self._begin(locals())

    def _begin(self, given: dict[str, Any]) -> None:
        """Check what a constructor was given, its `locals()`; start without a row."""
        super().__init__(**{name: given[name] for name in SHARED})
        taken = settings_along(type(self))
        own = {name: value for name, value in given.items() if name in taken}
        self._setting_names = frozenset(own)
        self.settings = Settings.check(own, taken, self.reward, self.radius_setting)
        resolved = self.settings.resolve(
            *(self.survey, self.reward),
            unions=self.drops,
            net=self.has_net,
            epochs=self.has_epochs,
        )
        self.seed = self.settings.seed
        self.trusted = plays_as_compiled(type(self))
        self._compiled = self.trusted  # else rows take the way of any policy
        self.delta: float = resolved.delta
        self.constants: Constants = resolved.constants
        shares = np.full(len(self.roster), self._share(0))
        self._model = self._empty(resolved.rule, shares)

    def _empty(self, rule: Rule, shares: Floats) -> ArmState:
        """Return arms that have learned nothing."""
        return ArmState.empty(self.survey, rule, shares)

    def _share(self, later: int) -> float:
        """Return an arm's part of delta; `later` arms were added up to it (maths 2.4)."""
        return self.delta / (self.roster.at_start * math.ldexp(1.0, later))

    def all_settings(self) -> dict[str, Any]:
        """Return the settings with every default filled in."""
        constants = {name: getattr(self.constants, name) for name in ("sigma", "b1", "b2")}
        derived = ("delta", "alpha", "beta_min", "lam", "growth")
        own = {name: getattr(self, name) for name in derived if name in self._setting_names}
        return {**self._settings(), **own, **constants}

    # -- looking ---------------------------------------------------------------------------------

    @property
    def beta_min(self) -> float:
        """The smallest effect for which a question is worth asking; 0: never drop."""
        return float(self._model.rule.beta_min)

    @property
    def alpha(self) -> float:
        """The ridge penalty."""
        return float(self._model.rule.alpha)

    @property
    def interactive(self) -> str | bool:
        """How surveys are interactive: "certified", "paper_heuristic" or False."""
        return self.settings.interactive

    @property
    def grain(self) -> str | None:
        """How much an interactive survey asks at once: "arm" or "question"."""
        return self.settings.grain

    @property
    @alone
    def rows(self) -> Ints:
        """How many rows each arm has learned (K)."""
        return self._model.learned.n.astype(np.int64)

    @property
    @alone
    def estimate(self) -> Floats:
        """Estimated parameters (K × p) in reward units, by which arms are chosen.

        (While a short form stands, `SurveyBandit` chooses by all that arms were told: maths 9.3.)

        Zero for questions that an arm does not use; with epochs also for those that are not active.
        """
        return self._unpacked(self._model.arms.active_estimate)

    def _unpacked(self, packed: Floats) -> Floats:
        state = self._model.arms
        unpacked = np.zeros((len(self.roster), self.survey.column_count))
        for k, size in enumerate(state.active_size):
            unpacked[k, state.active_columns[k, :size]] = packed[k, :size]
        return unpacked

    @property
    @alone
    def support(self) -> Flags:
        """Which questions each arm's model uses (K × questions)."""
        return self._model.support

    @property
    @alone
    def radius(self) -> Floats:
        """Radius θ of each arm's confidence set (K), in reward units (maths 2.1)."""
        return self._model.arms.radius.copy()

    @property
    @alone
    def width(self) -> Floats:
        """What a score adds to an arm's mean (K), times ‖z‖ in the norm of D⁻¹; in reward units.

        The radius of its set, except with epochs: there arms are chosen otherwise (maths 8.4).
        """
        return self._model.arms.width.copy()

    @alone
    def ucb(self, z: Any) -> Floats:
        """Return the score of every arm in a context (K): mean and width; -inf for a retired arm.

        It is an upper confidence bound where the width is that of a set. In reward units around
        the middle of the reward range (maths 1.3).
        """
        row = np.empty(self.survey.column_count)
        if not self.survey.read_row(z, row):
            self._check_missing(self._may_ask(self.roster.live), row)
        return self._scored(row, self.roster.live).scores

    @alone
    def effects(self, *, ended: bool = False, most: int | None = None) -> list[Effect]:
        """Return what each answer brings an arm in place of another, with sign and intervals.

        A row an arm and a pair of answers (maths 10.1, 10.2).

        Parameters
        ----------
        ended : bool
            Whether the study is over, for good: rows since an arm's last epoch then count too, at
            the end. Whoever looks at them more than once has no 95%.
        most : int, optional
            How many rows to return of an arm, at most: those of the largest estimates. Choices of
            many options have a row for each pair, multis one for each part of their options.

        Examples
        --------
        >>> import askless as al
        >>> policy = al.SurveyBandit(
        ...     al.Survey([al.YesNo("donor")]), arms=["mail"], reward=(0, 1), beta_min=0.2
        ... )
        >>> (row,) = policy.effects()  # nothing is known yet, but for the range
        >>> row.answers, row.estimate, row.low, row.high
        ('yes - no', None, -1.0, 1.0)
        """
        most = None if most is None else check_whole(most, "most", 1)
        return effect_rows(self, ended=check_flag(ended, "ended"), most=most)

    @alone
    def evidence(self) -> list[Evidence]:
        """Return by what drops are decided: a row an arm and question, kept or dropped, and why."""
        return evidence_rows(self)

    # -- rows taken out, policies put together ---------------------------------------------------

    @alone
    def unlearn(self, visit: Visit) -> None:
        """Take a learned visit out again, exactly; it can then be learned with another reward."""
        self._check_visit(visit)
        if visit.reward is None or visit.number not in self._learned:
            raise VisitError(f"visit {visit.number} has not been learned")
        last = self._corrected.get(visit.number, Correction(visit.reward, visit.learned_in))
        if last.reward != visit.reward:
            raise VisitError(
                f"visit {visit.number} has been learned again, with the reward {last.reward!r};"
                f" this copy of it still has {visit.reward!r}: take the newer one"
            )
        self._unlearn_visit(visit, last.learned_in)
        self._learned.remove(visit.number)
        self._corrected[visit.number] = Correction(None, last.learned_in)
        visit.reward = None

    def _unlearn_visit(self, visit: Visit, learned_in: int | None) -> None:
        """Take out a visit; `learned_in` is what learning it returned."""
        if answering(self, visit.kind, visit.start.promised) is not self:
            raise VisitError(f"a {visit.kind} visit cannot be unlearned; only full ones can")
        reward = visit.reward if visit.reward is not None else math.nan
        self._unlearn(self.arm_index(visit.arm), visit.context(), reward, learned_in)

    @alone
    def unlearn_row(self, arm_index: int, z: Any, reward: float) -> None:
        """Take a learned row out again, exactly; questions that were dropped stay dropped.

        A row that cannot have been learned is refused; one that merely was not cannot be told.
        """
        self._unlearn(arm_index, z, reward, None)

    def _unlearn(self, arm_index: int, z: Any, reward: float, learned_in: int | None) -> None:
        """Take out a row; `learned_in` is the epoch in which it was learned, if that is known."""
        (arm,), (row,), (y,) = self._checked_rows([arm_index], [z], [reward])
        if not self._model.take_out(arm, row, y, learned_in):
            raise StateError(f"arm {self.arms[arm]!r} has not learned this row; nothing is changed")
        self._version += 1

    def merge(self, other: LinearUCB) -> None:
        """Add what another policy of the same study has learned; a support is what both kept.

        Both must have learned different rows: merging copies of one policy counts rows twice.
        The sums are exact, so it does not matter how rows were split or in which order they came.
        """
        if type(other) is not type(self):
            raise SettingError(ANOTHER)
        first, second = sorted((self, other), key=id)  # two that merge each other do not wait
        with first.lock, second.lock:
            self._merge(other)

    def _merge(self, other: LinearUCB) -> None:
        same = (
            other.survey.same_columns(self.survey)
            and (other.arms, other.roster.at_start) == (self.arms, self.roster.at_start)
            and other.reward == self.reward
            and other.settings.learning == self.settings.learning
        )
        if not same:
            raise SettingError(ANOTHER)
        if other is self:
            raise SettingError("a policy cannot be added to itself: its rows would count twice")
        live = self.roster.live & other.roster.live
        if not live.any():
            raise SettingError("no arm is live in both policies; nothing could be played")
        both = self._learned.shared(other._learned)
        if both is not None:
            raise SettingError(
                f"both policies have learned a visit {both}; number the visits of all of them in"
                " one place: policy.visit(number=…)"
            )
        self._model = self._model.joined(other._model)
        # Of a visit that one of them has learned, the other's correction is of no account.
        self._corrected = {
            number: last
            for mine, theirs in ((self, other), (other, self))
            for number, last in mine._corrected.items()
            if number not in theirs._learned
        }
        self._learned = self._learned.joined(other._learned)
        self.roster.live = live
        self._version += other._version
        self._next_number = max(self._next_number, other._next_number)

    # -- arrays, fast: a row in order goes straight to the core ---------------------------------

    def play(self, z: Any) -> int:
        """Return the index of the arm to play in a context; ties go to the lowest index."""
        if self._compiled and type(z) is ARRAY and self.roster.rules is None:
            lock = self.lock
            lock.acquire()  # half the price of `with`
            try:
                arm = self._model.arms.play_row(self.roster.in_play, z)
            finally:
                lock.release()
            if arm >= 0:
                return arm
        return super().play(z)

    def learn_row(self, arm_index: int, z: Any, reward: float) -> None:
        """Learn one row for an arm: a context and the reward it brought."""
        lock = self.lock
        lock.acquire()
        try:
            if (
                self._compiled
                and type(z) is ARRAY
                and self._model.arms.learn_row(arm_index, z, reward) > DECLINED
            ):
                self._version += 1
                self._next_number += 1
            else:
                super().learn_row(arm_index, z, reward)
        finally:
            lock.release()

    # -- hooks of the base -----------------------------------------------------------------------

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:  # noqa: ARG002
        return self._scored(z, mask)

    def _scored(self, z: Floats, mask: Flags) -> Decision:
        """Score the arms in `mask` and choose the best one."""
        scores = np.empty(len(mask))
        arm = self._model.arms.score_row(mask, z, scores)
        return Decision(arm, scores)

    def _outlook(self, z: Floats) -> tuple[Floats, Floats]:
        means, scores = np.empty((2, len(self.roster.names)))
        self._model.arms.outlook(z, means, scores)
        return means, scores

    @property
    def _active(self) -> Flags:
        """Which questions each arm's score uses (K × questions)."""
        return np.asarray(self._model.arms.active != 0)

    def _ask(self, z: Floats, mask: Flags, number: int) -> Asked:  # noqa: ARG002
        asks = np.empty(len(self.survey.names), dtype=bool)
        if not self.settings.interactive:
            self._model.learned.open(mask, z, asks)
            return Asked(asks, mask)
        if not self.has_epochs:
            first = first_asks(self.survey, self._model.learned, self.settings.grain, z, mask)
            if first is not None:
                return first
        possible = np.empty(len(self.roster), dtype=bool)
        self._model.arms.ask(mask, z, asks, possible)
        return Asked(asks, possible)

    def _reach(self, z: Floats, mask: Flags) -> Reach | None:
        if not self.settings.interactive:
            return None
        low, high = np.full((2, len(self.roster)), -np.inf)
        self._model.arms.reach(mask, z, low, high)
        return Reach(low, high, self._moves(z, mask))

    def _moves(self, z: Floats, mask: Flags) -> Floats:
        """Return by how much each open answer moves each arm's UCB, the others in the middle."""
        raw = self.survey.coding == "raw"
        missing = self.survey.open_questions(z)
        centre, moves = z.copy(), np.zeros((len(self.roster), len(self.survey)))
        for g in np.flatnonzero(missing):
            own = self.survey.columns_of(self.survey.names[g])
            centre[own] = self.survey.questions[g].points(raw=raw).mean(axis=0)
        for g in np.flatnonzero(missing):
            question, row = self.survey.questions[g], centre.copy()
            own, points = self.survey.columns_of(question.name), question.points(raw=raw)
            if question.columns_kind == NUMBER:  # a UCB is convex: lowest somewhere in between
                inside = np.zeros((STEPS, question.width))
                inside[:, 0] = np.linspace(points[0, 0], points[1, 0], STEPS)
                points = np.vstack([points, inside])
            scores = []
            for point in points:
                row[own] = point
                scores.append(self._scored(row, mask).scores)
            moves[mask, g] = np.ptp(np.array(scores)[:, mask], axis=0)
        return np.where(self._active & missing, moves, 0.0)

    def _may_ask(self, mask: Flags) -> Flags:
        may_ask = np.empty(len(self.survey.names), dtype=bool)
        self._model.learned.may_ask(mask, may_ask)
        return may_ask

    def _needs(self, arm: int) -> Flags:
        return np.asarray(self._model.learned.support[arm] != 0)

    def _check_known(self, hooks: Hooks, arm: int, row: Floats) -> None:
        if hooks is not self or not self.trusted:
            super()._check_known(hooks, arm, row)
        elif (lacking := self._model.learned.lacks(arm, row)) != NOBODY:
            raise self._lacking(lacking)

    def _learn_one(self, arm: int, row: Floats, y: float) -> None:
        if self.trusted:
            self._model.arms.learn_visit(arm, row, y)
        else:
            super()._learn_one(arm, row, y)

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        self._model.arms.learn_rows(played, rows, ys)

    def _player(self) -> Player | None:
        from askless.policies.loops import Fused, Interactive  # noqa: PLC0415 (they know this class)

        if not self.roster.live.all():  # the loops play every arm
            return None
        if not self.settings.interactive:
            return Fused(self)
        # What is asked next depends on what is known, and the loop begins with nothing.
        return Interactive(self) if self.roster.rules is None else None

    def _grow(self) -> None:
        later = len(self.roster) + 1 - self.roster.at_start
        if later > MOST_ADDED:
            raise SettingError(f"{MOST_ADDED} arms have been added; start a new study for more")
        self._model = self._model.appended(self._share(later))

    def _settings(self) -> dict[str, Any]:
        settings = vars(self.settings) | {self.radius_setting: self.settings.radius}
        return {name: value for name, value in settings.items() if name in self._setting_names}

    def _state(self) -> dict[str, Any]:
        self._model.refresh()
        return {"arms": self._model.to_data()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._model.from_data(state["arms"], self.arms)
        arms = self._model.learned
        late = arms.dropped_at > arms.n[:, None] + self._version  # it has never had so many rows
        if late.any():
            name = self.arms[int(late.any(axis=1).argmax())]
            raise refusal(name, "it has dropped a question after more rows than it had")
