"""The settings of a policy as its constructor describes them: names, defaults, annotations."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from inspect import Parameter
from types import MappingProxyType, NoneType, SimpleNamespace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from askless.survey.policy_descriptions import PolicyDescription, Taken
from askless.survey.setting import Setting

__all__ = ["SHARED", "described", "settings_along", "settings_of", "takes_any"]

SHARED = ("survey", "arms", "reward")  # what every policy is given
ANY = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)


@lru_cache(maxsize=256)
def settings_of(kind: type) -> MappingProxyType[str, Taken]:
    """Return the settings that a class takes: what each is, and whether it must be given.

    Where a constructor takes any keyword, to hand it on, those of the class above it are meant
    too; whether they must be given is then for that constructor to say.

    >>> from askless.policies import LinUCB, RidgeSurveyUCB
    >>> settings_of(RidgeSurveyUCB)["beta_min"].needed, settings_of(LinUCB)["beta_min"].needed
    (True, False)
    """
    found: dict[str, Taken] = {}
    known = settings_along(kind)
    for depth, (base, parameters) in enumerate(_constructors(kind)):
        for name, taken in _taken(base, parameters, own=depth == 0):
            found.setdefault(name, replace(taken, setting=known[name].setting))
        if not _hands_on(parameters):
            break
    return MappingProxyType(found)


@lru_cache(maxsize=256)
def settings_along(kind: type) -> MappingProxyType[str, Taken]:
    """Return the settings of all constructors of a class and of those above it, the nearest first.

    That is what a constructor checks: a class below it may have called it with its own values. A
    class that takes a setting again and does not describe it means the one above.
    """
    found: dict[str, Taken] = {}
    for base, parameters in _constructors(kind):
        for name, taken in _taken(base, parameters, own=True):
            if name not in found or found[name].setting is None:
                found[name] = taken
    return MappingProxyType(found)


def takes_any(kind: type) -> bool:
    """Whether a class's constructor takes keywords that it does not name."""
    return _hands_on(next(_constructors(kind))[1])


def described(kind: type, name: str) -> PolicyDescription:
    """Return what study files may say of a class, under a name."""
    return PolicyDescription(
        name=name,
        title=kind.__name__,
        about=(inspect.getdoc(kind) or kind.__name__).partition("\n")[0],
        settings=settings_of(kind),
        takes_any=takes_any(kind),
    )


def _constructors(kind: type) -> Iterator[tuple[type, list[Parameter]]]:
    """Go through the parameters of a class's constructor and of those that it may hand on to."""
    for base in kind.__mro__:
        if "__init__" in vars(base):
            yield base, list(inspect.signature(vars(base)["__init__"]).parameters.values())[1:]


def _hands_on(parameters: list[Parameter]) -> bool:
    """Whether there is a parameter such as **settings."""
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)


def _taken(base: type, parameters: list[Parameter], *, own: bool) -> Iterator[tuple[str, Taken]]:
    for parameter in parameters:
        if parameter.kind not in ANY and parameter.name not in SHARED:
            hint = _hint(base, parameter)
            extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
            setting = next((extra for extra in extras if isinstance(extra, Setting)), None)
            plain = get_args(hint)[0] if extras else hint
            missing = parameter.default is Parameter.empty
            yield (
                parameter.name,
                Taken(
                    setting=setting,
                    needed=missing and own,
                    default=None if missing else parameter.default,
                    may_be_none=NoneType in get_args(plain),
                ),
            )


def _hint(base: type, parameter: Parameter) -> Any:
    """Return a parameter's annotation; one that cannot be read describes nothing."""
    names = getattr(vars(base)["__init__"], "__globals__", {})
    alone: Any = SimpleNamespace(__annotations__={"it": parameter.annotation})
    try:
        return get_type_hints(alone, globalns=names, include_extras=True)["it"]
    except Exception:  # such as a name that is imported for type checkers alone
        return Any
