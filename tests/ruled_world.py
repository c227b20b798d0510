"""A world whose arms have rules, and the same one where allowed arms are handed out in lists."""

from dataclasses import replace

import numpy as np

import askless as al
import rules_by_ast
from askless.policies.player import Block

RULES = {
    "open": None,
    "senior": "age >= 65 and not region == south",
    "web": "media has web or trust == 3",
    "young": "age < 40 and not donor",
}
NEEDED = ("age", "trust", "region", "donor", "media")


def survey(*, always=False):
    """Five questions that rules need, marked as asked of everyone or not, and four others."""
    ruled = [replace(q, always_ask=always) for q in rules_by_ast.SURVEY]
    others = [al.Scale(f"x{i}", low=0, high=1, cost=2) for i in range(3)]
    return al.Survey([others[0], *ruled, *others[1:], al.YesNo("last", may_skip=True)])


def linear(seed=0, **settings):
    """Rewards that depend on some of the questions, in other ways for each arm."""
    rng, own = np.random.default_rng([seed, 8]), survey()
    table = rng.normal(size=(len(RULES), own.column_count)) * 0.06
    table[:, rng.random(own.column_count) < 0.5] = 0.0
    table[:, 0] = 0.0
    arms = [al.Arm(name, eligible_if=rule) for name, rule in RULES.items()]
    settings = {"reward": (0, 1), "spread": 0.05, "skips": 0.2} | settings
    return al.LinearEnvironment(own, arms=arms, coefficients=table, **settings)


class Listed:
    """The people of a world with rules, who bring lists of the arms that they may get."""

    def __init__(self, world):
        self.world, self.reward, self.number = world, world.reward, world.number
        self.survey = survey(always=True)
        self.arms = tuple(al.Arm(arm.name) for arm in world.arms)
        self.useful = world.useful

    def respondents(self, seed, run):
        for block in self.world.respondents(seed, run):
            may = np.array([may_get(self.world, z) for z in block.contexts])
            if block.allowed is not None:
                may &= block.allowed
            yield Block(block.contexts, block.rewards, block.expected, may)


def answers_of(world, z):
    """What someone answers; who is within the grid of a number that a rule names answers that."""
    answers = world.survey.decode(z)
    for name, cuts in (("age", (40, 65)), ("trust", (3,))):
        for cut in cuts:
            again = world.survey.encode(answers | {name: cut})
            if answers[name] is not None and (again == z).all():
                answers[name] = cut
    return answers


def may_get(world, z):
    """Which arms someone may get, by Python's own parser."""
    answers = answers_of(world, z)
    return [rule is None or rules_by_ast.holds(rule, answers) for rule in RULES.values()]
