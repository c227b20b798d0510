"""Whether a policy describes itself, and its hooks return what they should."""

from __future__ import annotations

import difflib
import inspect
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from askless.checks.promises import require
from askless.checks.respondents import Respondents
from askless.errors import ContractError
from askless.policies import Decision, Policy
from askless.policies.building import settings_of
from askless.policies.decision import Reach
from askless.policies.hooks import HOOKS, Hooks, VisitKind
from askless.policies.passage import are_flags, begin

ALIKE = 0.8  # `_lern` and `_learn` are (8/9); `_needed` and `_needs` are not (10/13)


def check_hooks(policy: Policy, respondents: Respondents) -> None:  # noqa: ARG001
    """The hooks of a policy have the names and the arguments that they are called with."""
    _check_hooks(policy)
    kind = policy._kind(policy.roster.live.copy(), 0)
    hooks = policy._of_kind(kind) if isinstance(kind, str) else policy
    if isinstance(hooks, VisitKind):
        _check_hooks(hooks)


def _check_hooks(hooks: Hooks) -> None:
    for name in HOOKS:
        arguments = list(inspect.signature(getattr(Hooks, name)).parameters)[1:]
        own = inspect.signature(getattr(hooks, name))
        try:
            own.bind(*arguments)
        except TypeError:
            raise ContractError(
                f"broken promise: `{name}` of {type(hooks).__name__} takes {own}; it is called as"
                f" `{name}({', '.join(arguments)})`"
            ) from None
    own_names = vars(type(hooks))
    missing = [name for name in HOOKS if name not in own_names]
    for name, thing in own_names.items():
        if not inspect.isfunction(thing) or name in dir(Policy):
            continue
        # A method of one's own may be called nearly as a hook is; not with its arguments, too.
        for hook in difflib.get_close_matches(name, missing, n=1, cutoff=ALIKE):
            if _count(thing) == _count(getattr(Hooks, hook)):
                raise ContractError(
                    f"broken promise: `{name}` is no hook; did you mean `{hook}`? A method of your"
                    " own needs a name less like it"
                )


def _count(method: Callable[..., Any]) -> int:
    return len(inspect.signature(method).parameters)


def check_description(policy: Policy, respondents: Respondents) -> None:
    """A policy has a name, says its settings, and its hooks return what they should."""
    named = isinstance(vars(type(policy)).get("name"), str)
    require(named, "has a `name`, a text of its own class")
    said = policy._settings()
    require(isinstance(said, dict), "says its settings", "_settings")
    settings = set(settings_of(type(policy)))
    require(settings <= set(said), f"says its settings {sorted(settings)}", "_settings")
    require(is_data(said), "says its settings as plain data", "_settings")
    state = policy._state()
    require(isinstance(state, dict) and is_data(state), "says its state as plain data", "_state")
    live, count = policy.roster.live, len(policy.survey)
    may_ask = policy._may_ask(live.copy())
    require(are_flags(may_ask, count), "says what it may ask", "_may_ask")
    for k in range(len(policy.arms)):
        needs = policy._needs(k)
        require(are_flags(needs, count), "says what an arm needs", "_needs")
        own = policy._may_ask(np.arange(len(live)) == k)
        known = own | policy.survey.asked_of_everyone
        require(not (needs & ~known).any(), "may ask for an arm what that arm needs", "_needs")
    answers, _ = next(iter(respondents))
    z, nothing = policy.encode(answers), policy.survey.nothing_known()
    begin(policy, 0, live)
    require(
        isinstance(policy._decide(z.copy(), live.copy(), 0), Decision),
        "returns a Decision",
        "_decide",
    )
    outlook, reach = policy._outlook(z), policy._reach(nothing, live.copy())
    fits = outlook is None or np.shape(outlook) == (2, len(policy.arms))
    require(fits, "says its outlook in two rows", "_outlook")
    require(isinstance(reach, Reach | None), "says how high arms can get", "_reach")
    player = policy._player()
    fits = player is None or callable(getattr(player, "play", None))
    require(fits, "has a player that plays", "_player")


def is_data(data: object) -> bool:
    """Whether something is plain data, which JSON keeps as it is."""
    try:
        return bool(json.loads(json.dumps(data, allow_nan=False)) == data)
    except (TypeError, ValueError):
        return False
