"""Whether the compiled loop of a policy plays visits as the policy itself does."""

from __future__ import annotations

import copy

import numpy as np

from askless.checks.promises import require
from askless.checks.respondents import Respondents
from askless.policies import Policy
from askless.policies.one_by_one import OneByOne
from askless.policies.player import Block


def check_loop(policy: Policy, respondents: Respondents) -> None:
    """A policy's compiled loop, if it has one, plays as the policy plays visit by visit."""
    twin = copy.deepcopy(policy)
    player = policy.player()
    if player is None:
        return
    contexts = np.array([policy.encode(answers) for answers, _ in respondents])
    rng = np.random.default_rng(respondents.seed)
    shape = len(contexts), len(policy.arms)
    rewards = rng.uniform(policy.reward.low, policy.reward.high, shape)
    rules = policy.roster.rules
    allowed = None if rules is None else rules.allowed(contexts)
    block = Block(contexts, rewards, expected=rewards, allowed=allowed)
    drops = np.zeros((2, len(policy.arms), len(policy.survey)), dtype=np.int64)
    fast = player.play(block, 0, drops[0])
    slow = OneByOne(twin).play(block, 0, drops[1])
    for what in ("arms", "asked", "rewards"):
        same = np.array_equal(getattr(fast, what), getattr(slow, what))
        require(same, f"has a compiled loop with the same {what} as its visits", "_player")
    require(bool((drops[0] == drops[1]).all()), "drops in its loop what it drops", "_player")
