"""What an algorithm fills in: the hooks of a policy, in one table, and the stream it draws from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from askless.core.arrays import Flags, Floats, Ints
from askless.errors import ContractError
from askless.policies.decision import Asked, Decision, Reach
from askless.policies.described import settings_of
from askless.survey.setting import SEED

if TYPE_CHECKING:
    from askless.policies.player import Player
    from askless.policies.roster import Roster
    from askless.survey import Survey

__all__ = ["HOOKS", "Hooks", "VisitKind", "broken", "plays_as_compiled"]

# Every hook with what it returns: contract errors and docs/own-policy.md say it in these words.
HOOKS = {
    "_decide": "an askless.Decision: the index of an arm in `mask`, a score for every arm and,"
    " where arms are drawn, the propensities of all arms",
    "_may_ask": "a numpy array of bool, one a question: what a visit that may get the arms in"
    " `mask` may be asked at most",
    "_needs": "a numpy array of bool, one a question: what must be known of a visit that this arm"
    " learns",
    "_ask": "an askless.Asked: booleans, one a question, of what to put now (none once the arm can"
    " be decided), and booleans, one an arm, of the arms that can still win",
    "_kind": "a text: which kind of visit starts now; it travels with the visit",
    "_of_kind": "the policy, or an askless.VisitKind: who asks, decides and learns visits of this"
    " kind",
    "_drawn": "an askless.Decision: the one given, or another where the visit's arm is drawn",
    "_learn": "nothing; it learns every row, in their order",
    "_grow": "nothing; it makes room for one more arm, which is about to be added",
    "_state": "what has been learned as plain data for JSON; with a list `arms`, one entry an arm,"
    " where arms are learned apart",
    "_restore": "nothing; it takes back what `_state` returned",
    "_settings": "a dict of the constructor's keywords beyond survey, arms and reward",
    "_outlook": "None, or expected rewards and scores (2 × K), NaN where answers are missing",
    "_reach": "None, or an askless.policies.decision.Reach: how high the arms can still get",
    "_player": "None, or a player: a compiled loop that plays visits as the policy does",
}


def broken(promise: str, hook: str | None = None) -> ContractError:
    """Return the error of a broken promise; it says which hook to define, and what it returns."""
    remedy = f"; define `{hook}`, returning {HOOKS[hook]}" if hook else ""
    return ContractError(f"broken promise: a policy {promise}{remedy}")


class Key(ISeedSequence):
    """The key of a stream, as it is; Philox(key=…) draws entropy first, which takes far longer."""

    def __init__(self, seed: int, stream: int) -> None:
        self.words = np.array([seed, stream], dtype=np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:  # noqa: ARG002
        """Return the two words that Philox asks for."""
        return self.words


class Hooks(ABC):
    """The hooks of a policy with what they do unless they are defined, and its random stream."""

    survey: Survey
    roster: Roster
    trusted: bool = False  # whether its hooks are ours as they stand: what they say is not checked
    seed: int = 0  # of its draws
    _stream: int = 0  # which run it is in: a simulation gives every run its own

    @abstractmethod
    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        """Choose among the arms in `mask`; `z` has NaN where nothing is known."""

    def _may_ask(self, mask: Flags) -> Flags:  # noqa: ARG002
        """Say what a visit that may get the arms in `mask` may be asked: everything."""
        return np.ones(len(self.survey), dtype=bool)

    def _needs(self, arm: int) -> Flags:
        """Say what must be known for an arm to learn a visit: what may be asked for it alone."""
        return self._may_ask(np.arange(len(self.roster)) == arm)

    def _ask(self, z: Floats, mask: Flags, number: int) -> Asked:  # noqa: ARG002
        """Say what to ask next, given what is known: everything that may be asked, at once."""
        wanted = self._may_ask(mask) | self.survey.asked_of_everyone
        return Asked(wanted & self.survey.open_questions(z), np.array(mask))

    def _kind(self, mask: Flags, number: int) -> str:  # noqa: ARG002
        """Say of which kind a visit is that starts now."""
        return "full"

    def _of_kind(self, kind: str) -> Hooks:  # noqa: ARG002
        """Return who answers for visits of a kind: the policy itself, unless it has several."""
        return self

    def _drawn(self, decision: Decision, mask: Flags, number: int) -> Decision:  # noqa: ARG002
        """Return the decision, or another one where the visit's arm is drawn among `mask`."""
        return decision

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        """Learn checked rows; `ys` are rewards in units of the range, on the grid (maths 1.3)."""

    def _grow(self) -> None:
        """Make room for one more arm, which is about to be added."""

    def _state(self) -> dict[str, Any]:
        """Return what has been learned as plain data; also refresh it, if it drifts."""
        return {}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `_state` returned."""

    def _settings(self) -> dict[str, Any]:
        """Return the keywords of the constructor beyond survey, arms and reward: those described.

        Each as the attribute of its name has it.
        """
        taken = settings_of(type(self))
        names = [name for name in taken if taken[name].setting and hasattr(self, name)]
        return {name: getattr(self, name) for name in names}

    def _outlook(self, z: Floats) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """Return each arm's expected reward and its score, if the policy has them."""
        return None

    def _reach(self, z: Floats, mask: Flags) -> Reach | None:  # noqa: ARG002
        """Say how high the arms can still get, if the policy knows."""
        return None

    def _player(self) -> Player | None:
        """Return a compiled loop, if the policy has one."""
        return None

    # -- random numbers --------------------------------------------------------------------------

    def rng(self, number: int) -> np.random.Generator:
        """Return the random numbers of a visit: the same ones whenever it is asked for them.

        They depend on the policy's `seed`, on the run of a simulation and on the visit's number,
        so that a visit that is resumed draws the same, and every run draws anew.
        Every call starts anew: two hooks that draw get the same numbers.
        """
        return np.random.Generator(np.random.Philox(self._key, counter=[0, number, 0, 0]))

    def coins(self, first: int, count: int) -> Floats:
        """Return four further numbers in [0, 1) for each of many visits at once (count × 4)."""
        # The last word of the counter keeps them apart from what `rng` gives.
        stream = np.random.Philox(self._key, counter=[first, 0, 0, 1])
        return np.random.Generator(stream).random((count, 4))

    @property
    def _key(self) -> Any:  # the stubs know no seed sequences but their own
        return Key(SEED.check(self.seed, "seed"), self._stream)

    # -- compiled loops --------------------------------------------------------------------------

    def player(self) -> Player | None:
        """Return a compiled loop that plays visits as this policy does; None if there is none.

        A subclass that overrides anything of the class that has the loop loses it: the loop would
        go on as its parent.
        """
        own = any(_does(value) and hasattr(type(self), name) for name, value in vars(self).items())
        return None if own or not plays_as_compiled(type(self)) else self._player()


