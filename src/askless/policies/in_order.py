"""Late rewards, learned in the order of the decisions, as the guarantees need it (maths 2.5)."""

from __future__ import annotations

import itertools
import math
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heapreplace
from threading import RLock
from typing import Any

from askless.errors import RewardError, SettingError, StateError, VisitError, shown
from askless.policies.base import Policy
from askless.policies.numbers import Numbers
from askless.policies.one_thread import alone
from askless.policies.visit import Visit
from askless.survey import Study
from askless.survey.names import check_number
from askless.survey.study import check_study
from askless.survey.window import Window, check_silence
from askless.whole import is_whole

__all__ = ["InOrder", "Line"]

FORMAT, VERSION = "askless.in_order", 1
LATEST = 1e11  # seconds since 1970; beyond it they are milliseconds, or a slip


@dataclass(slots=True)
class Waiting:
    """A decided visit whose row has yet to be learned."""

    number: int
    note: Any  # what it takes to learn it
    since: float
    place: int  # in the order of decisions
    reward: float | None = None


class Line:
    """Decided visits in the order of their decisions, in lines of their own; it knows no policy.

    A line is an arm's, or that of all visits that a policy learns in one order. A visit is due
    once it has its reward, or its window is over, and every earlier visit of its line is gone.
    `window` is in the units of the times that are given, infinite: rewards are waited for without
    end.
    """

    def __init__(self, window: float = math.inf) -> None:
        self.window = window
        self.visits: dict[int, Waiting] = {}  # by number, in the order of their decisions
        self._lines: dict[int, deque[Waiting]] = {}
        self._places = itertools.count()

    def add(self, number: int, line: int, note: Any, at: float) -> None:
        """Add a visit that has just been decided, to the end of a line."""
        visit = Waiting(number, note, at, next(self._places))
        self.visits[number] = visit
        self._lines.setdefault(line, deque()).append(visit)

    def in_time(self, number: int, at: float) -> bool:
        """Whether a reward that comes now is within its window, wherever in the line it is."""
        return at <= self.visits[number].since + self.window

    def remove(self, number: int) -> None:
        """Take a visit out, wherever in its line it is."""
        visit = self.visits.pop(number)
        for line in self._lines.values():
            if visit in line:
                line.remove(visit)
                return

    def due(self, now: float) -> Iterator[Waiting]:
        """Hand out what is to be learned or given up by now, in the order of decisions.

        Also across lines: in which order lines were begun, a queue that is resumed does not know.
        """
        heads = [(line[0].place, line) for line in self._lines.values() if self._is_due(line, now)]
        heapify(heads)
        while heads:
            line = heads[0][1]
            visit = line.popleft()
            del self.visits[visit.number]
            if self._is_due(line, now):
                heapreplace(heads, (line[0].place, line))
            else:
                heappop(heads)
            yield visit

    def is_due(self, now: float) -> bool:
        """Whether there is anything to hand out by now."""
        return any(self._is_due(line, now) for line in self._lines.values())

    def _is_due(self, line: deque[Waiting], now: float) -> bool:
        return bool(line) and (line[0].reward is not None or line[0].since + self.window <= now)


