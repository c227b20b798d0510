"""The border of the simulator: nothing that an environment hands out is played unchecked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.core.words import INCOMPLETE, REWARD_GRID
from askless.errors import AnswerError, SettingError, shown
from askless.policies.player import Block, LinearBlock, LinearLaw
from askless.survey import RewardRange, Survey
from askless.survey.arms import arms_from
from askless.survey.eligibility import Eligibility

__all__ = ["Border", "Described", "checked_block", "described"]

SLACK = 1e-9  # of the range: expectations are rounded
NUMBERS, TRUTHS = "fiu", "b"  # kinds of arrays


class Described(NamedTuple):
    """What an environment says about itself."""

    name: str
    survey: Survey
    arms: tuple[str, ...]
    reward: RewardRange
    rules: Eligibility  # who may get which arm by their answers


def described(environment: Any) -> Described:
    """Return what an environment is; refuse what is none."""
    name = type(environment).__name__
    needed = ("survey", "arms", "reward", "respondents")
    missing = [part for part in needed if not hasattr(environment, part)]
    if missing or isinstance(environment, type):
        lacks = f"it has no {', no '.join(missing)}" if missing else "it is a class, not yet made"
        raise SettingError(
            f"environment is {shown(environment, 60)}, and {lacks}; give an environment of askless,"
            " or one of your own with survey, arms, reward and respondents(seed, run)"
        )
    if not isinstance(environment.survey, Survey):
        raise SettingError(
            f"environment {name}: survey is {shown(environment.survey, 60)}; give an askless.Survey"
        )
    if not callable(environment.respondents):
        raise SettingError(
            f"environment {name}: respondents is {shown(environment.respondents, 60)}; write a"
            " method respondents(seed, run) that yields blocks"
        )
    try:
        rules = Eligibility(environment.survey, arms_from(environment.arms))
        arms = tuple(arm.name for arm in rules.arms)
        return Described(name, rules.asking(), arms, RewardRange.of(environment.reward), rules)
    except SettingError as error:
        raise SettingError(f"environment {name}: {error}") from None


def checked_block(
    environment: Any, block: Any, *, begun: int = 0, live: Flags | None = None
) -> Block:
    """Return a block as the players take it, or refuse it: legal, complete, on the grid, a copy.

    Parameters
    ----------
    environment : Environment
        Whose block it is.
    block : Block
        What it has handed out.
    begun : int
        How many respondents came before, to say which one is wrong.
    live : array of bool (K), optional
        The arms that the policy may play; everyone must be allowed one of them.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=2, features=3)
    >>> block = al.Block(np.array([[1.0, 0.1, 0.2, 0.3]]), rewards=np.array([[0.0, 3.0]]))
    >>> checked_block(world, block)
    Traceback (most recent call last):
        ...
    askless.errors.SettingError: environment LinearEnvironment, visit 0, arm 'arm2': the reward is
    3.0; its range is 0 to 2: widen the range or make rewards smaller
    """
    return Border(described(environment), begun).checked(block, live)


class Border:
    """Checks a block part by part; `begun` respondents came before, each of them a `noun`."""

    def __init__(self, world: Described, begun: int, noun: str = "visit") -> None:
        self.world, self.begun, self.noun = world, begun, noun

    def checked(self, block: Any, live: Flags | None = None) -> Block:
        """Return the block as the players take it."""
        if not isinstance(block, Block):
            raise self._wrong(f"what respondents() yields is {shown(block, 60)}; yield Blocks")
        contexts = self._contexts(block.contexts)
        allowed = self._allowed(block.allowed, len(contexts), live)
        if isinstance(block, LinearBlock):
            return self._linear(block, contexts, allowed)
        rewards = self._table(block.rewards, "rewards", "reward", len(contexts), 0.0)
        expected = block.expected
        if expected is not None:
            what = "expected", "expected reward"
            expected = self._table(expected, *what, len(contexts), SLACK * self.world.reward.span)
        return Block(contexts, rewards, expected, allowed)

    def _wrong(self, what: str, visit: int | None = None, arm: int | None = None) -> SettingError:
        where = f"environment {self.world.name}, "
        if visit is None:
            where += f"the block that begins with {self.noun} {self.begun}"
        else:
            where += f"{self.noun} {self.begun + visit}"
        if arm is not None:
            where += f", arm {self.world.arms[arm]!r}"
        return SettingError(f"{where}: {what}")

    def _array(self, given: Any, name: str, kinds: str, what: str) -> Any:
        if not isinstance(given, np.ndarray) or given.dtype.kind not in kinds:
            kind = f"an array of {given.dtype}" if isinstance(given, np.ndarray) else None
            raise self._wrong(f"{name} is {kind or shown(given, 60)}; give an array of {what}")
        return given

    def _contexts(self, given: Any) -> Floats:
        array = self._array(given, "contexts", NUMBERS, "numbers")
        count = self.world.survey.column_count
        if array.ndim != 2 or array.shape[1] != count or len(array) == 0:
            raise self._wrong(
                f"contexts has shape {array.shape}; give a respondent a row, at least one, with"
                f" {count} columns each: the constant 1, then what survey.encode(answers) gives"
            )
        rows = np.ascontiguousarray(array, dtype=np.float64)
        out = np.empty(rows.shape)
        at, why = self.world.survey.core.read_rows(rows, out)
        if at < len(rows):
            raise self._wrong(self._answer(rows[at], why), int(at))
        return out

    def _answer(self, row: Floats, why: int) -> str:
        """Say what is wrong with a context."""
        survey = self.world.survey
        if why == INCOMPLETE:
            missing = survey.open_questions(row)
            return (
                f"question {survey.names[int(missing.argmax())]!r} has no answer (nan); a simulated"
                " respondent answers everything, with a skip where the question may be skipped"
            )
        try:
            survey.check_row(row)
        except AnswerError as error:
            return str(error)
        raise AssertionError  # what one check refuses, the other one does too

    def _allowed(self, given: Any, count: int, live: Flags | None) -> Flags | None:
        if given is None:
            return None
        array = self._array(given, "allowed", TRUTHS, "booleans, or None: all may get every arm")
        self._check_shape(array, "allowed", count)
        open_arms = array if live is None else array & live
        barred = ~open_arms.any(axis=1)
        if barred.any():
            live_ones = "" if live is None or live.all() else " that is live in the policy"
            raise self._wrong(
                f"there is no arm{live_ones} that this respondent may get; allow at least one",
                int(barred.argmax()),
            )
        return np.array(array, order="C")

    def _check_shape(self, array: Any, name: str, count: int) -> None:
        shape = (count, len(self.world.arms))
        if array.shape != shape:
            raise self._wrong(
                f"{name} has shape {array.shape}; give {shape}: a respondent a row, an arm a column"
            )

    def _table(self, given: Any, name: str, what: str, count: int, slack: float) -> Floats:
        array = self._array(given, name, NUMBERS + TRUTHS, "numbers")
        self._check_shape(array, name, count)
        table = np.array(array, dtype=np.float64, order="C")
        low, high = self.world.reward.low, self.world.reward.high
        outside = ~((table >= low - slack) & (table <= high + slack))  # NaN is, too
        if outside.any():
            visit, arm = map(int, np.argwhere(outside)[0])
            value = float(table[visit, arm])
            remedy = (
                "give a number, also for arms that nobody gets"
                if np.isnan(value)
                else f"its range is {low:g} to {high:g}: widen the range or make rewards smaller"
            )
            raise self._wrong(f"the {what} is {value!r}; {remedy}", visit, arm)
        return table

    def _linear(self, block: LinearBlock, contexts: Floats, allowed: Flags | None) -> Block:
        """Check a block that says by which law rewards come about."""
        law, world = block.law, self.world
        shape = len(world.arms), world.survey.column_count
        same = isinstance(law, LinearLaw) and (law.reward, law.raw) == (
            world.reward,
            world.survey.coding == "raw",
        )
        if not same or np.shape(law.coefficients) != shape:
            raise self._wrong("its law is not the environment's; make it with environment.block()")
        luck = self._array(block.luck, "luck", "f", "numbers from 0 to 1, one a respondent")
        if luck.shape != (len(contexts),) or not ((luck >= 0) & (luck <= 1)).all():
            raise self._wrong("luck is not a number from 0 to 1 for each respondent; draw it so")
        checked = LinearBlock(contexts, np.array(luck, dtype=np.float64), law, allowed)
        low, grid = law.noise[2], 0.5 / REWARD_GRID + SLACK  # rewards are rounded to the grid
        units = law.units(contexts, checked.luck)
        outside = ~((units >= low - grid) & (units <= low + 1.0 + grid))
        if outside.any():
            visit, arm = map(int, np.argwhere(outside)[0])
            raise self._wrong(
                "the reward leaves its range; make effects or spread smaller", visit, arm
            )
        return checked