class VisitKind(Hooks):
    """Who asks, decides and learns visits of one kind, for a policy that has several.

    Derive from it and return a new instance from `_of_kind`; `self.policy` is the policy, and
    `self.promised` what the visit promised to ask at most, None while it starts.

    Its hooks are those of a policy that are about one visit: `_decide(z, mask, number)`, which must
    be there, `_learn(played, rows, ys)`, which learns nothing unless it is, and `_may_ask(mask)`,
    `_needs(arm)`, `_ask(z, mask, number)`, `_drawn(decision, mask, number)`, `_outlook(z)` and
    `_reach(z, mask)`. What has been learned is the policy's, and so are `_state` and `_restore`.
    """

    promised: Flags | None = None

    def __init__(self, policy: Hooks) -> None:
        self.policy, self.survey, self.roster = policy, policy.survey, policy.roster

    def rng(self, number: int) -> np.random.Generator:
        """Return the random numbers of a visit: those of the policy."""
        return self.policy.rng(number)

    def coins(self, first: int, count: int) -> Floats:
        """Return four further numbers for each of many visits: those of the policy."""
        return self.policy.coins(first, count)


def plays_as_compiled(kind: type) -> bool:
    """Whether a class does in every way as the one whose compiled code it has inherited.

    Wherever it has something else from: its own body, a class in between, or a mixin beside.
    """
    owner = next(above for above in kind.__mro__ if "_player" in vars(above))
    for name in dir(owner):
        if not (name.startswith("__") and name.endswith("__")):
            mine, theirs = _found(kind, name), _found(owner, name)
            if mine is not theirs and (_does(mine) or _does(theirs)):
                return False
    return True


def _found(kind: type, name: str) -> Any:
    """Return an attribute of a class as it stands there, without asking it for its value."""
    # Ten times as fast as inspect.getattr_static, which minds metaclasses too.
    return next((vars(place)[name] for place in kind.__mro__ if name in vars(place)), None)


def _does(value: Any) -> bool:
    """Whether an attribute does something: a method, a property, a descriptor; not plain data."""
    return callable(value) or hasattr(type(value), "__get__")
