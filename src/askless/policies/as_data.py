"""A policy as plain data for JSON, and back: its arms, its counts, what it has learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from askless.errors import StateError, shown
from askless.policies.numbers import Numbers
from askless.survey import Arm, Survey

if TYPE_CHECKING:
    from askless.policies.base import Policy

__all__ = ["Correction", "data_of", "policy_from"]

# What reading a state runs into that is damaged in ways that nobody has thought of.
DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)


class Correction(NamedTuple):
    """How a visit was last learned that has been unlearned: copies of it may not know."""

    reward: float | None  # None: it has not been learned again
    learned_in: int | None


def data_of(policy: Policy) -> dict[str, Any]:
    """Return a policy as plain data; what people read comes first, what it has learned last."""
    roster, corrected = policy.roster, policy._corrected.items()
    return {
        "policy": type(policy).name,
        "survey": policy.survey.to_dict(),
        "arms": [_arm_data(arm) for arm in roster.arms],
        "arms_at_start": roster.at_start,
        "live": roster.live.tolist(),
        "reward": [policy.reward.low, policy.reward.high],
        "settings": policy._settings(),
        "counters": {"version": policy._version, "next_number": policy._next_number},
        "learned": policy._learned.to_data(),
        "corrected": {str(number): list(last) for number, last in corrected},
        "state": policy._state(),
    }


def _arm_data(arm: Arm) -> dict[str, str]:
    rule = {} if arm.eligible_if is None else {"eligible_if": arm.eligible_if}
    return {"name": arm.name, "text": arm.text, **rule}


def policy_from(kind: type[Policy], data: Mapping[str, Any]) -> Policy:
    """Build the policy that `data_of` described; whatever is wrong is one StateError."""
    try:
        if data["policy"] != kind.name:
            raise StateError(f"it is of a policy {shown(data['policy'])}, not of {kind.name!r}")
        policy = _built(kind, data)
        _fill(policy, data)
    except StateError:
        raise
    except DAMAGE as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise StateError(f"the state is damaged: {what}") from None
    return policy


def _built(kind: type[Policy], data: Mapping[str, Any]) -> Policy:
    """Build a policy with its survey, arms and settings; it has learned nothing."""
    arms = [Arm(arm["name"], arm["text"], arm.get("eligible_if")) for arm in data["arms"]]
    start, live = data["arms_at_start"], data["live"]
    if type(start) is not int or not 1 <= start <= len(arms):
        raise StateError("its count of arms cannot be")
    if not isinstance(live, list) or len(live) != len(arms) or not any(live):
        raise StateError("it does not say which of its arms are live")
    if not all(type(flag) is bool for flag in live):
        raise StateError("it does not say of each arm whether it is live")
    survey, reward = Survey.from_dict(data["survey"]), tuple(data["reward"])
    policy = kind(survey, arms=arms[:start], reward=reward, **data["settings"])
    for arm in arms[start:]:
        policy.add_arm(arm)
    policy.roster.live = np.array(live)
    return policy


def _fill(policy: Policy, data: Mapping[str, Any]) -> None:
    """Put into a policy what it has counted and learned."""
    counters = [data["counters"][name] for name in ("version", "next_number")]
    whole = all(type(number) is int for number in counters)
    if not whole or not 0 <= min(counters) <= max(counters) < 2**63:
        raise StateError("its counts of changes or visits cannot be")
    policy._version, policy._next_number = counters
    policy._learned = Numbers.from_data(data["learned"])
    if policy._learned.last >= policy._next_number:
        raise StateError("it has learned a visit whose number is still to be given")
    if len(policy._learned) > policy._version:  # each of them was a change
        raise StateError("it has learned more visits than it has changed")
    for written, (reward, learned_in) in data["corrected"].items():
        number = _corrected(policy, written, reward, learned_in)
        policy._corrected[number] = Correction(reward, learned_in)
    policy._restore(data["state"])


def _corrected(policy: Policy, written: str, reward: Any, learned_in: Any) -> int:
    """Return the number of a visit that has been corrected; refuse what cannot have been."""
    number = int(written) if written.isdecimal() else -1
    if str(number) != written or (number in policy._learned) != (reward is not None):
        raise StateError(f"visit {shown(written)} cannot have been corrected as it says")
    if reward is not None:
        if type(reward) not in (int, float):
            raise StateError(f"visit {number} has the reward {shown(reward)}")
        policy.reward.check(reward)
    if learned_in is not None and (type(learned_in) is not int or learned_in < 0):
        raise StateError(f"visit {number} was learned in block {shown(learned_in)}")
    return number
