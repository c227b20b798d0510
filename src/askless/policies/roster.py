"""The arms of a running policy: which there are, which are live, who is eligible (maths 2.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from askless.core.arrays import Flags
from askless.errors import SettingError, shown
from askless.survey import Arm
from askless.survey.arms import arms_from


class Roster:
    """An ordered list of arms that only grows; retired arms keep their place."""

    def __init__(self, arms: Iterable[str | Arm]) -> None:
        self.arms = list(arms_from(arms))
        self._places = {arm.name: k for k, arm in enumerate(self.arms)}
        self.at_start = len(self.arms)
        self.live: Flags = np.ones(len(self.arms), dtype=bool)

    def __len__(self) -> int:
        return len(self.arms)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all arms, retired ones included."""
        return tuple(arm.name for arm in self.arms)

    @property
    def live_names(self) -> tuple[str, ...]:
        """Names of the arms that are not retired."""
        return tuple(arm for arm, live in zip(self.names, self.live, strict=True) if live)

    def index(self, arm: str) -> int:
        """Return an arm's place; refuse an unknown name."""
        place = self._places.get(arm) if isinstance(arm, str) else None
        if place is None:
            raise SettingError(
                f"there is no arm {shown(arm)}; the arms are {', '.join(self.names)}"
            )
        return place

    def check_number(self, arm: Any) -> int:
        """Return an arm's number as an int; refuse one that is not there."""
        whole = isinstance(arm, int | np.integer) and not isinstance(arm, bool)
        if not whole or not 0 <= arm < len(self.arms):
            raise SettingError(
                f"there is no arm number {shown(arm)}; give 0 to {len(self.arms) - 1}"
            )
        return int(arm)

    def check_new(self, arm: str | Arm) -> Arm:
        """Return an arm that may be added; refuse a name that is or was there."""
        added = arm if isinstance(arm, Arm) else Arm(arm)
        if added.name in self._places:
            raise SettingError(f"there is an arm {added.name!r} already; names are not used again")
        return added

    def add(self, arm: Arm) -> None:
        """Add a checked arm."""
        self._places[arm.name] = len(self.arms)
        self.arms.append(arm)
        self.live = np.append(self.live, True)

    def retire(self, arm: str) -> None:
        """Take an arm out of play; refuse the last one."""
        k = self.index(arm)
        if not self.live[k]:
            raise SettingError(f"arm {arm!r} is retired already")
        if self.live.sum() == 1:
            raise SettingError(f"arm {arm!r} is the last one; add another before retiring it")
        self.live[k] = False

    def eligible(self, arms: Iterable[str] | None) -> tuple[str, ...]:
        """Return the live arms among `arms` (all if `None`); refuse when there is none."""
        if isinstance(arms, str) or not (arms is None or isinstance(arms, Iterable)):
            raise SettingError(f"arms is {shown(arms)}; give a list of arms")
        wanted = set(self.names) if arms is None else {self.arms[self.index(a)].name for a in arms}
        chosen = tuple(arm for arm in self.live_names if arm in wanted)
        if not chosen:
            raise SettingError(
                f"no arm is eligible for this visit; the live arms are {', '.join(self.live_names)}"
            )
        return chosen

    def flags(self, names: Iterable[str]) -> Flags:
        """Return which arms are among `names`, retired or not; refuse an unknown name."""
        chosen = np.zeros(len(self.arms), dtype=bool)
        chosen[[self.index(name) for name in names]] = True
        return chosen

    def mask(self, names: Iterable[str]) -> Flags:
        """Return which arms are live and among `names`."""
        return self.live & self.flags(names)

    def names_of(self, mask: Flags) -> tuple[str, ...]:
        """Return the names of the arms that are marked; `mask` may be older than the last arms."""
        return tuple(self.arms[k].name for k in np.flatnonzero(mask))
