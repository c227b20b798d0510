"""Whether a policy that draws arms draws them as it says, and one that does not, does not."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from askless.checks.promises import require
from askless.checks.respondents import Respondents
from askless.kernels.bundles import Floats, Ints
from askless.policies import Decision, Policy
from askless.policies.passage import begin, step

MANY = 400  # visits of which the draws are counted
CONTEXTS = 3
ERROR = 1e-9  # with which probability a policy in order fails, over all that is counted
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
    one_run, one_visit = [(i, 0) for i in range(MANY)], [(7, i + 1) for i in range(MANY)]
    for z in people[:CONTEXTS]:
        for arms, chances in _drawn(policy, z, one_run):
            _compare(arms, chances, "in one state, for one context, over many visits")
        for arms, chances in _drawn(policy, z, one_visit):
            _compare(arms, chances, "for one visit, over many runs of a simulation")


def _drawn(
    policy: Policy, z: Floats, visits: list[tuple[int, int]]
) -> Iterator[tuple[Ints, Floats]]:
    """Go through the arms of visits in one state and context, and their propensities, by kind.

    A visit is its number and the run that it is in; propensities are those of visits of its kind.
    """
    found: dict[str, list[Decision]] = {}
    before = policy._stream
    for number, run in visits:
        policy._stream = run
        start, known = begin(policy, number, policy.roster.live), policy.survey.nothing_known()
        while (now := step(policy, start, known)).decision is None:
            asked = now.asks[policy.survey.owner]
            known[1:][asked] = z[1:][asked]
        found.setdefault(start.kind, []).append(now.decision)
    policy._stream = before
    for decisions in found.values():
        yield np.array([d.arm for d in decisions]), np.array([d.chances() for d in decisions])


def _compare(arms: Ints, chances: Floats, where: str) -> None:
    """Refuse frequencies that are not those of the propensities."""
    if ((chances == 0) | (chances == 1)).all():
        certain = bool((arms == arms[0]).all())
        promise = f"plays one arm {where}, unless it gives the propensities of all arms"
        require(certain, f"{promise} and draws with self.rng(number)", "_decide")
        return
    # Hoeffding: a sum of so many draws is further from its mean with probability below ERROR.
    counts = (arms[:, None] == np.arange(chances.shape[1])).sum(axis=0)
    far = math.sqrt(len(arms) * math.log(4 * CONTEXTS * chances.shape[1] / ERROR) / 2)
    worst = int(np.argmax(np.abs(counts - chances.sum(axis=0))))
    seen, said = counts[worst] / len(arms), chances[:, worst].mean()
    require(
        abs(counts[worst] - chances[:, worst].sum()) <= far,
        f"draws arms with the propensities it gives (arm {worst} {where}: drawn {seen:.2f},"
        f" given {said:.2f}), with numbers of self.rng(number)",
        "_decide",
    )