class InOrder:
    """Takes decided visits and rewards as they come; its policy learns them in decision order.

    A visit waits until every earlier visit of its arm (of `SurveyBandit` with short forms: every
    earlier full visit) has been learned, or given up because its reward has not come within the
    window. That rule looks at no reward, so it breaks no guarantee
    where rewards of one kind come sooner than others.

    Parameters
    ----------
    policy : Policy
        Learns. Give it no rewards besides.
    window : str, optional
        How long a reward may take: "14 days", "36 hours", "500 visits"; without one, rewards are
        waited for without end.
    silence : float, optional
        What a reward is taken to be that has not come by then, such as 0 where only sales are
        reported; if left out, its visit is not learned.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.LinUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1))
    >>> queue = al.InOrder(policy, window="2 visits", silence=0)
    >>> visits = [policy.visit(known={"x1": 0.5}) for _ in range(4)]
    >>> queue.add(visits[0])
    ()
    >>> queue.add(visits[1])
    ()
    >>> queue.reward(1, 0.25)           # waits for visit 0
    ()
    >>> for visit in visits[2:]:        # the window of visit 0 is over: its silence is a 0
    ...     learned = queue.add(visit)
    >>> [visit.number for visit in learned], visits[0].reward, visits[1].reward, queue.waiting
    ([0, 1], 0.0, 0.25, (2, 3))

    Attributes
    ----------
    lost : tuple of int
        The numbers of the visits that the last call gave up without learning anything.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        window: str | Window | None = None,
        silence: float | None = None,
    ) -> None:
        if not isinstance(policy, Policy):
            raise SettingError(f"policy is {shown(policy)}; give an askless policy")
        self.policy = policy
        self.window = None if window is None else Window.of(window)
        said = None if self.window is None else str(self.window)
        self.silence = None if silence is None else check_silence(silence, said, policy.reward)
        self._line = Line(self._length())
        self._gone = Numbers()  # given up: silence was learned, or nothing
        self._now = 0.0
        self.lost: tuple[int, ...] = ()

    @classmethod
    def of(cls, study: Study, policy: Policy) -> InOrder:
        """Return the queue that a study describes with `reward.window` and `reward.silence`."""
        check_study(study)
        return cls(policy, window=study.window, silence=study.silence)

    def _length(self) -> float:
        if self.window is None:
            return math.inf
        return self.window.visits if self.window.in_visits else self.window.seconds

    @property
    def lock(self) -> RLock:
        """The lock of its policy: what is learned and what waits are of one moment."""
        return self.policy.lock

    # -- what comes ------------------------------------------------------------------------------

    @alone
    def add(self, visit: Visit, *, at: datetime | float | None = None) -> tuple[Visit, ...]:
        """Take a visit that has just been decided; what is due by now is learned and returned.

        Whoever stores visits stores those that are returned again: they have their rewards now.

        Parameters
        ----------
        visit : Visit
            Visits are added in the order of their decisions.
        at : datetime or float, optional
            When it was decided (a float: seconds since 1970; a datetime without a time zone: local
            time); now if left out. With a window in visits, or none, time is counted in visits
            and this is not looked at.
        """
        policy = self.policy
        policy._check_visit(visit)
        if visit.number in self._line.visits:
            raise VisitError(f"visit {visit.number} is waiting already")
        if visit.number in self._gone:
            raise VisitError(f"visit {visit.number} has been given up: its window is over")
        learned = visit.reward is not None and visit.number not in policy._corrected
        if learned or visit.number in policy._learned:
            raise VisitError(f"visit {visit.number} has been learned already")
        now = self._time(at, visits=1)
        self._line.add(visit.number, policy.line_of(visit.kind, visit.arm_index), visit, now)
        return self._learn_due(now)

    @alone
    def reward(
        self, visit: Visit | int, reward: float, *, at: datetime | float | None = None
    ) -> tuple[Visit, ...]:
        """Take a reward: of a visit, or of the one with this number.

        What is due is learned and returned. The same again is ignored while the visit waits,
        another one is refused.
        """
        number = self._number_of(visit)
        checked = self.policy.reward.check(reward)
        now = self._time(at)
        waiting = self._line.visits.get(number)
        if waiting is None:
            raise self._unknown(number)
        if waiting.reward is not None:
            if waiting.reward == checked:
                return ()
            raise RewardError(
                f"visit {number} has the reward {waiting.reward!r}; it cannot have {checked!r} too"
            )
        if not self._line.in_time(number, now):
            raise RewardError(
                f"visit {number}: the reward came after its window of {self.window}, which is over"
            )
        waiting.reward = checked
        learned = self._learn_due(now)
        if isinstance(visit, Visit) and waiting.note in learned:  # perhaps a copy of it
            visit.reward, visit.learned_in = waiting.note.reward, waiting.note.learned_in
        return learned

    def _number_of(self, visit: Any) -> int:
        if isinstance(visit, Visit):
            self.policy._check_visit(visit)
            return visit.number
        if not is_whole(visit):
            raise VisitError(f"no visit {shown(visit)} is waiting; give a visit or its number")
        return int(visit)

    @alone
    def tick(self, *, at: datetime | float | None = None) -> tuple[Visit, ...]:
        """Let time pass: give up what has waited for its whole window, learn what is due."""
        return self._learn_due(self._time(at))

    @alone
    def is_due(self, *, at: datetime | float | None = None) -> bool:
        """Whether `tick` would learn or give up anything; nothing changes."""
        return self._line.is_due(math.nextafter(self._time(at), -math.inf))

    def _time(self, at: datetime | float | None, *, visits: int = 0) -> float:
        """Return the time: seconds, or visits where the window is in visits."""
        if self.window is None or self.window.in_visits:
            return self._now + visits
        if at is None:
            at = time.time()
        try:
            seconds = at.timestamp() if isinstance(at, datetime) else check_number(at, "at")
        except (ValueError, OverflowError, OSError):
            seconds = LATEST
        if not abs(seconds) < LATEST:
            raise SettingError(f"at is {shown(at)}; give a datetime, or seconds since 1970")
        return max(self._now, seconds)  # time does not go back

    def _unknown(self, number: int) -> RewardError | VisitError:
        if number in self._gone:
            then = "it is not learned" if self.silence is None else f"{self.silence:g} was learned"
            return RewardError(
                f"visit {number}: the reward came after its window of {self.window}, which is over;"
                f" {then}"
            )
        if number in self.policy._learned:
            return RewardError(f"visit {number} has been learned already; a visit has one reward")
        return VisitError(f"no visit {number} is waiting; add it when it is decided")

    def _learn_due(self, now: float) -> tuple[Visit, ...]:
        """Learn what is due; a reward that comes at the last moment of its window is in time."""
        self._now = now
        learned, lost = [], []
        for waiting in self._line.due(math.nextafter(now, -math.inf)):
            reward = self.silence if waiting.reward is None else waiting.reward
            if waiting.reward is None:
                self._gone.add(waiting.number)
            if reward is not None and waiting.number not in self.policy._learned:
                self.policy.learn(waiting.note, reward)
                learned.append(waiting.note)
            elif reward is None:
                lost.append(waiting.number)
        self.lost = tuple(lost)
        return tuple(learned)

    @alone
    def forget(self, number: int) -> None:
        """Let go of a visit that waits: it is not learned, and those behind it move up."""
        if number not in self._line.visits:
            raise self._unknown(number)
        self._line.remove(number)
        self._gone.add(number)

    # -- looking at it and putting it away -------------------------------------------------------

    @property
    def waiting(self) -> tuple[int, ...]:
        """The numbers of the visits that wait, in the order of their decisions."""
        return tuple(self._line.visits)

    def since(self, number: int) -> float:
        """Return since when a visit waits: seconds since 1970, or visits decided by then."""
        return self._line.visits[number].since

    def __len__(self) -> int:
        return len(self._line.visits)

    @alone
    def to_dict(self) -> dict[str, Any]:
        """Return what waits as plain data for JSON; save the policy first, then this."""
        waiting = [
            {"visit": w.note.to_dict(), "since": w.since, "reward": w.reward}
            for w in self._line.visits.values()
        ]
        return {**self._head(), "waiting": waiting}

    def _head(self) -> dict[str, Any]:
        """Return the same without the visits, for whoever keeps those elsewhere."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "window": None if self.window is None else str(self.window),
            "silence": self.silence,
            "now": self._now,
            "given_up": self._gone.to_data(),
        }

    @classmethod
    def resume(cls, policy: Policy, saved: Mapping[str, Any]) -> InOrder:
        """Go on with what `to_dict` returned.

        A visit that the policy has learned since, because it was saved later, is left out; what is
        due now is learned with the next call.
        """
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
            raise StateError("this is no saved InOrder; give what to_dict() returned")
        if type(saved.get("version")) is not int or saved["version"] != VERSION:
            raise StateError(
                f"it is of version {shown(saved.get('version'))}, this askless reads {VERSION}"
            )
        try:
            queue = cls(policy, window=saved["window"], silence=saved["silence"])
            queue._now = check_number(saved["now"], "now")
            queue._gone = Numbers.from_data(saved["given_up"])
            for entry in saved["waiting"]:
                visit = Visit.resume(policy, entry["visit"])
                if visit.number in queue._line.visits:
                    raise StateError(f"visit {visit.number} waits twice")
                if visit.number not in policy._learned:
                    since = check_number(entry["since"], "since")
                    line = policy.line_of(visit.kind, visit.arm_index)
                    queue._line.add(visit.number, line, visit, since)
                    queue._line.visits[visit.number].reward = (
                        None if entry["reward"] is None else policy.reward.check(entry["reward"])
                    )
        except (KeyError, TypeError, ValueError) as error:
            what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise StateError(f"the saved InOrder is damaged or of another study: {what}") from None
        return queue
