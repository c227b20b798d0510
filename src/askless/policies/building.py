"""A policy from its class and settings: what the class does not take is refused by its name."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter
from typing import Any, Protocol

from askless.errors import AsklessError, SettingError
from askless.policies.base import Policy
from askless.survey import Arm, RewardRange, Survey

__all__ = ["Basis", "build_policy", "settings_of"]

SHARED = ("survey", "arms", "reward")  # what every policy is given
ANY = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)


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


def settings_of(kind: type[Policy]) -> dict[str, bool]:
    """Return the settings that a class takes, and of each whether it must be given.

    Where a constructor takes any keyword, to hand it on, those of the class above it are meant
    too; whether they must be given is then for that constructor to say.

    >>> from askless.policies import LinUCB, RidgeSurveyUCB
    >>> settings_of(RidgeSurveyUCB)["beta_min"], settings_of(LinUCB)["beta_min"]
    (True, False)
    """
    found: dict[str, bool] = {}
    for depth, parameters in enumerate(_constructors(kind)):
        for parameter in parameters:
            if parameter.kind not in ANY and parameter.name not in SHARED:
                needed = parameter.default is Parameter.empty and depth == 0
                found.setdefault(parameter.name, needed)
        if not _takes_any(parameters):
            break
    return found


def build_policy(
    kind: type[Policy], basis: Basis, settings: Mapping[str, Any], label: str
) -> Policy:
    """Return a policy with these settings; what is wrong with them is said by its label."""
    known = settings_of(kind)
    takes_any = _takes_any(next(_constructors(kind)))
    for name in settings:
        if name in SHARED or (name not in known and not takes_any):
            raise SettingError(f"policy {label!r} has no setting {name!r}{_meant(name, known)}")
    for name, needed in known.items():
        if needed and name not in settings:
            raise SettingError(f"policy {label!r} needs the setting {name!r}")
    make: Any = kind
    try:
        made: Policy = make(basis.survey, arms=basis.arms, reward=basis.reward, **settings)
    except AsklessError as error:
        raise SettingError(f"policy {label!r}: {error}") from None
    except Exception as error:  # whatever a class of one's own does with what it is given
        raise SettingError(
            f"policy {label!r} cannot be made: {type(error).__name__}: {error}"
        ) from error
    return made


def _constructors(kind: type[Policy]) -> Iterator[list[Parameter]]:
    """Go through the parameters of a class's constructor and of those that it may hand on to."""
    for base in kind.__mro__:
        if "__init__" in vars(base):
            yield list(inspect.signature(vars(base)["__init__"]).parameters.values())[1:]


def _takes_any(parameters: list[Parameter]) -> bool:
    """Whether there is a parameter such as **settings."""
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)


def _meant(name: str, known: Mapping[str, bool]) -> str:
    close = difflib.get_close_matches(str(name), known, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return f"{meant}; its settings are {', '.join(known)}" if known else "; it has none"
