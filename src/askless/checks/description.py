"""Whether a policy describes itself, and its hooks return what they should."""

from __future__ import annotations

import json

import numpy as np

from askless.checks.promises import require
from askless.checks.respondents import Respondents
from askless.policies import Decision, Policy
from askless.policies.building import settings_of
from askless.policies.decision import Reach
from askless.policies.passage import are_flags, begin


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
