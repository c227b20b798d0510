"""Worlds in which effects are exactly beta_min, where the promise is hardest to keep; their runs.

For the tests of the guarantee and `make guarantee`.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

import askless as al
from askless.environments import AnswerModel
from askless.environments.linear import BLOCK
from askless.simulation.delays import Late
from worlds import survey_of

DELTA = 0.2
CHANCE = 1e-6  # with which a test fails although the promise is kept


class Drifting(al.LinearEnvironment):
    """Respondents who change all the time: answers move from one end to the other and back."""

    def respondents(self, seed, run):
        streams = np.random.default_rng([seed, run]).spawn(2)
        for turn in range(10**6):
            ends = ((4, 1), (1, 1), (1, 4))[turn % 3]
            laws = {q.name: ends for q in self.survey if q.kind == "scale"}
            laws |= {q.name: (0.8, 0.5, 0.2)[turn % 3] for q in self.survey if q.kind == "yes_no"}
            model = AnswerModel(self.survey, laws)
            for _ in range(4):
                contexts = model.contexts(streams[0], BLOCK // 8)
                yield self.block(contexts, streams[1].random(BLOCK // 8))


class Skewed(al.LinearEnvironment):
    """Respondents whose noise is rare and large on one side: +9/20 once in ten, else -1/20."""

    def respondents(self, seed, run):
        for block in super().respondents(seed, run):
            noise = np.where(block.luck < 0.1, 0.45, -0.05)
            yield al.Block(block.contexts, block.expected + noise[:, None], block.expected)


class World(NamedTuple):
    """Respondents, and how they are played."""

    environment: al.LinearEnvironment
    beta_min: float = 0.4
    horizon: int = 1_000
    delay: al.Delay | None = None


def world_of(questions, table, kind=al.LinearEnvironment, **settings):
    survey = survey_of(questions)
    arms = [f"arm{k}" for k in range(len(table))]
    return kind(survey, arms=arms, reward=(0, 1), coefficients=np.array(table), **settings)


B = 0.4
YES_NO, SCALE = ("yes_no", 0, False), ("scale", 0, False)
MIXED = [YES_NO, SCALE, YES_NO]
BOTH = np.array([[0, 1, 0, 0], [0, 0, -1, 0]])  # the first question matters to arm 0
ENDS = {"noise": "two_point"}  # every reward is one of the two ends of the range
WORLDS = {
    # The constant, then a column a question; a skip has a column more, a choice one an option.
    "two-point noise": World(world_of(MIXED, B * BOTH, **ENDS)),
    "correlated answers": World(
        world_of([SCALE] * 3, B * BOTH, **ENDS, correlation=0.7), horizon=1_500
    ),
    "a choice of five": World(
        world_of(
            [("choice", 5, False), YES_NO],
            [[0, *np.array([4, -1, -1, -1, -1]) * B / 5, 0], [0, 0, 0, 0, 0, 0, B]],
            **ENDS,
        ),
    ),
    "skips": World(
        world_of(
            [("yes_no", 0, True), ("scale", 0, True), YES_NO],
            [[0, 0, B, 0, 0, 0], [0, B, 0, 0, 0, 0]],
            **ENDS,
            skips=0.4,
        ),
    ),
    "drifting contexts": World(world_of(MIXED, B * BOTH, Drifting, **ENDS)),
    "late rewards": World(world_of(MIXED, B * BOTH, **ENDS), delay=al.Delay(60, "by_reward")),
    "little noise": World(world_of(MIXED, 0.1 * BOTH, spread=0.1), beta_min=0.1, horizon=600),
    "skewed noise": World(
        world_of(MIXED, 0.1 * BOTH, Skewed, spread=0.45), beta_min=0.1, horizon=1_000
    ),
}


def within(failures, runs, rate):
    """Whether so many failures can be, if each has at most this probability."""
    return failures <= binom.ppf(1 - CHANCE, runs, rate)


class Outcome(NamedTuple):
    """What became of a run."""

    wrong: bool  # a useful question went
    missed: bool  # an arm's confidence set did not hold the truth when it was frozen
    gone: float  # share of the useless questions that went


def policy_of(world, run):
    """A policy at the beginning of a run, with draws of its own."""
    environment = world.environment
    policy = al.EpochSurveyUCB(
        environment.survey,
        arms=environment.arms,
        reward=environment.reward,
        beta_min=world.beta_min,
        delta=DELTA,
    )
    policy._stream = run
    return policy


def visits(world, run):
    """The contexts of a run and what each arm would bring."""
    left = world.horizon
    for block in world.environment.respondents(5, run):
        yield from zip(block.contexts[:left], block.rewards[:left].tolist(), strict=True)
        left -= len(block)
        if left <= 0:
            return


def holds(policy, k, truth):
    """Whether arm k's confidence set holds its parameters (maths 2)."""
    state = policy._model.arms
    kept = state.columns[k, : state.size[k]]
    error = truth[kept] - state.estimate[k, : len(kept)]
    gram = policy._model.gram(k) + policy.alpha * np.eye(len(kept))
    outside = np.delete(truth, kept).any()
    return not outside and math.sqrt(error @ gram @ error) <= state.radius[k]


def play(world, run):
    """Play a run, visit by visit; sets are looked at whenever a model has changed."""
    policy, truth = policy_of(world, run), world.environment.coefficients
    late = Late(world.delay or al.Delay(), policy.reward, (5, run))
    ended, missed = policy._model.epochs.ended, False
    for number, (z, rewards) in enumerate(visits(world, run)):
        policy._next_number = number  # draws belong to visits, however late rewards come
        arm = policy.play(z)
        rows = [(arm, z, rewards[arm])]
        if world.delay:
            late.add(arm, *rows[0])
            rows = late.due()
        for k, row, reward in rows:
            before = ended[k]
            policy.learn_row(k, row, reward)
            missed |= ended[k] != before and not holds(policy, k, truth[k])
    gone, useful = ~policy.support, world.environment.useful
    useless = gone[~useful].mean() if (~useful).any() else math.nan
    return Outcome(bool(gone[useful].any()), bool(missed), float(useless))


# One arm and one question: its test has all of 0.9 delta. Short epochs, so that wealth is looked
# at often, and a large delta: then wrong drops are not far below what is allowed. Rewards are
# rare: where an epoch has few of them by luck, both its effect and its noise look small.
ALONE = World(world_of([YES_NO], [[-0.45, 0.1]], **ENDS), beta_min=0.1)
ALONE_DELTA = 0.5


def loses_its_question(run):
    """Whether an arm by itself drops its only question, which has an effect of beta_min."""
    block = next(ALONE.environment.respondents(7, run))
    policy = al.EpochSurveyUCB(
        ALONE.environment.survey,
        arms=["a"],
        reward=(0, 1),
        beta_min=ALONE.beta_min,
        delta=ALONE_DELTA,
        growth=1.1,
    )
    policy.learn_rows(np.zeros(1_000, dtype=int), block.contexts[:1_000], block.rewards[:1_000, 0])
    return not policy.support[0, 0]
