"""check_policy: play a policy through everything that askless promises of it."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from askless.checks.respondents import Respondents
from askless.errors import AsklessError, ContractError, SettingError, VisitError
from askless.policies import Decision, Policy, Visit
from askless.survey.question import Answer

__all__ = ["check_policy"]


def check_policy(policy: Policy, *, visits: int = 60, seed: int = 0) -> None:
    """Check that a policy keeps the contract; the policy itself is not changed.

    Parameters
    ----------
    policy : Policy
        One of ours, or an instance of your own subclass of `Policy`.
    visits : int
        How many simulated visits each check plays.
    seed : int
        Seed of the simulated answers and rewards.

    Raises
    ------
    ContractError
        Says which promise is broken.

    Examples
    --------
    >>> import askless as al
    >>> al.check_policy(al.Uniform(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1)))
    """
    if not isinstance(policy, Policy):
        raise ContractError(f"{policy!r} is not a policy; give an instance of a Policy")
    for check in CHECKS:
        try:
            check(copy.deepcopy(policy), Respondents(policy, visits, seed))
        except AsklessError:
            raise
        except Exception as error:
            promise = (check.__doc__ or "").rstrip(".")
            raise ContractError(
                f"broken promise: {promise}; it failed with {type(error).__name__}: {error}"
            ) from error


def check_description(policy: Policy, respondents: Respondents) -> None:
    """A policy has a name, says its settings, and has supports and decisions of the right shape."""
    require(isinstance(getattr(policy, "name", None), str), "has a `name`")
    given = set(inspect.signature(type(policy).__init__).parameters)
    settings = given - {"self", "survey", "arms", "reward", "args", "kwargs"}
    require(settings <= set(policy.to_dict()["settings"]), f"says its settings {sorted(settings)}")
    support = policy._support()
    shaped = isinstance(support, np.ndarray) and support.dtype == bool
    shape = (len(policy.arms), len(policy.survey))
    require(shaped and support.shape == shape, f"has a support of booleans of shape {shape}")
    answers, _ = next(iter(respondents))
    decision = policy._decide(policy.encode(answers), policy.roster.live, 0)
    require(isinstance(decision, Decision), "returns a Decision from `_decide`")
    require(0 <= decision.arm < len(policy.arms), "decides for an arm that is there")
    require(np.shape(decision.scores) == (len(policy.arms),), "scores every arm")


def check_batch(policy: Policy, respondents: Respondents) -> None:
    """Rows learned as a batch are learned as one by one."""
    single = copy.deepcopy(policy)
    rows = [(policy.encode(answers), reward) for answers, reward in respondents]
    arms = [i % len(policy.arms) for i in range(len(rows))]
    policy.learn_rows(arms, [z for z, _ in rows], [reward for _, reward in rows])
    for arm, (z, reward) in zip(arms, rows, strict=True):
        single.learn_row(arm, z, reward)
    require(single.to_dict() == policy.to_dict(), "learns a batch as one by one")


def check_visit(policy: Policy, respondents: Respondents) -> None:
    """A visit asks questions of the survey, each once, and then plays a live arm."""
    order = policy.survey.names
    for answers, reward in respondents:
        visit = policy.visit()
        while asks := visit.asks:
            require(asks == tuple(q for q in order if q in asks), "asks in the order of the survey")
            require(not set(asks) & set(visit.answers), "asks nothing twice")
            with refused(VisitError, "has no arm before it is decided"):
                _ = visit.arm
            visit.answer({q: answers[q] for q in asks})
        everyone = {q.name for q in policy.survey if q.always_ask}
        require(everyone <= set(visit.asked), "asks everyone what is marked always_ask")
        require(visit.arm in policy.live_arms, "plays a live arm")
        policy.learn(visit, reward)


def check_one_by_one(policy: Policy, respondents: Respondents) -> None:
    """Answers given one by one, in any order, lead to the same arm as all at once."""
    for answers, reward in respondents:
        one_by_one, at_once = copy.deepcopy(policy).visit(), policy.visit()
        fill(at_once, answers)
        while asks := one_by_one.asks:
            one_by_one.answer({asks[-1]: answers[asks[-1]]})
        require(at_once.arm == one_by_one.arm, "decides by the answers, not by their order")
        policy.learn(at_once, reward)


def check_resumed(policy: Policy, respondents: Respondents) -> None:
    """A visit put away as JSON after every answer goes on as one that was not."""
    for answers, reward in respondents:
        parted, whole = copy.deepcopy(policy).visit(), policy.visit()
        fill(whole, answers)
        given = {}
        while asks := parted.asks:
            given[asks[0]] = answers[asks[0]]
            parted.answer({asks[0]: answers[asks[0]]})
            parted = policy.visit(json.loads(json.dumps(parted.to_dict())))
            require(parted.answers == given, "keeps the answers of a resumed visit")
        require(whole.arm == parted.arm, "plays the same arm in a resumed visit")
        policy.learn(parted, reward)


def check_looking(policy: Policy, respondents: Respondents) -> None:
    """Looking changes nothing: the same state and answers give the same asks and arm."""
    for answers, reward in respondents:
        visit = policy.visit()
        before = policy.to_dict()
        first = (visit.asks, policy.asked_now(), policy.play(policy.encode(answers)))
        visit.explain()
        second = (visit.asks, policy.asked_now(), policy.play(policy.encode(answers)))
        require(first == second, "gives the same asks and arm when looked at twice")
        require(policy.to_dict() == before, "keeps its state when it is looked at")
        fill(visit, answers)
        policy.learn(visit, reward)


def check_refusals(policy: Policy, respondents: Respondents) -> None:
    """What is refused leaves no trace."""
    for answers, reward in respondents.first(5):
        visit = policy.visit()
        before = (policy.to_dict(), visit.to_dict())
        above = policy.reward.high + policy.reward.span
        if visit.asks:
            before = (policy.to_dict(), visit.to_dict())
            with refused(AsklessError, "refuses to learn a visit that is not decided"):
                policy.learn(visit, reward)
            with refused(AsklessError, "refuses an answer to a question that is not there"):
                visit.answer({visit.asks[0]: answers[visit.asks[0]], "": 1})
            with refused(AsklessError, "refuses an answer that does not fit its question"):
                visit.answer({visit.asks[0]: float("nan")})
            require((policy.to_dict(), visit.to_dict()) == before, "forgets what it refused")
        fill(visit, answers)
        before = (policy.to_dict(), visit.to_dict())
        for wrong in (above, float("nan"), float("inf")):
            with refused(AsklessError, f"refuses the reward {wrong}"):
                policy.learn(visit, wrong)
        require((policy.to_dict(), visit.to_dict()) == before, "forgets the reward it refused")
        policy.learn(visit, reward)
        before = (policy.to_dict(), visit.to_dict())
        policy.learn(visit, reward)
        other = policy.reward.low if reward != policy.reward.low else policy.reward.high
        with refused(AsklessError, "refuses another reward for a visit that was learned"):
            policy.learn(visit, other)
        require((policy.to_dict(), visit.to_dict()) == before, "learns a visit at most once")


def check_supports(policy: Policy, respondents: Respondents) -> None:
    """Supports never grow, other arms do not change, and no visit asks more than it promised."""
    early = policy.visit()
    promised = set(policy.asked_now())
    for answers, reward in respondents:
        support, arms = policy.support, policy.to_dict()["state"].get("arms")
        visit = policy.visit()
        fill(visit, answers)
        policy.learn(visit, reward)
        after = policy.support
        require(not (after & ~support).any(), "lets supports shrink only")
        others = np.arange(len(policy.arms)) != visit.arm_index
        require(bool((after[others] == support[others]).all()), "changes only the arm played")
        if arms is not None:
            now = policy.to_dict()["state"]["arms"]
            same = all(arms[k] == now[k] for k in np.flatnonzero(others))
            require(same, "keeps the state of arms that were not played")
        require(set(early.asks) <= promised, "never asks more than a visit promised at its start")


def check_unused(policy: Policy, respondents: Respondents) -> None:
    """Columns outside an arm's support never enter its model."""
    for answers, reward in respondents:
        arm = policy.play(policy.encode(answers))
        used = policy.support[arm]
        row = policy.encode({q: answers[q] for q, use in zip(answers, used, strict=True) if use})
        sparse = copy.deepcopy(policy)
        sparse.learn_row(arm, row, reward)
        policy.learn_row(arm, policy.encode(answers), reward)
        same = sparse.to_dict()["state"] == policy.to_dict()["state"]
        require(same, "learns only from the questions in the arm's support")


