"""What every policy is: visits in, arms out, rewards back. An algorithm fills in a few hooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.errors import (
    RewardError,
    SettingError,
    StateError,
    VisitError,
    shown,
)
from askless.policies.array_door import ArrayDoor
from askless.policies.decision import Lesson, Reach
from askless.policies.described import settings_along
from askless.policies.files import write_state
from askless.policies.hooks import Hooks, broken
from askless.policies.numbers import MOST_NUMBER, Numbers
from askless.policies.passage import answering
from askless.policies.roster import Roster
from askless.policies.visit import Visit
from askless.survey import Arm, RewardRange, Survey

__all__ = ["Policy"]


class Correction(NamedTuple):
    """How a visit was last learned that has been unlearned: copies of it may not know."""

    reward: float | None  # None: it has not been learned again
    learned_in: int | None


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
        The decisions.
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
        self.survey = survey
        self.roster = Roster(arms)
        self.reward = RewardRange.of(reward)
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

    def add_arm(self, arm: str | Arm) -> None:
        """Add an arm that starts with the full support; other arms do not change (maths 2.4)."""
        added = self.roster.check_new(arm)
        self._grow()
        self.roster.add(added)
        self._version += 1

    def retire_arm(self, arm: str) -> None:
        """Ask and play an arm no more; rewards that are still to come are learned."""
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
            The arms for which this person is eligible; all of them if left out.
        number : int, optional
            The visit's number, where several processes start visits and one place numbers them;
            the next one if left out. Count from 0: policies draw less the higher it is (maths 8.6).
        """
        if saved is not None:
            if known is not None or arms is not None or number is not None:
                raise VisitError(
                    "a saved visit has its number, known answers and arms; give it alone"
                )
            visit = Visit.resume(self, saved)
            self._has_seen(visit.number)
            return visit
        taken = self._learned.free(self._next_number) if number is None else number
        visit = Visit(
            self, number=self._check_number(taken), known={} if known is None else known, arms=arms
        )
        self._has_seen(visit.number)
        return visit

    def _has_seen(self, number: int) -> None:
        """Give no further visit this number."""
        self._next_number = max(self._next_number, number + 1)

    def _check_number(self, number: Any) -> int:
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not 0 <= number < MOST_NUMBER:
            raise VisitError(
                f"the number of a visit is {shown(number)}; give a whole number from 0 to"
                f" {MOST_NUMBER - 1}"
            )
        if number in self._learned:
            raise VisitError(f"visit {number} has been learned; give a new visit another number")
        return int(number)

    def may_ask(self, arms: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the questions that a new visit may ask at most, in survey order.

        `arms` are those for which the person is eligible; all of them if left out.
        """
        mask = self.roster.mask(self.roster.eligible(arms))
        return self.survey.names_of(self._may_ask(mask) | self.survey.asked_of_everyone)

    def asked_now(self) -> tuple[str, ...]:
        """Return the questions that a new visit may ask, in survey order."""
        return self.may_ask()

    def needs(self, arm: str) -> tuple[str, ...]:
        """Return the questions that must be known of a visit that an arm learns."""
        return self.survey.names_of(self._needs(self.arm_index(arm)))

    def reach(self, z: Floats, mask: Flags, hooks: Hooks | None = None) -> Reach | None:
        """Say how high the arms in `mask` can still get, in units of the user's rewards."""
        reach = (hooks or self)._reach(z, mask)
        return reach and Reach(reach.low + self._shift, reach.high + self._shift, reach.moves)

    def line_of(self, kind: str, arm: int) -> int:  # noqa: ARG002
        """Say in which line a decided visit waits to be learned: that of its arm (maths 2.5)."""
        return arm

    def about(self, visit: Visit) -> str:  # noqa: ARG002
        """Say what is special about a visit, for its explanation; nothing unless there is."""
        return ""

    @property
    def _shift(self) -> float:
        return 0.0 if self.survey.coding == "raw" else self.reward.middle

    def outlook(
        self, z: Floats, mask: Flags, hooks: Hooks | None = None
    ) -> dict[str, tuple[float, float]]:
        """Return expected reward and score of each arm in `mask`; empty if it has none."""
        outlook = (hooks or self)._outlook(z)
        if outlook is None:
            return {}
        if np.shape(outlook) != (2, len(self.roster)):
            raise broken(f"says its outlook in two rows; {shown(outlook)} is none", "_outlook")
        means, uppers = outlook[0] + self._shift, outlook[1] + self._shift
        return {
            arm: (float(means[k]), float(uppers[k]))
            for k, arm in enumerate(self.arms)
            if mask[k] and not np.isnan(means[k])
        }

    @property
    def learned(self) -> tuple[tuple[int, int], ...]:
        """The numbers of the visits that have been learned, as ranges: first and last of each."""
        return tuple(self._learned.spans())

    def learn(self, visit: Visit, reward: float) -> None:
        """Learn a decided visit's reward: now or next week, once (maths 2.5).

        The same reward again is ignored, another one is refused, and so is a second one that
        another copy of the visit brings. `askless.InOrder` learns late rewards in their order.
        """
        self._check_visit(visit)
        arm = self.arm_index(visit.arm)
        checked = self.reward.check(reward)
        if self._has_learned(visit, checked):
            return
        row = visit.context()
        hooks = answering(self, visit.kind, visit.start.promised)
        self._check_missing(hooks._needs(arm), row)
        # What another policy noted in the visit says nothing about this one's blocks.
        before = self._corrected.get(visit.number, Correction(None, None))
        visit.learned_in = self._learn_visit(
            Lesson(
                kind=visit.kind,
                arm=arm,
                row=row,
                y=self._checked_reward(checked),
                eligible=self.roster.flags(visit.eligible),
                check=visit.check,
                learned_in=before.learned_in,
            )
        )
        visit.reward = checked
        self._learned.add(visit.number)
        self._has_seen(visit.number)
        if visit.number in self._corrected:
            self._corrected[visit.number] = Correction(checked, visit.learned_in)

    def _has_learned(self, visit: Visit, reward: float) -> bool:
        """Whether a visit was learned with this reward; refuse another one, from any copy of it."""
        number, learned = visit.number, visit.number in self._learned
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
        rows = np.array([lesson.arm]), lesson.row[None, :], np.array([lesson.y])
        hooks = self._of_kind(lesson.kind)
        if hooks is self:
            self._learn_checked(*rows)
        else:
            hooks._learn(*rows)
            self._version += 1
        return None

    def _check_visit(self, visit: Any) -> None:
        if not isinstance(visit, Visit):
            raise VisitError(f"{shown(visit)} is not a visit; a saved one: policy.visit(saved)")
        if not visit.survey.same_columns(self.survey):
            raise VisitError("the visit belongs to another survey; learn it with its own policy")

    # -- as data ---------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain data, exact; it is refreshed, so that both go on alike."""
        return {
            "policy": type(self).name,
            "survey": self.survey.to_dict(),
            "arms": [{"name": arm.name, "text": arm.text} for arm in self.roster.arms],
            "arms_at_start": self.roster.at_start,
            "live": self.roster.live.tolist(),
            "reward": [self.reward.low, self.reward.high],
            "settings": self._settings(),
            "counters": {"version": self._version, "next_number": self._next_number},
            "learned": self._learned.to_data(),
            "corrected": {str(number): list(last) for number, last in self._corrected.items()},
            "state": self._state(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Policy:
        """Build the policy that `to_dict` described."""
        arms = [Arm(arm["name"], arm["text"]) for arm in data["arms"]]
        start = data["arms_at_start"]
        counters = [data["counters"][name] for name in ("version", "next_number")]
        whole = all(type(number) is int for number in (start, *counters))
        if (
            not whole
            or not 1 <= start <= len(arms)
            or not 0 <= min(counters) <= max(counters) < 2**63
        ):
            raise StateError("its counts of arms, changes or visits cannot be")
        policy = cls(
            Survey.from_dict(data["survey"]),
            arms=arms[:start],
            reward=tuple(data["reward"]),
            **data["settings"],
        )
        for arm in arms[start:]:
            policy.add_arm(arm)
        live = np.array(data["live"])
        if live.shape != (len(arms),) or live.dtype != bool or not live.any():
            raise StateError("the file does not say which of its arms are live")
        policy.roster.live = live
        policy._version, policy._next_number = counters
        policy._learned = Numbers.from_data(data["learned"])
        for number, (reward, learned_in) in data["corrected"].items():
            if reward is not None:
                policy.reward.check(reward)
            if learned_in is not None and (type(learned_in) is not int or learned_in < 0):
                raise StateError(f"visit {number} was learned in block {shown(learned_in)}")
            policy._corrected[int(number)] = Correction(reward, learned_in)
        policy._restore(data["state"])
        return policy

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
