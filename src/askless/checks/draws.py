"""Whether a policy that draws arms draws them as it says, and one that does not, does not."""

from __future__ import annotations

import math

import numpy as np

from askless.checks.promises import require
from askless.checks.respondents import Respondents
from askless.core.arrays import Flags, Floats, Ints
from askless.policies import Decision, Policy
from askless.policies.passage import begin, first_known, step

FEW, MANY = 200, 1_000  # visits of which arms are compared; draws are counted
CONTEXTS = 2
ERROR = 1e-6  # with which probability a policy in order fails, over all that is counted
START = 5  # rows an arm and column until a policy has left whatever it starts with


def check_draws(policy: Policy, respondents: Respondents) -> None:
    """Arms are drawn with the stated propensities, by numbers that differ from run to run."""
    people = [policy.encode(answers) for answers, _ in respondents]
    rewards = [reward for _, reward in respondents]
    count = len(policy.arms) * (START + policy.survey.column_count)
    rows = [i % len(people) for i in range(count)]
    policy.learn_rows(
        [i % len(policy.arms) for i in range(count)],
        [people[i] for i in rows],
        [rewards[i] for i in rows],
    )
    live = policy.roster.live
    fewer = live & (np.arange(len(live)) != np.argmax(live))
    for z in people[:CONTEXTS]:
        for eligible in (live, fewer) if fewer.any() else (live,):
            for one, where in (
                (lambda i: (i, 0), "in one state, for one context, over many visits"),
                (lambda i: (7, i + 1), "for one visit, over many runs of a simulation"),
            ):
                few = _drawn(policy, z, eligible, [one(i) for i in range(FEW)])
                drawn = any(((c > 0) & (c < 1)).any() for _, c in few)
                many = [one(i) for i in range(MANY)]
                for arms, chances in _drawn(policy, z, eligible, many) if drawn else few:
                    _compare(arms, chances, where)


def _drawn(
    policy: Policy, z: Floats, eligible: Flags, visits: list[tuple[int, int]]
) -> list[tuple[Ints, Floats]]:
    """Return the arms of visits in one state and context, and their propensities, by kind.

    A visit is its number and the run that it is in; propensities are those of visits of its kind.
    """
    found: dict[str, list[Decision]] = {}
    before = policy._stream
    for number, run in visits:
        policy._stream = run
        start, known = begin(policy, number, eligible), first_known(policy, z)
        while (now := step(policy, start, known)).decision is None:
            asked = now.asks[policy.survey.owner]
            known[1:][asked] = z[1:][asked]
        found.setdefault(start.kind or "", []).append(now.decision)
    policy._stream = before
    return [
        (np.array([d.arm for d in decisions]), np.array([d.chances() for d in decisions]))
        for decisions in found.values()
    ]


def _compare(arms: Ints, chances: Floats, where: str) -> None:
    """Refuse frequencies that are not those of the propensities."""
    if ((chances == 0) | (chances == 1)).all():
        certain = bool((arms == arms[0]).all())
        promise = f"plays one arm {where}, unless it gives the propensities of all arms"
        require(certain, f"{promise} and draws with self.rng(number)", "_decide")
        return
    # Bernstein: a sum of draws is further from its mean with probability below ERROR, over the
    # arms, contexts, masks, and both ways of drawing many.
    counts = (arms[:, None] == np.arange(chances.shape[1])).sum(axis=0)
    off, variance = np.abs(counts - chances.sum(axis=0)), (chances * (1 - chances)).sum(axis=0)
    log = math.log(2 * 4 * CONTEXTS * chances.shape[1] / ERROR)
    far = log / 3 + np.sqrt((log / 3) ** 2 + 2 * log * variance)
    worst = int(np.argmax(off - far))
    seen, said = counts[worst] / len(arms), chances[:, worst].mean()
    require(
        bool(off[worst] <= far[worst]),
        f"draws arms with the propensities it gives (arm {worst} {where}: drawn {seen:.2f},"
        f" given {said:.2f}), with numbers of self.rng(number)",
        "_decide",
    )
