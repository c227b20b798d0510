"""The policies by name, ours and yours, for study files, sweeps, saved states, the command line."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from askless.errors import AsklessError, SettingError, StateError, StudyError, meant, near, shown
from askless.policies import ours
from askless.policies.base import Policy
from askless.policies.building import Basis, build_policy
from askless.policies.described import described
from askless.policies.files import read_state
from askless.policies.ours import Target
from askless.survey import Study
from askless.survey.names import check_name
from askless.survey.policy_descriptions import KNOWN
from askless.survey.study import check_study

__all__ = [
    "OURS",
    "POLICIES",
    "as_policy",
    "load",
    "policy_class",
    "policy_for",
    "policy_of",
    "register",
]

OURS: tuple[str, ...] = tuple(name for name, kind in vars(ours).items() if inspect.isclass(kind))
POLICIES: dict[str, type[Policy]] = {kind.name: kind for kind in map(vars(ours).get, OURS) if kind}
KNOWN.update({name: described(kind, name) for name, kind in POLICIES.items()})

Kind = TypeVar("Kind", bound=type[Policy])


def register(kind: Kind) -> Kind:
    """Make a policy of your own known by its name, everywhere that a name stands for a policy.

    In study files, `Sweep`, `compare`, `load` and the command line, within the program that has
    registered it. Returns the class, so that it can be used as a decorator.

    Parameters
    ----------
    kind : subclass of Policy
        With a `name` of its own. The same class again is fine; another class of a name that is
        taken is refused.

    Examples
    --------
    >>> import askless as al
    >>> @al.register
    ... class FirstArm(al.Uniform):
    ...     name = "first-arm"
    ...     def _decide(self, z, mask, number):
    ...         return al.Decision(int(mask.argmax()), mask.astype(float))
    >>> study = al.Study(al.Survey.unit(1), (al.Arm("a"), al.Arm("b")), al.RewardRange(0, 1),
    ...                  policy="first-arm")
    >>> al.policy_for(study).play([1, 0.5])
    0
    """
    _check_kind(kind, shown(kind))
    name = check_name(kind.name, f"the policy {kind.__qualname__}")
    if ":" in name:
        raise SettingError(f"the policy's name is {name!r}; leave out the ':', as in module:Class")
    _check_taken(kind)
    POLICIES[name] = kind
    KNOWN[name] = described(kind, name)
    return kind


def policy_class(name: str, *, beside: Iterable[str] = ()) -> type[Policy]:
    """Return the class that a name stands for: that of a known policy, or `module:Class`.

    `beside` are names that the caller knows besides, for the list of those there are.

    >>> policy_class("ridge").__name__, policy_class("askless:OFUL").__name__
    ('RidgeSurveyUCB', 'OFUL')
    """
    if not isinstance(name, str):
        raise SettingError(f"the name of a policy is {shown(name)}; give a text such as 'epoch'")
    if ":" in name:
        return _imported(name)
    if name not in POLICIES:
        known = list(dict.fromkeys([*beside, *POLICIES]))
        every = (
            f"; choose {', '.join(known)}; or one of your own, as module:Class or by its name after"
            " askless.register"
        )
        raise SettingError(f"there is no policy {name!r}{near(name, known) or every}")
    return POLICIES[name]


def _imported(name: str) -> type[Policy]:
    """Import the class that `module:Class` names."""
    module_name, _, path = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), *path.split("."))):
        raise SettingError(f"{name!r} names no class; write it as module:Class")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # whatever a module of one's own does
        raise SettingError(
            f"policy {name!r}: the module {module_name!r} cannot be imported:"
            f" {type(error).__name__}: {error}"
        ) from error
    found: Any = module
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is None:
        there = [
            thing.__qualname__
            for thing in vars(module).values()
            if inspect.isclass(thing) and issubclass(thing, Policy) and thing is not Policy
        ]
        where = getattr(module, "__file__", None) or module_name
        raise SettingError(
            f"policy {name!r}: {where} has no class {path!r}"
            + (meant(path, there, "its policies are") if there else "")
        )
    _check_kind(found, f"policy {name!r}")
    kind: type[Policy] = found
    _check_taken(kind)
    return kind


def _check_taken(kind: type[Policy]) -> None:
    """Refuse a class whose name is that of another one: a saved state would be taken for it."""
    known = POLICIES.get(kind.name)
    if known is not None and _home(known) != _home(kind):
        raise SettingError(
            f"the name {kind.name!r} is taken by {known.__module__}.{known.__qualname__}; give"
            f" {kind.__qualname__} another `name`"
        )


def _check_kind(kind: Any, what: str) -> None:
    """Refuse what is no class of policies that can be made, saved and told from others."""
    if not inspect.isclass(kind) or not issubclass(kind, Policy):
        raise SettingError(f"{what} is no subclass of askless.Policy")
    if inspect.isabstract(kind):
        missing = ", ".join(sorted(kind.__abstractmethods__))
        raise SettingError(f"{what} cannot be made: it lacks {missing}")
    if not isinstance(vars(kind).get("name"), str):
        raise SettingError(f'{what} has no name of its own; give it one: name = "my-policy"')


def _home(kind: type[Policy]) -> tuple[str, str]:
    """Return where a class is written; a script imported a second time is the same place."""
    module = sys.modules.get(kind.__module__)
    return getattr(module, "__file__", None) or kind.__module__, kind.__qualname__


def policy_for(study: Study) -> Policy:
    """Return the policy that a study describes, ready for its first visit.

    Examples
    --------
    >>> import askless as al
    >>> study = al.Study(al.Survey.unit(3), (al.Arm("a"), al.Arm("b")), al.RewardRange(0, 1),
    ...                  policy="ridge", settings={"beta_min": 0.2})
    >>> al.policy_for(study).asked_now()
    ('x1', 'x2', 'x3')
    """
    check_study(study)
    try:
        kind = policy_class(study.policy)
        if study.policy not in KNOWN:  # else its section was checked as the file was read
            study.check_policy(described(kind, study.policy))
        return build_policy(kind, study, study.settings, study.policy)
    except StudyError:
        raise
    except AsklessError as error:
        raise study.refusal(error) from error.__cause__


def policy_of(
    settings: Mapping[str, Any], world: Basis, *, kind: type[Policy] | None = None
) -> Policy:
    """Return a policy by its `name` and settings, for an environment.

    Parameters
    ----------
    settings : mapping
        The policy's name and its settings.
    world : environment
        Whose survey, arms and reward it gets; `target` also its coefficients.
    kind : type of Policy, optional
        The class that the name stands for, where the name is not known: on another machine.
    """
    given = dict(settings)
    name = given.pop("name", None)
    kind = policy_class(name) if kind is None else kind
    if issubclass(kind, Target) and hasattr(world, "coefficients"):
        given["coefficients"] = world.coefficients
    return build_policy(kind, world, given, str(name))


def as_policy(given: Policy | str | Mapping[str, Any], world: Basis) -> Policy:
    """Return a policy as it is, or make one for an environment, by its name or settings."""
    if isinstance(given, Policy):
        return given
    if isinstance(given, Study):
        raise SettingError("policy is a study; give al.policy_for(study), the policy that it says")
    if isinstance(given, str):
        given = {"name": given}
    if not isinstance(given, Mapping) or "name" not in given:
        raise SettingError(
            f"policy is {shown(given, 200)}; give a policy, the name of one, or a mapping with its"
            " name and settings"
        )
    return policy_of(given, world)


def load(path: str | Path, *, kind: type[Policy] | None = None) -> Policy:
    """Read a policy that `Policy.save` wrote; no code is imported that the file names.

    Parameters
    ----------
    path : str or Path
        The file.
    kind : type of Policy, optional
        The class, where the policy is one of your own and not registered.

    Examples
    --------
    >>> import tempfile, pathlib, askless as al
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "state.json"
    >>> policy = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    >>> policy.learn_row(0, [1, 0.25, -0.5], 0.75)
    >>> policy.save(path)
    >>> al.load(path).rows
    array([1, 0])
    """
    content = read_state(path)
    name = content.get("policy")
    given, kind = kind, kind or POLICIES.get(str(name))
    if given is not None and given.name != name:
        raise StateError(
            f"{path}: the file holds a policy {name!r}, and kind= is {given.name!r}; leave it out"
            " or give the class that was saved"
        )
    if kind is None:
        raise StateError(
            f"{path}: the file holds a policy {name!r}; give its class as kind=, or make it known"
            " with askless.register; on the command line, name it in the study file, as"
            " module:Class"
        )
    try:
        return kind.from_dict(content)
    except StateError as error:
        raise StateError(f"{path}: the file is damaged: {error}") from None
