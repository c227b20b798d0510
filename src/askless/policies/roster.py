"""The arms of a running policy: which there are, which are live, who is eligible (maths 2.4)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from typing import Any

import numpy as np

from askless.core.arrays import Flags
from askless.errors import SettingError, VisitError, meant, shown
from askless.survey import Arm, Survey
from askless.survey.arms import arms_from
from askless.survey.eligibility import Eligibility
from askless.whole import is_whole


class Roster:
    """An ordered list of arms that only grows; retired arms keep their place.

    Attributes
    ----------
    names : tuple of str
        Of all arms, retired ones included.
    live_names : tuple of str
        Of those that are not retired.
    in_play : array of bool
        `live` for the core, which takes longer to look at what cannot be written to.
    rules : Eligibility or None
        Who may get which arm by its answers; None where no arm has a rule.
    survey : Survey or None
        That of the rules, with the questions that they need asked of everyone.
    """

    names: tuple[str, ...]
    live_names: tuple[str, ...]

    def __init__(self, arms: Iterable[str | Arm], survey: Survey | None = None) -> None:
        self.arms = arms_from(arms)
        self.rules = _rules_of(survey, self.arms)
        self.survey = survey if self.rules is None else self.rules.asking()
        self.at_start = len(self.arms)
        self._name(np.ones(len(self.arms), dtype=bool))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._everyone.flags.writeable = False  # copies of arrays can be written to
        self.live = self._live

    def _name(self, live: Flags) -> None:
        """Note what follows from the arms, of which some are live."""
        self.names = tuple(arm.name for arm in self.arms)
        self._place = {name: k for k, name in enumerate(self.names)}
        self._everyone = np.ones(len(self.arms), dtype=bool)
        self._everyone.flags.writeable = False
        self.live = live

    def __len__(self) -> int:
        return len(self.arms)

    @property
    def live(self) -> Flags:
        """Which arms are not retired; it cannot be written to, and never changes under a visit."""
        return self._live

    @live.setter
    def live(self, live: Flags) -> None:
        if (
            not isinstance(live, np.ndarray)
            or live.dtype != bool
            or live.shape != (len(self.arms),)
            or not live.any()
        ):
            raise SettingError(
                f"live is {shown(live)}; give an array of {len(self.arms)} booleans, one an arm,"
                " with at least one that is true"
            )
        if self.rules is not None:
            self.rules.check_cover(live)
        self.in_play = live.copy()
        self._live = self.in_play.view()
        self._live.flags.writeable = False
        self.live_names = self.names_of(self._live)

    def index(self, arm: Any) -> int:
        """Return an arm's place; refuse an unknown name."""
        place = self._place.get(arm) if isinstance(arm, str) else None
        if place is None:
            raise SettingError(
                f"there is no arm {shown(arm)}{meant(arm, self.names, 'the arms are')}"
            )
        return place

    def check_number(self, arm: Any) -> int:
        """Return an arm's number as an int; refuse one that is not there."""
        if not is_whole(arm) or not 0 <= arm < len(self.arms):
            raise SettingError(
                f"there is no arm number {shown(arm)}; give 0 to {len(self.arms) - 1}"
            )
        return int(arm)

    def check_new(self, arm: str | Arm) -> Arm:
        """Return an arm that may be added; refuse a name that is or was there.

        And a rule whose questions not everyone is asked: nobody knows what those answered who are
        asked now, or by what short forms would have been chosen.
        """
        added = arm if isinstance(arm, Arm) else Arm(arm)
        if added.name in self._place:
            raise SettingError(f"there is an arm {added.name!r} already; names are not used again")
        rules = _rules_of(self.survey, (added,))
        if rules is not None:
            for name in rules.survey.names_of(rules.questions & ~rules.survey.asked_of_everyone):
                raise SettingError(
                    f"arm {added.name!r}: eligible_if: its rule needs question {name!r}, which not"
                    " everyone is asked; mark it always_ask as the study starts, or write a rule on"
                    " what everyone is asked"
                )
        return added

    def add(self, arm: Arm) -> None:
        """Add a checked arm."""
        self.rules = _rules_of(self.survey, (*self.arms, arm))
        self.arms = (*self.arms, arm)
        self._name(np.append(self._live, True))

    def retire(self, arm: str) -> None:
        """Take an arm out of play; refuse the last one, also the last one for some answers."""
        k = self.index(arm)
        if not self._live[k]:
            raise SettingError(f"arm {arm!r} is retired already")
        if self._live.sum() == 1:
            raise SettingError(f"arm {arm!r} is the last one; add another before retiring it")
        try:
            self.live = self._live & (np.arange(len(self.arms)) != k)
        except SettingError as error:
            said = str(error).removeprefix("arms: ")
            raise SettingError(f"arm {arm!r} cannot be retired: {said}") from None

    def may_retire(self, *arms: str) -> bool:
        """Whether arms can be retired, all of them: there is another for everyone."""
        rest = self._live & ~np.isin(self.names, arms)
        if self.rules is not None:
            try:
                self.rules.check_cover(rest)
            except SettingError:
                return False
        return bool(rest.any())

    def has_rules(self, rules: Eligibility) -> bool:
        """Whether its arms have these rules, and no others."""
        if self.rules is None:
            return not rules.exists
        return self.rules.same_rules(rules)

    def eligible(self, arms: Iterable[str] | None) -> tuple[tuple[str, ...], Flags]:
        """Return the live arms among `arms` (all if `None`), and which they are; refuse none."""
        if arms is None:
            return self.live_names, self._live
        if isinstance(arms, str) or not isinstance(arms, Iterable):
            raise SettingError(f"arms is {shown(arms)}; give a list of arms")
        mask = self._live & self.flags(arms)
        if not mask.any():
            raise SettingError(
                f"no arm is eligible for this visit; the live arms are {', '.join(self.live_names)}"
            )
        return self.names_of(mask), mask

    def playable(self, eligible: Flags) -> Flags:
        """Return the arms that a visit may play now: those of its start, less the retired ones."""
        if eligible is self._live:  # nothing has changed since
            return eligible
        mask = self._live & self.padded(eligible)  # arms that came later are not its business
        if not mask.any():
            raise VisitError(
                "every arm that this visit could play has been retired; start a new visit"
            )
        return mask

    def flags(self, names: Iterable[str]) -> Flags:
        """Return which arms are among `names`, retired or not; refuse an unknown name."""
        if type(names) is tuple and names == self.names:
            return self._everyone
        chosen = np.zeros(len(self.arms), dtype=bool)
        chosen[[self.index(name) for name in names]] = True
        return chosen

    def padded(self, mask: Flags) -> Flags:
        """Return what was said of the arms that there were, with the arms that came later unset."""
        later = len(self.arms) - len(mask)
        return np.append(mask, np.zeros(later, dtype=bool)) if later else mask

    def names_of(self, mask: Flags) -> tuple[str, ...]:
        """Return the names of the arms that are marked; `mask` may be older than the last arms."""
        return tuple(compress(self.names, mask.tolist()))


def _rules_of(survey: Survey | None, arms: tuple[Arm, ...]) -> Eligibility | None:
    """Return who may get which arm; None where no arm has a rule."""
    if survey is None or all(arm.eligible_if is None for arm in arms):
        return None
    return Eligibility(survey, arms)