def check_arms(policy: Policy, respondents: Respondents) -> None:
    """Only eligible arms are played; a retired arm is neither asked for nor played."""
    for answers, _ in respondents.first(10):
        for arm in policy.live_arms:
            visit = policy.visit(arms=[arm])
            fill(visit, answers)
            require(visit.arm == arm, "plays an eligible arm")
    with refused(AsklessError, "refuses a visit without an eligible arm"):
        policy.visit(arms=[])
    if len(policy.live_arms) > 1:
        gone = policy.live_arms[0]
        policy.retire_arm(gone)
        for answers, reward in respondents:
            visit = policy.visit()
            fill(visit, answers)
            require(visit.arm != gone, "never plays a retired arm")
            policy.learn(visit, reward)
    before, support, waiting = policy.to_dict(), policy.support, policy.visit()
    try:
        policy.add_arm("an arm added by check_policy")
    except SettingError:
        before["counters"]["next_number"] += 1  # the waiting visit took one
        require(policy.to_dict() == before, "keeps its state when it refuses an arm")
        return
    same = bool((policy.support[:-1] == support).all())
    require(same, "changes no other arm when one is added")
    fill(waiting, next(iter(respondents))[0])
    added = policy.arms[-1]
    require(waiting.arm != added, "decides a visit among the arms there were when it started")
    for answers, reward in respondents:
        visit = policy.visit(arms=[added])
        fill(visit, answers)
        policy.learn(visit, reward)
        policy.play(policy.encode(answers))


