"""A policy from its class and settings: what the class does not take is refused by its name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from askless.errors import AsklessError, SettingError
from askless.policies.base import Policy
from askless.policies.described import SHARED, settings_of, takes_any
from askless.survey import Arm, RewardRange, Survey

__all__ = ["Basis", "build_policy", "settings_of"]


class Basis(Protocol):
    """What every policy is made for; a study and an environment have it."""

    @property
    def survey(self) -> Survey:
        """The questions."""

    @property
    def arms(self) -> Iterable[str | Arm]:
        """The decisions."""

    @property
    def reward(self) -> tuple[float, float] | RewardRange:
        """The smallest and the largest reward."""


def build_policy(
    kind: type[Policy], basis: Basis, settings: Mapping[str, Any], label: str
) -> Policy:
    """Return a policy with these settings; what is wrong with them is said by its label."""
    known = settings_of(kind)
    for name in settings:
        if name in SHARED or (name not in known and not takes_any(kind)):
            raise SettingError(
                f"policy {label!r} has no setting {name!r}{_meant(name, known)}", name
            )
    for name, taken in known.items():
        if taken.needed and name not in settings:
            raise SettingError(f"policy {label!r} needs the setting {name!r}")
    make: Any = kind
    try:
        for name, value in settings.items():
            if name in known:  # also for a class that describes its settings and checks none
                known[name].check(value, name)
        made: Policy = make(basis.survey, arms=basis.arms, reward=basis.reward, **settings)
    except AsklessError as error:
        of = getattr(error, "setting", None)
        raise SettingError(f"policy {label!r}: {error}", of) from None
    except Exception as error:  # whatever a class of one's own does with what it is given
        raise SettingError(
            f"policy {label!r} cannot be made: {type(error).__name__}: {error}"
        ) from error
    return made


def _meant(name: str, known: Iterable[str]) -> str:
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return f"{meant}; its settings are {', '.join(names)}" if names else "; it has none"
