"""check_policy: play a policy through everything that askless promises of it."""

from __future__ import annotations

import copy
import json
import traceback
from collections.abc import Callable

import numpy as np

from askless.checks.description import check_description, check_hooks, is_data
from askless.checks.draws import check_draws
from askless.checks.loops import check_loop
from askless.checks.promises import built_again, fill, refused, require
from askless.checks.respondents import Respondents
from askless.errors import AsklessError, ContractError, RewardError, SettingError, VisitError
from askless.policies import Policy
from askless.policies.hooks import HOOKS, Hooks
from askless.policies.passage import answering
from askless.survey.question import Answer
from askless.whole import check_whole

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
    visits = check_whole(visits, "visits", 10)
    for check in CHECKS:
        try:
            check(copy.deepcopy(policy), Respondents(policy, visits, seed))
        except ContractError:
            raise
        except Exception as error:
            promise = (check.__doc__ or "").rstrip(".")
            place, remedy = _place(error)
            raise ContractError(
                f"broken promise: {promise}; it failed{place} with {type(error).__name__}: {error}"
                f"{remedy}"
            ) from error


def _place(error: Exception) -> tuple[str, str]:
    """Say in which hook an error happened, and what that one returns."""
    frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    hook = next((name for name in reversed(frames) if name in HOOKS), None)
    place = f" in `{hook}`" if hook else ""
    if check_added_arm.__name__ in frames:  # whatever fails then had no room for the arm
        hook = "_grow"
    return place, f"; define `{hook}`, returning {HOOKS[hook]}" if hook else ""


def check_batch(policy: Policy, respondents: Respondents) -> None:
    """Rows learned as a batch are learned as one by one."""
    single = copy.deepcopy(policy)
    rows = [(policy.encode(answers), reward) for answers, reward in respondents]
    arms = [i % len(policy.arms) for i in range(len(rows))]
    policy.learn_rows(arms, [z for z, _ in rows], [reward for _, reward in rows])
    for arm, (z, reward) in zip(arms, rows, strict=True):
        single.learn_row(arm, z, reward)
    require(single.to_dict() == policy.to_dict(), "learns a batch as one by one", "_learn")


def check_visit(policy: Policy, respondents: Respondents) -> None:
    """A visit asks questions of the survey, each once, and then plays a live arm."""
    order = policy.survey.names
    for answers, reward in respondents:
        visit = policy.visit()
        while asks := visit.asks:
            in_order = asks == tuple(q for q in order if q in asks)
            require(in_order, "asks in the order of the survey", "_ask")
            require(not set(asks) & set(visit.answers), "asks nothing twice", "_ask")
            with refused(VisitError, "has no arm before it is decided"):
                _ = visit.arm
            visit.answer({q: answers[q] for q in asks})
        everyone = {q.name for q in policy.survey if q.always_ask}
        require(everyone <= set(visit.asked), "asks everyone what is marked always_ask")
        require(visit.arm in policy.live_arms, "plays a live arm", "_decide")
        needs = answering(policy, visit.kind, visit.start.promised)._needs(visit.arm_index)
        needed = set(policy.survey.names_of(needs))
        asked = needed <= set(visit.answers)
        require(asked, "asks all that the arm it plays needs, by what `_needs` says", "_ask")
        policy.learn(visit, reward)
    # A NaN is unlike itself: checks that compare states would blame something else.
    state = policy.to_dict()["state"]
    require(is_data(state), "says as plain data what it has learned, finite numbers", "_state")


def check_one_by_one(policy: Policy, respondents: Respondents) -> None:
    """Answers given one by one, in any order, lead to the same arm as all at once."""
    for answers, reward in respondents:
        one_by_one, at_once = copy.deepcopy(policy).visit(), policy.visit()
        fill(at_once, answers)
        while asks := one_by_one.asks:
            one_by_one.answer({asks[-1]: answers[asks[-1]]})
        same = at_once.arm == one_by_one.arm
        promise = "decides by the answers, not by their order, and draws by self.rng(number) alone"
        require(same, promise, "_decide")
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
        require(whole.arm == parted.arm, "plays the same arm in a resumed visit", "_decide")
        same = whole.propensities == parted.propensities
        require(same, "has the same propensities in a resumed visit", "_decide")
        policy.learn(parted, reward)


def check_revised(policy: Policy, respondents: Respondents) -> None:
    """Answers that were changed lead to the same arm as if they had been given at once."""
    last: dict[str, Answer] = {}
    for answers, reward in respondents:
        revised, whole = copy.deepcopy(policy).visit(), policy.visit()
        fill(whole, answers)
        if last and revised.asks:
            revised.answer({revised.asks[0]: last[revised.asks[0]]})
            if not revised.decided:
                given = tuple(revised.answers)
                revised.revise({q: answers[q] for q in given})
                fill(revised, answers)
                same = whole.arm == revised.arm or whole.asked != revised.asked
                require(same, "decides by the answers as they are at last", "_decide")
        last = answers
        policy.learn(whole, reward)


def check_looking(policy: Policy, respondents: Respondents) -> None:
    """Looking changes nothing: the same state and answers give the same asks and arm."""
    for answers, reward in respondents:
        visit = policy.visit()
        before = policy.to_dict()
        first = (visit.asks, policy.asked_now(), policy.play(policy.encode(answers)))
        state = visit.to_dict()
        visit.explain()
        _ = (visit.decided, visit.asked, visit.answers, visit.propensities, visit.context())
        require(visit.to_dict() == state, "keeps a visit as it is when it is looked at")
        second = (visit.asks, policy.asked_now(), policy.play(policy.encode(answers)))
        promise = "gives the same asks and arm when looked at twice, draws by self.rng(number)"
        require(first == second, promise, "_decide")
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