def check_saved(policy: Policy, respondents: Respondents) -> None:
    """A policy and its copy from JSON have the same state and the same future."""
    for answers, reward in respondents.first(20):
        visit = policy.visit()
        fill(visit, answers)
        policy.learn(visit, reward)
    copied = type(policy).from_dict(json.loads(json.dumps(policy.to_dict(), allow_nan=False)))
    for answers, reward in respondents:
        require(copied.to_dict() == policy.to_dict(), "has the same state after saving and loading")
        visits = policy.visit(), copied.visit()
        require(visits[0].asks == visits[1].asks, "asks the same after saving and loading")
        for visit, owner in zip(visits, (policy, copied), strict=True):
            fill(visit, answers)
            owner.learn(visit, reward)
        require(visits[0].arm == visits[1].arm, "plays the same after saving and loading")


def check_arrays(policy: Policy, respondents: Respondents) -> None:
    """The array door and visits give the same arms, and a row that is not complete is refused."""
    for answers, reward in respondents:
        z = policy.encode(answers)
        arm = policy.play(z)
        visit = policy.visit()
        fill(visit, answers)
        require(arm == visit.arm_index, "plays the same through arrays as in a visit")
        policy.learn(visit, reward)
    for question in policy.survey:
        if policy.support[policy.roster.live, policy.survey.index(question.name)].any():
            z = policy.encode(next(iter(respondents))[0])
            z[policy.survey.columns_of(question.name)] = np.nan
            with refused(AsklessError, f"refuses a context without {question.name!r}"):
                policy.play(z)


CHECKS: tuple[Callable[[Policy, Respondents], None], ...] = (
    check_description,
    check_batch,
    check_visit,
    check_one_by_one,
    check_resumed,
    check_looking,
    check_refusals,
    check_supports,
    check_unused,
    check_arms,
    check_saved,
    check_arrays,
)


def fill(visit: Visit, answers: Mapping[str, Answer]) -> None:
    """Answer everything that a visit asks."""
    while asks := visit.asks:
        visit.answer({q: answers[q] for q in asks})


def require(kept: bool, promise: str) -> None:
    """Raise where a promise is not kept."""
    if not kept:
        raise ContractError(f"broken promise: a policy {promise}")


@contextmanager
def refused(kind: type[AsklessError], promise: str) -> Iterator[None]:
    """Raise unless the block is refused with an error of this kind."""
    try:
        yield
    except ContractError:
        raise
    except kind:
        return
    raise ContractError(f"broken promise: a policy {promise}")
