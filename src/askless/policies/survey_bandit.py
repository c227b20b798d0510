"""SurveyBandit, the recommended policy: Epoch SurveyUCB with short forms (maths 5, 8, 9)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.core.words import COIN, NOBODY, STANDS
from askless.errors import SettingError, StateError, VisitError
from askless.policies import shared_settings as shared
from askless.policies import short_data
from askless.policies.base import Policy
from askless.policies.decision import Asked, Check, Decision, Lesson
from askless.policies.epoch_survey_ucb import EpochSurveyUCB
from askless.policies.hooks import Hooks
from askless.policies.one_thread import alone
from askless.policies.player import Player
from askless.policies.settings import Settings, check_price
from askless.policies.short_choice import Terms
from askless.policies.short_forms import ShortForm, ShortVisits
from askless.policies.short_state import ShortState
from askless.survey import Arm, RewardRange, Survey
from askless.survey.names import check_number
from askless.survey.setting import Number, Seed

if TYPE_CHECKING:
    from askless.policies.visit import Visit

__all__ = ["SurveyBandit", "price_share"]

PRICE = 0.002  # of a question, of the reward range, unless it is given
WHOLE_PRICE = 0.125  # of it: what all questions together may cost then
FULL_FLOOR = 0.02  # the smallest share of full visits (maths 9.1)
ALONE = "`price: 0`"  # what these settings are for: short forms have no use for them
DEAR = 0.25  # of it: a full visit that costs more leaves little to learn from
IN_ORDER = -1  # the line of full visits, which are learned in one order


class SurveyBandit(EpochSurveyUCB):
    """Epoch SurveyUCB with short forms: asks what is worth its price (maths 5, 8, 9).

    Two layers. What is *proved* useless leaves for good: with probability 1 - delta no question
    whose effect exceeds `beta_min` is ever dropped (docs/guarantee.md). What is *not worth its
    price* is left out of short visits; some visits stay full, so that learning and the proof go
    on, and some of these check what the short form costs, and withdraw one that costs too much.

    Parameters
    ----------
    survey, arms, reward, beta_min, delta, alpha, sigma, b1, b2, growth, optimism, explore,
    explore_floor, seed, judge_skips, radius
        As for `EpochSurveyUCB`.
    price : float, optional
        What asking one question may cost, in reward units; a question's `cost` is its weight. A
        good guess is what its drop-out costs: the share of people that it loses times their mean
        reward. Unless given, 0.002 of the reward range for a question of average cost, or less
        where there are many: an eighth of the range for all of them. 0: no short visits; then the
        survey is interactive.
    questions : float, optional
        Instead of a price, how many questions a visit may be asked on average, each weighed by its
        `cost`.
    planned : int, optional
        For how many people the study is planned: with few, short visits begin sooner.
    full_floor : float
        The smallest share of full visits; 0.1 where people may change in the course of a study.
    payback, interactive, grain
        As for `EpochSurveyUCB`, with `price=0` only: there `payback` is on, and `interactive` is
        "certified", unless given.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> policy = al.SurveyBandit(survey, arms=["red_cross", "wwf"], reward=(0, 100), beta_min=5)
    >>> policy.price, policy.visit().kind
    (0.2, 'full')
    >>> policy.short_form().questions is None  # not before some dozens of full visits
    True
    >>> al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 100), beta_min=5, price=0).interactive
    'certified'
    """

    name: ClassVar[str] = "survey-bandit"
    kind_of_rows: ClassVar[str | None] = "full"  # whoever has whole contexts was asked everything

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        beta_min: shared.BetaMin,
        price: Annotated[
            float | None,
            Number(
                "What asking one question may cost, in reward units; 0: no short visits.",
                least=0,
                give="what asking one question may cost, in reward units: 0 or more",
                otherwise=f"{PRICE:g} of the reward range, or {WHOLE_PRICE:g} of it for all"
                " questions, if that is less",
            ),
        ] = None,
        questions: Annotated[
            float | None,
            Number(
                "Instead of a price: questions that a visit may be asked on average, by `cost`.",
                least=shared.SMALLEST,
                most=shared.LARGEST,
                give="how many questions a visit may be asked on average, above 0",
            ),
        ] = None,
        planned: Annotated[int | None, shared.PLANNED] = None,
        full_floor: Annotated[
            float,
            Number(
                "Smallest share of visits that ask everything.",
                least=0,
                most=1,
                give=shared.SHARE_OF_VISITS,
            ),
        ] = FULL_FLOOR,
        delta: shared.Delta = None,
        alpha: shared.Alpha = None,
        sigma: shared.Sigma = None,
        b1: shared.B1 = None,
        b2: shared.B2 = None,
        growth: shared.Growth = None,
        optimism: shared.Optimism = shared.OPTIMISM,
        payback: Annotated[
            bool | None,
            replace(shared.PAYBACK, otherwise=f"`true` with {ALONE}, which it needs"),
        ] = None,
        explore: shared.Explore = shared.EXPLORE,
        explore_floor: shared.ExploreFloor = 0.0,
        seed: Seed = 0,
        judge_skips: shared.JudgeSkips = True,
        radius: shared.ValidRadius = None,
        interactive: Annotated[
            bool | str | None,
            replace(shared.INTERACTIVE, otherwise=f"`certified` with {ALONE}, which it needs"),
        ] = None,
        grain: shared.Grain = None,
    ) -> None:
        short = questions is not None or price is None or check_number(price, "price") != 0
        if short and (payback or interactive or grain is not None):
            raise SettingError(
                "payback, interactive and grain have nothing to do beside short forms; leave them"
                " out, or set price=0",
                "payback" if payback else "interactive" if interactive else "grain",
            )
        payback = not short if payback is None else payback
        if interactive is None:
            interactive = False if short else "certified"
        self._drawn_ahead: tuple[object, Floats] = (None, np.empty((0, 4)))
        self._begin(locals())
        self.score_name = "upper bound" if optimism == "valid" else "score"
        self._eligible: Flags | None = None  # of the visit that is being learned
        self._short: ShortState | None = None
        if short:
            self._short = ShortState(self.survey, len(self.arms), self._terms())
            self._short.recount(self._model)
            self._compiled = False

    def _terms(self) -> Terms:
        settings, span = self.settings, self.reward.span
        price = price_share(self.survey, span, settings.price)
        doubt = None if settings.price is None else self.doubt_price(settings.price)
        if doubt is not None:
            warnings.warn(doubt, stacklevel=4)
        if settings.questions is not None:
            whole = sum(question.cost for question in self.survey)
            self._doubt_budget(settings.questions, settings.full_floor, whole)
        return Terms(price, settings.questions, settings.planned, settings.full_floor)

    def doubt_price(self, price: float) -> str | None:
        """Say why a price is hardly meant for one question; None where it may be."""
        whole = price * sum(question.cost for question in self.survey)
        if whole <= DEAR * self.reward.span:
            return None
        return (
            f"a full visit costs {whole:g}, more than a quarter of the reward range; few visits"
            " will be full, and questions may be missed that are worth asking: is the price meant"
            " for one question?"
        )

    def _doubt_budget(self, budget: float, floor: float, whole: float) -> None:
        forced = sum(question.cost for question in self.survey if question.always_ask)
        least = floor * whole + (1.0 - floor) * forced
        if budget < least:
            warnings.warn(
                f"questions is {budget:g}, and visits cost at least {least:.4g} on average: the"
                f" share {floor:g} asks everything (full_floor), everyone what is always asked; the"
                " budget cannot be kept",
                stacklevel=5,
            )

    # -- looking ---------------------------------------------------------------------------------

    @property
    @alone
    def price(self) -> float:
        """What asking one question may cost, in reward units; with a budget, as it is now."""
        return 0.0 if self._short is None else self._short.price * self.reward.span

    @alone
    def short_form(self) -> ShortForm:
        """Return what short visits ask and why, and what that has been measured to cost."""
        if self._short is None:
            raise SettingError("price is 0: there are no short visits; every question is asked")
        return ShortForm.of_state(self, self._short, self._model)

    def about(self, visit: Visit) -> str:
        """Say of which kind a visit is and why, for its explanation."""
        if self._short is None:
            return ""
        count, all_of_them = len(visit.promised), int(self._short.candidates(self._model).sum())
        if visit.kind == "short":
            of = f" of {all_of_them}" if count <= all_of_them else ""  # some may have gone since
            return (
                f"A short visit: {count}{of} questions, because the others are not worth their"
                f" price, {self.price:.4g} each"
            )
        if visit.kind == "check" and visit.check is not None:
            full, short = self.arms[visit.check.full], self.arms[visit.check.short]
            return (
                f"A check: all {count} questions; all answers say {full}, the short form's say"
                f" {short}, and a coin decided. It measures what short forms cost; no test sees it"
            )
        return f"A full visit: all {count} questions, so that the arms go on learning"

    # -- asking and deciding ---------------------------------------------------------------------

    def _kind(self, mask: Flags, number: int) -> str:
        if self._short is None:
            return "full"
        share = self._short.shorts.full_share(self._model.learned, mask, number)
        return "full" if self._draws_of(number)[2] < share else "short"

    def _of_kind(self, kind: str) -> Hooks:
        if kind in ("full", "check"):
            return self
        if kind != "short":
            raise VisitError(f"a visit of the kind {kind!r} is none of this policy's")
        if self._short is None:
            raise VisitError("a short visit, and this policy has none: its price is 0")
        return ShortVisits(self, self._short, self._model)

    def _may_ask(self, mask: Flags) -> Flags:
        if self._short is None:
            return super()._may_ask(mask)
        may_ask = np.empty(len(self.survey.names), dtype=bool)
        self._short.shorts.may_ask(self._model.learned, may_ask)  # the ring needs whole contexts
        return may_ask

    def _ask(self, z: Floats, mask: Flags, number: int) -> Asked:
        if self._short is None:
            return super()._ask(z, mask, number)
        asks = np.empty(len(self.survey.names), dtype=bool)
        self._short.shorts.open(self._model.learned, z, asks)
        return Asked(asks, mask)

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        if self._short is None:
            return super()._decide(z, mask, number)
        scores, terms = np.empty(len(mask)), np.empty(3)
        shorts, model = self._short.shorts, self._model
        # While an arm starts nothing need be derived; a form stands only after that, mostly.
        started = not self._short.counts[STANDS] and self._starter(mask, number) is not None
        arms = model.learned if started else model.arms
        winner, rival = shorts.choose_full(arms, mask, z, number, scores, terms)
        check = None
        if rival != NOBODY:  # a coin may make it a check (maths 9.1)
            tossed = rival != winner and bool(self._draws_of(number)[3] < COIN)
            check = Check(winner, rival, tossed, *terms.tolist())
        return Decision(winner, scores, None, check)

    def _scored(self, z: Floats, mask: Flags) -> Decision:
        if self._short is None or not self._short.decides_full(self._model):
            return super()._scored(z, mask)
        return Decision(*self._short.score_whole(self._model, mask, z))

    def _outlook(self, z: Floats) -> tuple[Floats, Floats]:
        if self._short is None or not self._short.counts[STANDS] or self._model.rule.by_sets:
            return super()._outlook(z)
        count = len(self.roster.names)
        means, scores = np.empty(count), np.empty(count)
        self._short.shorts.outlook(self._model.arms, z, means, scores)
        return means, scores

    def _drawn(self, decision: Decision, mask: Flags, number: int) -> Decision:
        if self._short is None:
            return super()._drawn(decision, mask, number)
        check, insured = decision.check, self._insured(number)
        chances, coins = np.empty(len(mask)), self._draws_of(number)
        rival = NOBODY if check is None else check.short
        arm = self._short.shorts.draw_full(
            self._model.learned, mask, decision.arm, rival, insured, coins, chances
        )
        drawn = coins[0] >= 0  # by insurance: outside the check
        return Decision(arm, decision.scores, chances, None if drawn else check)

    # -- learning --------------------------------------------------------------------------------

    def line_of(self, kind: str | None, arm: int) -> int:
        """Say in which line a visit waits: full ones in one, for the check (maths 9.4)."""
        return arm if self._short is None or kind == "short" else IN_ORDER

    def _learn_visit(self, lesson: Lesson) -> int | None:
        short = self._short
        if short is None:
            return super()._learn_visit(lesson)
        if lesson.kind == "short":
            self._version += 1
            return short.learn_short(self._model, lesson.arm, lesson.row, lesson.y)
        # What the check concluded from a visit stays, also if that is learned again.
        if lesson.check is not None and lesson.learned_in is None:
            short.enter(self._model, lesson.check, lesson.arm, lesson.y)
        if lesson.kind == "check":
            self._version += 1
            short.learn_check(self._model, lesson.arm, lesson.row, lesson.y)
            short.keep(self._model, lesson.row, lesson.eligible)
            return 0
        block = int(self._model.learned.epochs.ended[lesson.arm])
        self._version += 1
        self._eligible = lesson.eligible
        try:
            if lesson.learned_in is None or lesson.learned_in >= block:
                learn = self._learn_full if self.trusted else super()._learn_one
                learn(lesson.arm, lesson.row, lesson.y)
                return block
        finally:
            self._eligible = None
        # Its epoch has been judged: it must not be evidence a second time.
        self._model.put_in(lesson.arm, lesson.row, lesson.y)
        short.keep(self._model, lesson.row, lesson.eligible)
        return lesson.learned_in

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        if self._short is None:
            super()._learn(played, rows, ys)
            return
        for arm, row, y in zip(played.tolist(), rows, ys.tolist(), strict=True):
            self._learn_full(arm, row, y)

    def _learn_full(self, arm: int, row: Floats, y: float) -> None:
        """Learn a full visit beside short forms: its row, and its context for the forms to come."""
        short = self._short
        assert short is not None
        eligible = self.roster.live if self._eligible is None else self._eligible
        if short.shorts.learn_full(self._model.arms, arm, row, y, eligible):
            short.choose(self._model)

    @alone
    def unlearn_row(self, arm_index: int, z: Any, reward: float) -> None:
        """Take a learned row out again, its context out of the ring too."""
        super().unlearn_row(arm_index, z, reward)
        if self._short is not None:
            _, (row,), _ = self._checked_rows([arm_index], [z], [reward])
            self._short.forget_full(row)

    def _unlearn_visit(self, visit: Visit, learned_in: int | None) -> None:
        short = self._short
        if short is None or visit.kind == "full":
            super()._unlearn_visit(visit, learned_in)
        if short is None:
            return
        row, y = visit.context(), self._checked_reward(visit.reward)
        if visit.kind != "short":
            short.forget_full(row)
        elif learned_in is not None:
            short.forget_short(self._model, visit.arm_index, row, y, learned_in)
        if visit.kind == "check":
            short.learn_check(self._model, visit.arm_index, row, y, back=True)
        if visit.kind != "full":
            self._version += 1

    # -- arms that come and go, players, data ----------------------------------------------------

    @alone
    def retire_arm(self, arm: str) -> None:
        """Ask and play an arm no more; rewards that are still to come are learned."""
        super().retire_arm(arm)
        if self._short is not None:
            self._short.retire(self._model, self.roster.live)

    def check_price(self, price: float) -> float:
        """Return a price that may take the place of the one in force; refuse any other.

        Whether there are short visits, and whether a budget sets their price, is settled when the
        study begins.
        """
        settings = self.settings
        if self._short is None or settings.questions is not None:
            has = "no short visits" if self._short is None else "a budget instead of a price"
            raise SettingError(f"the study began with {has}; it has no price to change", "price")
        checked = float(check_number(price, "price"))
        if checked <= 0:
            raise SettingError(
                f"price is {checked:g}; give what asking one question may cost, above 0", "price"
            )
        check_price(checked, None, self.reward)
        return checked

    @alone
    def reprice(self, price: float) -> None:
        """Change what asking one question may cost; a form that stands is chosen anew by it.

        Visits that have been decided count in the check with the price of their decision (maths
        9.4), so that what it promises holds across a change.

        Examples
        --------
        >>> import askless as al
        >>> survey = al.Survey([al.YesNo("donor")])
        >>> policy = al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 100), beta_min=5)
        >>> policy.reprice(0.5)
        >>> policy.price
        0.5
        """
        checked = self.check_price(price)
        self.settings = Settings({**vars(self.settings), "price": checked})
        assert self._short is not None  # else it has no price
        self._short.reprice(self._model, self._terms().price)
        self._version += 1

    def _grow(self) -> None:
        super()._grow()
        if self._short is not None:
            self._short = self._short.grown(self._model)

    def _player(self) -> Player | None:
        from askless.policies.loops import WithShortForms  # noqa: PLC0415 (it knows this class)

        if self._short is None:
            return super()._player()
        return WithShortForms(self, self._short) if self.roster.live.all() else None

    def play(self, z: Any) -> int:
        """Return the index of the arm to play in a context, of which all answers are known."""
        return super().play(z) if self._short is None else Policy.play(self, z)

    def _state(self) -> dict[str, Any]:
        short = None if self._short is None else short_data.to_data(self._short)
        return {**super()._state(), "short_form": short}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        if (self._short is None) != (state["short_form"] is None):
            raise StateError("it has a short form and no price for one, or the other way round")
        if self._short is not None:
            self._short.shorts.live[:] = self.roster.live
            short_data.from_data(self._short, self._model, state["short_form"], self.arms)


def price_share(survey: Survey, span: float, price: float | None) -> float:
    """Return what a question of cost 1 may cost, as a share of the reward range (maths 9)."""
    if price is not None:
        return price / span
    whole = sum(question.cost for question in survey)
    return min(PRICE * len(survey), WHOLE_PRICE) / whole if whole > 0 else PRICE
