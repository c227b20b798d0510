"""Simulated people who go through real visits: asked, answered, decided and learned by name."""

import numpy as np

from askless.policies.linear_ucb import LinearUCB
from askless.policies.one_by_one import AtOnce
from askless.policies.player import Played


class Visiting:
    """Plays as `OneByOne` and the compiled loops should, through the public door alone."""

    def __init__(self, policy, rewards=None):
        self.policy, self.rewards = policy, rewards or AtOnce()

    def play(self, block, begun, drops):
        policy, cost = self.policy, {q.name: q.cost for q in self.policy.survey}
        played = []
        kept = policy.support
        for t, z in enumerate(block.contexts):
            allowed = np.ones(len(policy.arms), bool) if block.allowed is None else block.allowed[t]
            may = [arm for arm, may in zip(policy.arms, allowed, strict=True) if may]
            visit, answers = policy.visit(arms=may), policy.survey.decode(z)
            while visit.asks:
                visit.answer({question: answers[question] for question in visit.asks})
            arm = visit.arm_index
            radius = policy.radius[arm] if isinstance(policy, LinearUCB) else 0.0
            reward = float(block.rewards[t, arm])
            # In every state, the winner is the one that the full survey would give. It is the arm
            # that is played most likely: insurance spares no arm, pay-back takes 0.3 of it at most.
            winner = max(visit.propensities, key=visit.propensities.get)
            full = self.in_full(z, may, visit.number)
            other = visit.explain().ruled_out and full != policy.arm_index(winner)
            line = policy.line_of(visit.kind, arm)
            self.rewards.add(arm, line, visit, reward)
            for _, learned, due in self.rewards.due():
                policy.learn(learned, due)
            drops[kept & ~policy.support] = begun + t + 1
            kept = policy.support
            regret = np.nan
            if block.expected is not None:
                best = block.expected[t, allowed & policy.roster.live].max()
                regret = best - block.expected[t, arm]
            paid = 0.0
            for question in visit.asked:
                paid += cost[question]
            played.append((arm, radius, regret, reward, len(visit.asked), paid, bool(other)))
        return Played(*map(np.array, zip(*played, strict=True)))

    def in_full(self, z, may, number):
        """The winner with all answers given."""
        _, mask = self.policy.roster.eligible(may)
        return self.policy._decide(z, mask, number).arm
