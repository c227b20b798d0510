"""One visit in numbers: what it asks next, or which arm it plays, as a pure function.

Visits and simulations both go through here; nothing is remembered but what a visit carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askless.core.arrays import Flags, Floats, some
from askless.errors import VisitError, shown
from askless.policies.decision import Asked, Decision
from askless.policies.hooks import Hooks, VisitKind, broken
from askless.survey.question import Answer
from askless.whole import is_whole

__all__ = [
    "Start",
    "Step",
    "answering",
    "answers_of",
    "are_flags",
    "begin",
    "first_known",
    "given",
    "opened",
    "opening",
    "step",
]


class Start(NamedTuple):
    """What is fixed when a visit starts, and travels with it.

    Where arms have rules, the questions of these come first, and nothing more is fixed before they
    are answered than which arms and questions there are at most: its `kind` is None until then.
    """

    number: int
    kind: str | None
    eligible: Flags  # the arms that there were and that the person may get
    promised: Flags  # the questions that it may ask at most


class Step(NamedTuple):
    """What a visit does now: it asks, or it has an arm."""

    asks: Flags
    may: Flags  # the arms that it may play
    possible: Flags  # those that can still win
    by: Hooks  # who asks and decides
    winner: int  # the arm before one is drawn; -1 while questions are open
    decision: Decision | None


def begin(policy: Hooks, number: int, eligible: Flags, kind: str | None = None) -> Start:
    """Start a visit that may get the arms in `eligible`, which are live; its kind may be given."""
    if kind is None:
        kind = policy._kind(eligible if policy.trusted else eligible.copy(), number)
    hooks = policy._of_kind(kind)
    if not policy.trusted:
        if not isinstance(kind, str):
            raise broken(f"names the kind of a visit; {shown(kind)} is no name", "_kind")
        if not isinstance(hooks, Hooks):
            raise broken(f"says who answers for {kind!r} visits; {shown(hooks)} cannot", "_of_kind")
    may_ask = hooks._may_ask(eligible if hooks.trusted else eligible.copy())
    if not hooks.trusted and not are_flags(may_ask, len(policy.survey)):
        raise broken(f"says what it may ask; {shown(may_ask)} does not", "_may_ask")
    if policy.survey.asks_everyone:
        may_ask = may_ask | policy.survey.asked_of_everyone
    return Start(number, kind, eligible, may_ask)


def opening(policy: Hooks, number: int, eligible: Flags) -> Start:
    """Start a visit of a policy whose arms have rules; `eligible` are live, whatever is answered.

    Who may get which arm belongs before the kind, which looks at the arms: visits and simulations
    would differ otherwise.
    """
    may_ask = policy._may_ask(given(policy, eligible))
    if not policy.trusted:
        count = len(policy.survey)
        if not are_flags(may_ask, count):
            raise broken(f"says what it may ask; {shown(may_ask)} does not", "_may_ask")
        if type(policy)._of_kind is not Hooks._of_kind:  # another kind may ask anything
            may_ask = np.ones(count, dtype=bool)
    return Start(number, None, eligible, may_ask | policy.survey.asked_of_everyone)


def opened(
    policy: Hooks, first: Start, now: Start, answers: Mapping[str, Answer], put: Flags
) -> Start:
    """Return the start of a visit by what is answered: `first`, its opening, or one with a kind.

    The kind is that of `now` unless the arms have changed, as they do when an answer is revised;
    what has been `put` stays promised.
    """
    roster, survey = policy.roster, policy.survey
    rules = roster.rules
    assert rules is not None  # else it has no opening
    if now.kind is None and any(q not in answers for q in survey.names_of(rules.questions)):
        return first
    offered = roster.playable(first.eligible)
    mask = offered & rules.open_to(answers)
    if not mask.any():
        could = ", ".join(roster.names_of(offered))
        raise VisitError(
            f"these answers satisfy the rule of no arm that this visit could play ({could}); the"
            " visit is as before: end it, or start one with other arms"
        )
    if now.kind is not None and (roster.padded(now.eligible) & roster.live == mask).all():
        return now
    start = begin(policy, first.number, mask)
    return start._replace(promised=(start.promised & first.promised) | put)


def first_known(policy: Hooks, z: Floats) -> Floats:
    """Return what is known of a person when the kind of the visit is drawn: what rules need."""
    known = policy.survey.nothing_known()
    if policy.roster.rules is not None:
        columns = policy.roster.rules.questions[policy.survey.owner]
        known[1:][columns] = z[1:][columns]
    return known


def answers_of(policy: Hooks, z: Floats) -> dict[str, Answer]:
    """Return what someone answers whose context this is."""
    rules = policy.roster.rules
    return policy.survey.decode(z) if rules is None else rules.decode(z)


def given(hooks: Hooks, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as hooks get it: a copy, to change and keep, but for our own."""
    return array if hooks.trusted else array.copy()


def answering(policy: Hooks, kind: str | None, promised: Flags) -> Hooks:
    """Return who asks, decides and learns a visit of a kind that has promised so much."""
    if kind is None or (policy.trusted and kind == "full"):
        return policy
    hooks = policy._of_kind(kind)
    if isinstance(hooks, VisitKind):
        hooks.promised = promised
    return hooks


