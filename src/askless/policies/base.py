"""What every policy is: visits in, arms out, rewards back. An algorithm fills in a few hooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.errors import (
    RewardError,
    SettingError,
    VisitError,
    shown,
)
from askless.policies import as_data
from askless.policies.array_door import ArrayDoor
from askless.policies.as_data import Correction
from askless.policies.decision import Lesson, Reach
from askless.policies.described import settings_along
from askless.policies.files import write_state
from askless.policies.hooks import HOOKS, Hooks, broken
from askless.policies.numbers import MOST_NUMBER, Numbers
from askless.policies.one_thread import alone
from askless.policies.passage import answering, given
from askless.policies.roster import Roster
from askless.policies.visit import Visit
from askless.survey import Arm, RewardRange, Survey
from askless.whole import check_whole

__all__ = ["Policy"]


class Policy(ArrayDoor):
    """A policy over one survey and its arms; subclass it to write your own.

    A subclass defines `_decide`, and, where it learns or asks less than everything, `_may_ask`,
    `_needs`, `_ask`, `_learn`, `_grow`, `_state`, `_restore` and `_settings`
    (`askless.policies.hooks`). `askless.check_policy` says whether it keeps the contract.

    Parameters
    ----------
    survey : Survey
        The questions.
    arms : iterable of str or Arm
        The decisions. Where arms have rules (`Arm.eligible_if`), some arm must be open to everyone,
        whatever is answered; the policy's own `survey` has the questions that rules need marked
        `always_ask`.
    reward : (float, float)
        The smallest and the largest reward there can be.
    """

    name: ClassVar[str]  # how study files and the command line call it
    score_name: str = "upper bound"  # what explanations call that by which arms are compared

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
    ) -> None:
        if not isinstance(survey, Survey):
            raise SettingError(f"survey is {shown(survey)}; give an askless.Survey")
        self.roster = Roster(arms, survey)
        self.survey = self.roster.survey or survey  # what rules need is asked of everyone
        self.reward = RewardRange.of(reward)
        self._shift = 0.0 if survey.coding == "raw" else self.reward.middle  # of what models say
        self._version = 0
        self._next_number = 0
        self._learned = Numbers()
        self._corrected: dict[int, Correction] = {}  # of visits that have been unlearned

    def _check_settings(self) -> None:
        """Check the settings that have been kept as attributes, as the constructor describes them.

        A constructor calls it once it has set them: `self.rate = rate`.
        """
        for name, taken in settings_along(type(self)).items():
            if name in vars(self):
                setattr(self, name, taken.check(getattr(self, name), name))

    def all_settings(self) -> dict[str, Any]:
        """Return the settings with every default filled in."""
        return self._settings()

    # -- arms ------------------------------------------------------------------------------------

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of all arms, retired ones included, in the order of the arrays."""
        return self.roster.names

    @property
    def live_arms(self) -> tuple[str, ...]:
        """Names of the arms that are not retired."""
        return self.roster.live_names

    def arm_index(self, arm: str) -> int:
        """Return an arm's index in the arrays; refuse an unknown name."""
        return self.roster.index(arm)

    @alone
    def add_arm(self, arm: str | Arm) -> None:
        """Add an arm that starts with the full support; other arms do not change (maths 2.4).

        Its rule, if it has one, may need only what everyone is asked already.
        """
        added = self.roster.check_new(arm)
        self._grow()
        self.roster.add(added)
        self._version += 1

    @alone
    def retire_arm(self, arm: str) -> None:
        """Ask and play an arm no more; rewards that are still to come are learned.

        Refused where the rules of the others would leave somebody without an arm. What its own rule
        needs is asked on.
        """
        self.roster.retire(arm)
        self._version += 1

    # -- visits ----------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """How often the state has changed; visits record it with their decision."""
        return self._version

    def visit(
        self,
        saved: Mapping[str, Any] | None = None,
        *,
        known: Mapping[str, Any] | None = None,
        arms: Iterable[str] | None = None,
        number: int | None = None,
    ) -> Visit:
        """Start a visit, or go on with a saved one.

        Parameters
        ----------
        saved : dict, optional
            What `Visit.to_dict` returned.
        known : dict, optional
            Answers already held; they are not asked again.
        arms : iterable of str, optional
            The arms for which this person is eligible; all of them if left out. Those of them stay
            whose rules hold. An answer that leaves none is refused with a `VisitError`, and the
            visit is as before: nothing has been decided, and there is nothing to learn.
        number : int, optional
            The visit's number, where several processes start visits and one place numbers them;
            the next one if left out. Count from 0: policies draw less the higher it is (maths 8.6).
        """
        with self.lock:
            if self.trusted and not vars(self).keys().isdisjoint(HOOKS):
                self.trusted = False  # a hook has been put on this object since it was made
            if saved is not None:
                if known is not None or arms is not None or number is not None:
                    raise VisitError(
                        "a saved visit has its number, known answers and arms; give it alone"
                    )
                visit = Visit.resume(self, saved)
            else:
                own = number is None
                number = self._learned.free(self._next_number) if number is None else number
                if not own or number >= MOST_NUMBER:
                    number = self._check_number(number)
                visit = Visit(self, number=number, known=known, arms=arms)
            self._next_number = max(self._next_number, visit.start.number + 1)
            return visit

    def _check_number(self, number: Any) -> int:
        checked = check_whole(number, "the number of a visit", 0, MOST_NUMBER - 1, error=VisitError)
        if checked in self._learned:
            raise VisitError(f"visit {checked} has been learned; give a new visit another number")
        return checked

    @alone
    def may_ask(self, arms: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the questions that a new visit may ask at most, in survey order.

        `arms` are those for which the person is eligible; all of them if left out.
        """
        _, mask = self.roster.eligible(arms)
        may_ask = self._may_ask(given(self, mask))
        return self.survey.names_of(may_ask | self.survey.asked_of_everyone)

    def asked_now(self) -> tuple[str, ...]:
        """Return the questions that a new visit may ask, in survey order."""
        return self.may_ask()

    @alone
    def needs(self, arm: str) -> tuple[str, ...]:
        """Return the questions that must be known of a visit that an arm learns."""
        return self.survey.names_of(self._needs(self.arm_index(arm)))

    def line_of(self, kind: str | None, arm: int) -> int:  # noqa: ARG002
        """Say in which line a decided visit waits to be learned: that of its arm (maths 2.5)."""
        return arm

    def about(self, visit: Visit) -> str:  # noqa: ARG002
        """Say what is special about a visit, for its explanation; nothing unless there is."""
        return ""

    def _told_reach(self, z: Floats, mask: Flags, hooks: Hooks) -> Reach | None:
        """Say how high the arms in `mask` can still get, in units of the user's rewards."""
        reach = hooks._reach(given(hooks, z), given(hooks, mask))
        return reach and Reach(reach.low + self._shift, reach.high + self._shift, reach.moves)

    def _told_outlook(self, z: Floats, hooks: Hooks) -> tuple[Floats, Floats]:
        """Return expected reward and score of each arm, as the user has rewards; NaN: not told."""
        outlook = hooks._outlook(z if hooks.trusted else z.copy())
        if outlook is None:
            nothing = np.full(len(self.roster), np.nan)
            return nothing, nothing
        if not hooks.trusted:
            outlook = self._checked_outlook(outlook)
        return outlook[0] + self._shift, outlook[1] + self._shift

    def _checked_outlook(self, said: Any) -> tuple[Floats, Floats]:
        try:
            means, scores = np.array(said, dtype=np.float64).reshape(2, len(self.roster))
        except (TypeError, ValueError):
            raise broken(
                f"says its outlook in two rows; {shown(said)} is none", "_outlook"
            ) from None
        return means, scores

    @property
    @alone
    def learned(self) -> tuple[tuple[int, int], ...]:
        """The numbers of the visits that have been learned, as ranges: first and last of each."""
        return tuple(self._learned.spans())

    def learn(self, visit: Visit, reward: float) -> None:
        """Learn a decided visit's reward: now or next week, once (maths 2.5).

        The same reward again is ignored, another one is refused, and so is a second one that
        another copy of the visit brings. `askless.InOrder` learns late rewards in their order.
        """
        with self.lock:
            if isinstance(visit, Visit) and visit._policy is self:
                arm = visit.arm_index
            else:
                self._check_visit(visit)
                arm = self.roster.index(visit.arm)
            checked = self.reward.check(reward)
            if self._has_learned(visit, checked):
                return
            kind, row, number = visit.kind, visit._z, visit.start.number
            assert kind is not None  # it has an arm
            self._check_known(answering(self, kind, visit.start.promised), arm, row)
            # What another policy noted in the visit says nothing about this one's blocks.
            before = self._corrected.get(number)
            visit.learned_in = self._learn_visit(
                Lesson(
                    kind=kind,
                    arm=arm,
                    row=row,
                    y=self.reward.in_units(checked, raw=self.survey.coding == "raw"),
                    eligible=self.roster.flags(visit._eligible),
                    check=visit.check,
                    learned_in=None if before is None else before.learned_in,
                )
            )
            visit.reward = checked
            self._learned.add(number)
            self._next_number = max(self._next_number, number + 1)
            if before is not None:
                self._corrected[number] = Correction(checked, visit.learned_in)

    def _has_learned(self, visit: Visit, reward: float) -> bool:
        """Whether a visit was learned with this reward; refuse another one, from any copy of it."""
        number = visit.start.number
        learned = number in self._learned
        if not learned and number in self._corrected:
            return False  # it was unlearned, whatever this copy says
        known = self._corrected[number].reward if number in self._corrected else visit.reward
        if known not in (None, reward):
            raise RewardError(
                f"visit {number} was learned with the reward {known!r};"
                f" it cannot be learned again with {reward!r}"
            )
        if learned and known is None:
            raise RewardError(
                f"visit {number} has been learned, from another copy of it; if this is another"
                " person, number visits in one place: policy.visit(number=…)"
            )
        return learned

    def _learn_visit(self, lesson: Lesson) -> int | None:
        """Learn a visit as its kind is learned; return in which block of rows, if any."""
        hooks = self._of_kind(lesson.kind)
        if hooks is self:
            self._learn_one(lesson.arm, lesson.row, lesson.y)
        else:
            row = lesson.row if hooks.trusted else lesson.row.copy()
            hooks._learn(*_as_rows(lesson.arm, row, lesson.y))
        self._version += 1
        return None

    def _learn_one(self, arm: int, row: Floats, y: float) -> None:
        """Learn one checked row."""
        self._learn(*_as_rows(arm, row if self.trusted else row.copy(), y))

    def _check_visit(self, visit: Any) -> None:
        if not isinstance(visit, Visit):
            raise VisitError(f"{shown(visit)} is not a visit; a saved one: policy.visit(saved)")
        if not visit.survey.same_columns(self.survey):
            raise VisitError("the visit belongs to another survey; learn it with its own policy")

    # -- as data ---------------------------------------------------------------------------------

    @alone
    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain data, exact; it is refreshed, so that both go on alike."""
        return as_data.data_of(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Policy:
        """Build the policy that `to_dict` described; refuse what cannot be its state."""
        return as_data.policy_from(cls, data)

    def save(self, path: str | Path) -> None:
        """Write the policy to a file; `askless.load` reads it.

        The running policy is refreshed too, so that it and a loaded one have the same future.
        """
        if "name" not in vars(type(self)):  # `load` would take it for its parent
            raise SettingError(
                f"{type(self).__name__} has no name of its own; give the class one, as in"
                f" name = {type(self).__name__.lower()!r}, to save it"
            )
        write_state(path, self.to_dict())

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.survey)} questions, arms={list(self.arms)},"
            f" reward=({self.reward.low:g}, {self.reward.high:g}))"
        )


def _as_rows(arm: int, row: Floats, y: float) -> tuple[Ints, Floats, Floats]:
    return np.array([arm]), row[None, :], np.array([y])
