"""Off-policy estimates beside those of obp, on the same log: `make agreement`.

In the bench's own environment. Differences are of the size of rounding, or it fails.
"""

from __future__ import annotations

import numpy as np
from obp.ope import (
    DoublyRobust,
    InverseProbabilityWeighting,
    SelfNormalizedInverseProbabilityWeighting,
)

import askless as al
from askless.evaluation.off_policy import decisions

MOST = 1e-8
ROWS = 3_000
OURS = ("IPS", "self-normalised", "doubly robust")
THEIRS = (
    InverseProbabilityWeighting(),
    SelfNormalizedInverseProbabilityWeighting(),
    DoublyRobust(),
)


def main() -> bool:
    """Print a line an estimator; return whether all agree."""
    world = al.family("correlated")
    arms = world.arms
    study = al.Study(world.survey, arms, world.reward)
    logger = al.EpsilonGreedy(world.survey, arms=world.arms, reward=world.reward, epsilon=0.5)
    visits = al.record_visits(logger, world, ROWS).visits
    log = al.LoggedData.of_visits([visit.record for visit in visits], study)
    policy = al.record_visits("lints", world, 500, run=1).policy
    model = np.random.default_rng(0).uniform(
        world.reward.low, world.reward.high, size=(ROWS, len(arms))
    )
    found = al.off_policy(policy, log, model=model)
    given = {
        "reward": log.rewards,
        "action": log.arms,
        "pscore": log.chances,
        "action_dist": decisions(policy, log)[0][:, :, None],
        "position": np.zeros(ROWS, dtype=int),
        "estimated_rewards_by_reg_model": model[:, :, None],
    }
    print(f"{ROWS:,} rows of epsilon-greedy, LinTS judged\n")
    print(f"{'':<18}{'askless':>14}{'obp':>14}{'difference':>12}")
    agree = True
    for name, theirs in zip(OURS, THEIRS, strict=True):
        value = theirs.estimate_policy_value(**given)
        off = abs(found[name].value - value)
        agree &= off <= MOST
        print(f"{name:<18}{found[name].value:>14.10f}{value:>14.10f}{off:>12.1e}")
    return agree


if __name__ == "__main__":
    if not main():
        raise SystemExit("an estimate is not obp's")