def check_copies(policy: Policy, respondents: Respondents) -> None:
    """A visit has one reward, whichever of its copies brings it, also after saving and loading."""
    for answers, reward in respondents.first(5):
        visit = policy.visit(number=policy.to_dict()["counters"]["next_number"] + 3)
        fill(visit, answers)
        saved = json.loads(json.dumps(visit.to_dict()))
        policy.learn(visit, reward)
        copied = built_again(policy)
        for owner in (policy, copied):
            before = owner.to_dict()
            other = owner.visit(saved)
            with refused(RewardError, "refuses a second reward for a visit from another copy"):
                owner.learn(other, reward)
            require(owner.to_dict() == before, "forgets what it refused")


def check_supports(policy: Policy, respondents: Respondents) -> None:
    """Supports never grow, arms learned apart change alone, no visit asks more than it promised."""
    early = policy.visit()
    promised = set(policy.asked_now())
    for answers, reward in respondents:
        support, arms = policy.support, policy.to_dict()["state"].get("arms")
        visit = policy.visit()
        fill(visit, answers)
        policy.learn(visit, reward)
        after = policy.support
        require(not (after & ~support).any(), "lets what arms need shrink only", "_needs")
        if arms is not None:  # they are learned apart
            others = np.arange(len(policy.arms)) != visit.arm_index
            same = bool((after[others] == support[others]).all())
            require(same, "changes only the arm played", "_needs")
            now = policy.to_dict()["state"]["arms"]
            same = all(arms[k] == now[k] for k in np.flatnonzero(others))
            require(same, "keeps the state of arms that were not played", "_state")
        now = policy.visit(early.to_dict())
        within = set(now.asks) <= promised
        require(within, "never asks more than a visit promised at its start", "_may_ask")


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
        promise = (
            "learns only from the questions that the arm needs, as `_needs` says (where visits are"
            " to be learned by what they were asked, make that a kind of visit: `_kind` and"
            " `_of_kind`)"
        )
        require(same, promise, "_learn")


def check_arms(policy: Policy, respondents: Respondents) -> None:
    """Only eligible arms are played; a retired arm is neither asked for nor played."""
    rules = policy.roster.rules
    for answers, _ in respondents.first(10):
        for arm in policy.live_arms:
            if rules is None or rules.open_to(answers)[policy.arm_index(arm)]:
                visit = policy.visit(arms=[arm])
                fill(visit, answers)
                require(visit.arm == arm, "plays an eligible arm", "_decide")
    with refused(AsklessError, "refuses a visit without an eligible arm"):
        policy.visit(arms=[])
    gone = next(filter(policy.roster.may_retire, policy.live_arms), None)
    if gone is not None:
        policy.retire_arm(gone)
        for answers, reward in respondents:
            visit = policy.visit()
            fill(visit, answers)
            require(visit.arm != gone, "never plays a retired arm", "_decide")
            policy.learn(visit, reward)


def check_added_arm(policy: Policy, respondents: Respondents) -> None:
    """An arm can be added; it changes no other, and a visit that has begun does not play it."""
    before, support, waiting = policy.to_dict(), policy.support, policy.visit()
    try:
        policy.add_arm("an arm added by check_policy")
    except SettingError:
        before["counters"]["next_number"] += 1  # the waiting visit took one
        require(policy.to_dict() == before, "keeps its state when it refuses an arm")
        return
    same = bool((policy.support[:-1] == support).all())
    require(same, "changes no other arm when one is added", "_grow")
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
    copied = built_again(policy)
    takes_back = type(policy)._restore is not Hooks._restore or "_restore" in vars(policy)
    hook = "_state" if takes_back else "_restore"
    for answers, reward in respondents:
        same = copied.to_dict() == policy.to_dict()
        require(same, "has the same state after saving and loading", hook)
        visits = policy.visit(), copied.visit()
        same = visits[0].asks == visits[1].asks
        require(same, "asks the same after saving and loading", "_restore")
        for visit, owner in zip(visits, (policy, copied), strict=True):
            fill(visit, answers)
            owner.learn(visit, reward)
        same = visits[0].arm == visits[1].arm
        promise = "plays the same after saving and loading: `_state` says all that was learned"
        require(same, promise, "_restore")


def check_arrays(policy: Policy, respondents: Respondents) -> None:
    """The array door and visits give the same arms, and a row that is not complete is refused."""
    kind = policy.kind_of_rows
    for answers, reward in respondents:
        z = policy.encode(answers)
        arm = policy.play(z)
        visit = policy.visit()
        fill(visit, answers)
        same = arm == visit.arm_index or kind not in (None, visit.kind)  # rows are of one kind
        require(same, "plays the same through arrays as in a visit", "_decide")
        policy.learn(visit, reward)
    for name in policy.survey.names_of(policy._may_ask(policy.roster.live.copy())):
        z = policy.encode(next(iter(respondents))[0])
        z[policy.survey.columns_of(name)] = np.nan
        with refused(AsklessError, f"refuses a context without {name!r}"):
            policy.play(z)


CHECKS: tuple[Callable[[Policy, Respondents], None], ...] = (
    check_hooks,
    check_description,
    check_visit,
    check_batch,
    check_one_by_one,
    check_resumed,
    check_revised,
    check_looking,
    check_refusals,
    check_copies,
    check_supports,
    check_unused,
    check_arms,
    check_added_arm,
    check_saved,
    check_arrays,
    check_draws,
    check_loop,
)