def step(policy: Hooks, start: Start, z: Floats) -> Step:
    """Say what a visit asks now, given what is known of it, or decide its arm."""
    mask = policy.roster.playable(start.eligible)
    if start.kind is None:
        rules = policy.roster.rules
        assert rules is not None  # else it has a kind
        asks = rules.questions & policy.survey.open_questions(z)
        return Step(asks, mask, mask.copy(), policy, -1, None)
    hooks = answering(policy, start.kind, start.promised)
    if hooks.trusted:
        asked = hooks._ask(z, mask, start.number)
    else:
        asked = hooks._ask(z.copy(), mask.copy(), start.number)
        _check_asked(policy, asked, mask)
    asks, possible = asked.questions, asked.possible
    open_now = some(asks)
    if open_now and some(np.greater(asks, start.promised)):
        # What only arms need that came later is not its business.
        asks = asks & (
            start.promised | np.any([hooks._needs(int(k)) for k in np.flatnonzero(mask)], axis=0)
        )
        _check_promise(policy, asks & ~start.promised)
        open_now = some(asks)
    if not open_now and policy.survey.asks_everyone:
        asks = policy.survey.asked_of_everyone & policy.survey.open_questions(z)
        open_now = some(asks)
    if open_now:
        if not hooks.trusted and (asks & ~policy.survey.open_questions(z)).any():
            raise broken("asks nothing twice", "_ask")
        return Step(asks, mask, possible, hooks, -1, None)
    if asked.decided is not None and hooks.trusted:
        winner, decision = asked.decided
    elif hooks.trusted:
        winner = hooks._decide(z, possible, start.number)
        decision = hooks._drawn(winner, mask, start.number)
    else:
        winner, decision = _decided(policy, hooks, z, mask, possible, start.number)
    return Step(asks, mask, possible, hooks, winner.arm, decision)


def _decided(
    policy: Hooks, hooks: Hooks, z: Floats, mask: Flags, possible: Flags, number: int
) -> tuple[Decision, Decision]:
    """Let hooks that are not ours decide, and check what they say."""
    winner = hooks._decide(z.copy(), possible.copy(), number)
    _check_decision(policy, winner, possible, "_decide")
    _check_scores(winner, possible)
    decision = hooks._drawn(winner, mask.copy(), number)
    if decision is not winner:
        _check_decision(policy, decision, mask, "_drawn")
    return winner, decision


def _check_asked(policy: Hooks, asked: Asked, mask: Flags) -> None:
    if (
        not isinstance(asked, Asked)
        or not are_flags(asked.questions, len(policy.survey))
        or not are_flags(asked.possible, len(policy.roster))
    ):
        raise broken(f"says what to ask; {shown(asked)} does not", "_ask")
    if (asked.possible & ~mask).any() or not asked.possible.any():
        raise broken(
            f"lets some arms win that the visit may get, and no others; {asked.possible} does not",
            "_ask",
        )


def are_flags(flags: object, count: int) -> bool:
    """Whether this is an array of so many booleans."""
    return isinstance(flags, np.ndarray) and flags.dtype == bool and flags.shape == (count,)


def _check_promise(policy: Hooks, stray: Flags) -> None:
    """Refuse to ask what a visit has not promised."""
    if stray.any():
        raise VisitError(
            f"this policy's state still uses {', '.join(policy.survey.names_of(stray))}, which the"
            " visit's own no longer did; load the newest state"
        )


def _check_decision(policy: Hooks, decision: Decision, mask: Flags, hook: str) -> None:
    if not isinstance(decision, Decision):
        raise broken(f"returns a Decision; {shown(decision)} is none", hook)
    count, arm = len(policy.roster), decision.arm
    if not is_whole(arm) or not 0 <= arm < count or not mask[arm]:
        raise broken(f"decides for an arm that the visit may get; {shown(arm)} is none", hook)
    if not _are_numbers(decision.scores, count):
        raise broken(
            f"scores every arm, in an array of numbers; {shown(decision.scores)} is none", hook
        )
    chances = decision.propensities
    if chances is not None and not (
        _are_numbers(chances, count)
        and np.min(chances) >= 0
        and abs(np.sum(chances) - 1) < 1e-9
        and chances[arm] > 0
        and not chances[~mask].any()
    ):
        raise broken(
            "gives propensities of all arms that sum to 1, a positive one to the arm played, 0 to"
            f" those that the visit may not get; {shown(chances)} does not",
            hook,
        )


def _check_scores(decision: Decision, mask: Flags) -> None:
    """Refuse arms that are compared by what nobody knows; `argmax` takes a NaN for the largest."""
    if np.isnan(decision.scores[mask]).any():
        raise broken(
            f"scores arms by what it has asked; {shown(decision.scores)} has NaN for an arm that"
            " can win, as `z` has for what was not asked",
            "_decide",
        )


def _are_numbers(values: object, count: int) -> bool:
    return (
        isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and values.shape == (count,)
    )
