"""check_environment: ours pass, and every kind of broken one is caught with its promise."""

import numpy as np
import pytest

import askless as al
from askless.errors import ContractError, SettingError

SURVEY = al.Survey([al.Scale("x", low=0, high=1), al.YesNo("y")])


class Right:
    """Rewards 1 or 0, with a probability that is linear in x; the mutants change one thing."""

    survey, arms, reward = SURVEY, ("a", "b"), (0, 1)

    def rng(self, seed, run):
        return np.random.default_rng([seed, run])

    def respondents(self, seed, run):
        rng = self.rng(seed, run)
        while True:
            yield self.block(rng)

    def block(self, rng):
        n = 300
        x, y = rng.uniform(-0.5, 0.5, n), rng.choice([-0.5, 0.5], n)
        expected = np.column_stack([0.5 + x, 0.5 - x])
        rewards = (rng.random((n, 2)) < expected).astype(float)
        return al.Block(np.column_stack([np.ones(n), x, y]), rewards, expected)


def test_a_right_environment_passes_and_so_do_ours():
    al.check_environment(Right())
    al.check_environment(Right(), visits=1)
    al.check_environment(al.paper_environment(arms=3, features=4, coding="raw"))
    limited = al.LinearEnvironment(
        SURVEY,
        arms=["a", "b"],
        reward=(0, 1),
        noise="two_point",
        coefficients={"a": {"x": 0.5}},
        eligible={"b": 0.4},
    )
    al.check_environment(limited, seed=9)
    al.check_environment(al.Prior.of(al.Study.example()).world(3))


class SamePeople(Right):
    def rng(self, seed, run):
        return np.random.default_rng(seed)


class SameSeeds(Right):
    def rng(self, seed, run):
        return np.random.default_rng(run)


class Clock(Right):
    def rng(self, seed, run):
        return np.random.default_rng()


class OneGenerator(Right):
    """Draws a run's people from a generator that all draws share."""

    def __init__(self):
        self.shared = {}

    def rng(self, seed, run):
        self.shared[seed, run] = np.random.default_rng([seed, run])
        return self.shared[seed, run]

    def respondents(self, seed, run):
        self.rng(seed, run)
        while True:
            yield self.block(self.shared[seed, run])


class Buffer(Right):
    """Writes every block into the arrays of the first."""

    def respondents(self, seed, run):
        first = None
        for block in super().respondents(seed, run):
            if first is None:
                first = block
            else:
                first.contexts[:] = block.contexts
            yield first


class TooHopeful(Right):
    def block(self, rng):
        block = super().block(rng)
        return al.Block(block.contexts, block.rewards, np.clip(block.expected + 0.2, 0, 1))


class WrongWay(Right):
    """Right on average over everyone, and wrong for everyone."""

    def block(self, rng):
        block = super().block(rng)
        return al.Block(block.contexts, block.rewards, block.expected[:, ::-1].copy())


class WearsOut(Right):
    used = 0

    def rng(self, seed, run):
        self.used += 1
        return np.random.default_rng([seed, run, self.used > 9])


class Loses(Right):
    """Takes an arm away while it is used."""

    used = 0

    @property
    def arms(self):
        return ("a", "b") if self.used < 100 else ("a", "c")

    def rng(self, seed, run):
        self.used += 1 + 100 * (seed >= 2)
        return super().rng(seed, run)


class Incomplete(Right):
    def block(self, rng):
        block = super().block(rng)
        block.contexts[5, 1] = np.nan
        return block


class Empty(Right):
    def respondents(self, seed, run):
        return iter(())


class Returns(Right):
    def respondents(self, seed, run):
        return self.block(self.rng(seed, run))


class Fails(Right):
    def block(self, rng):
        raise KeyError("no such file")


class NoArms(Right):
    arms = ()


class WrongUse(Right):
    useful = np.ones((1, 2), dtype=bool)


class WrongNumber(Right):
    number = 1.5


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (SamePeople, "draws other people for another run; make all randomness out of"),
        (SameSeeds, "draws other people for another seed; make all randomness out of"),
        (Clock, "draws the same people for the same seed and run"),
        (OneGenerator, "draws the same people for the same seed and run"),
        (Buffer, "leaves a block alone once it is handed out; make new arrays|draws the same"),
        (TooHopeful, "average to `expected`; those of arm 'a' are off by -0.*leave `expected` out"),
        (WrongWay, "average to `expected`; .*weighted by the column 'x'"),
        (WearsOut, "does not change when it is used"),
        (Loses, "keeps its survey, arms"),
        (Incomplete, "visit 5: question 'x' has no answer"),
        (Empty, "has respondents; yield a block"),
        (Returns, "yields Blocks; .*returns Block.*: write yield instead of return"),
        (Fails, "failed with KeyError"),
        (NoArms, "there are no arms"),
        (WrongUse, r"`useful` by booleans of shape \(2, 2\)"),
        (WrongNumber, "`number` that is whole"),
    ],
)
def test_a_mutant_is_caught(kind, message):
    with pytest.raises(ContractError, match=f"^broken promise: .*({message})"):
        al.check_environment(kind())


@pytest.mark.parametrize("given", [None, Right, 3])
def test_what_is_no_environment_is_named(given):
    with pytest.raises(ContractError, match="says its survey, arms and reward; environment is"):
        al.check_environment(given)


@pytest.mark.parametrize("wrong", [{"visits": 0}, {"visits": 1.5}, {"seed": -1}])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(SettingError, match="give a whole number"):
        al.check_environment(Right(), **wrong)
