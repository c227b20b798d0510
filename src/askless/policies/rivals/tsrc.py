"""TSRC (Bouneffouf et al. 2017): asks a few questions, drawn by what asking them has brought."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.errors import StateError
from askless.policies.base import Policy
from askless.policies.decision import Decision
from askless.policies.hooks import Hooks, VisitKind
from askless.policies.packed import pack, unpack
from askless.policies.player import Block, Played, Player
from askless.policies.rivals.lin_ts import FIRST_NOISE, Width
from askless.policies.rivals.sums import RidgeSums
from askless.policies.rivals.thompson import draw_largest
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Seed, Whole
from askless.whole import check_whole

__all__ = ["TSRC", "QuestionCount"]

PRIOR = 1.0  # successes and failures of a question before it is asked: S0 = F0
QuestionCount = Annotated[
    int | None,
    Whole("How many are asked in a visit.", least=1, most=10**6, otherwise="half of them"),
]
ASKS = "asks"  # how kinds of visits begin: the numbers of the questions follow


class TSRC(Policy):
    """Thompson sampling with a restricted context: `questions` of them a visit (maths 6).

    "Context Attentive Bandits: Contextual Bandit with Restricted Context", IJCAI 2017. Each
    question i has a worth θ_i, drawn from Beta(1 + r_i, 1 + n_i − r_i): r_i is the sum of the
    rewards, as shares of the range, of the n_i visits that asked it. The largest ones are asked;
    columns that were not asked are 0. Then every arm's model is drawn from N(μ, v²B⁻¹),
    B = I + Σzz', and the best is played.

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    questions : int, optional
        How many are asked in a visit, beside those that everyone is asked; half of them, rounded
        up, if left out.
    v : float, optional
        How widely models are drawn, in reward units; left out, the noise that an arm's rows show.
    seed : int
        Seed of the draws.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.TSRC(al.Survey.unit(6), arms=["a", "b"], reward=(0, 1), questions=2, seed=1)
    >>> visit = policy.visit()
    >>> len(visit.asks)
    2
    """

    name: ClassVar[str] = "tsrc"
    score_name = "score"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        questions: QuestionCount = None,
        v: Width = None,
        seed: Seed = 0,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        count = len(survey)
        self.questions = (count + 1) // 2 if questions is None else questions
        self.v, self.seed = v, seed
        self._check_settings()
        check_whole(self.questions, "questions", 1, count)
        self._sums = RidgeSums(len(self.roster), survey.column_count)
        self._asked: Floats = np.zeros(count)  # n_i
        self._earned: Floats = np.zeros(count)  # r_i

    # -- asking ----------------------------------------------------------------------------------

    def _kind(self, mask: Flags, number: int) -> str:
        _, chosen = self._draws(mask, number)
        return " ".join([ASKS, *map(str, np.sort(chosen).tolist())])

    def _draws(self, mask: Flags, number: int) -> tuple[Floats, Ints]:
        """Return the arms' normal numbers, which come first, and the questions that are asked."""
        rng = self.rng(number)
        luck = rng.standard_normal(len(mask))
        worth = rng.beta(PRIOR + self._earned, PRIOR + self._asked - self._earned)
        return luck, np.argsort(-worth, kind="stable")[: self.questions]

    def _of_kind(self, kind: str) -> Hooks:
        first, *numbers = kind.split(" ")
        return Asks(self, list(map(int, numbers))) if first == ASKS else self

    # -- deciding --------------------------------------------------------------------------------

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        luck = self.rng(number).standard_normal(len(mask))
        return self._largest(np.where(np.isnan(z), 0.0, z), mask, luck, stated=True)

    def _largest(self, known: Floats, mask: Flags, luck: Floats, *, stated: bool) -> Decision:
        """Play the largest score of a context with 0 where nothing was asked."""
        widths = self._sums.noise(FIRST_NOISE) if self.v is None else self.v / self.reward.span
        spreads = widths * self._sums.spreads(known)
        return draw_largest(self._sums.means(known), spreads, mask, luck, stated=stated)

    # -- learning --------------------------------------------------------------------------------

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        for arm, row, y in zip(played.tolist(), rows, ys.tolist(), strict=True):
            asked = ~self.survey.open_questions(row)
            self._teach(arm, np.where(np.isnan(row), 0.0, row), asked, y)

    def _teach(self, arm: int, known: Floats, asked: Flags, y: float) -> None:
        """Learn one row, with 0 where nothing was asked."""
        self._sums.add(arm, known, y)
        self._count(asked, self._share(y))

    def _share(self, y: float) -> float:
        """Return a reward as a share of the range."""
        low = self.reward.low / self.reward.span if self.survey.coding == "raw" else -0.5
        return min(max(y - low, 0.0), 1.0)

    def _count(self, asked: Flags, share: float) -> None:
        """Count a visit for the questions that it was asked."""
        self._asked += asked
        self._earned += share * asked

    def _grow(self) -> None:
        self._sums.grow()

    def _player(self) -> Player:
        return Subsets(self)

    # -- as data ---------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        counts = {"asked": pack(self._asked), "earned": pack(self._earned)}
        return {"arms": self._sums.state(), **counts}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._sums.restore(state["arms"], self, gaps=True)
        shape = (len(self.survey),)
        asked = unpack(state["asked"], shape, "how often questions were asked")
        earned = unpack(state["earned"], shape, "what questions have brought")
        whole = (asked == np.floor(asked)) & (asked >= 0) & (asked <= self._sums.total)
        if not (whole & (earned >= 0) & (earned <= asked + 1e-9)).all():
            raise StateError("its counts of questions cannot be")
        self._asked, self._earned = asked, earned


class Asks(VisitKind):
    """A visit that asks some questions, which its kind names."""

    policy: TSRC

    def __init__(self, policy: TSRC, numbers: list[int]) -> None:
        super().__init__(policy)
        self.numbers = numbers

    def _may_ask(self, mask: Flags) -> Flags:  # noqa: ARG002
        chosen = np.zeros(len(self.survey), dtype=bool)
        chosen[self.numbers] = True
        return chosen

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        return self.policy._decide(z, mask, number)

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        self.policy._learn(played, rows, ys)


class Subsets:
    """Plays visits on numbers, each with the questions that it draws."""

    def __init__(self, policy: TSRC) -> None:
        self.policy = policy
        self.cost = np.array([question.cost for question in policy.survey])

    def play(self, block: Block, begun: int, drops: Ints) -> Played:  # noqa: ARG002
        """Play a block of visits."""
        policy, live, count = self.policy, self.policy.roster.live, len(block)
        arms, asked = np.empty((2, count), dtype=np.int64)
        paid, rewards, owner = np.empty(count), block.rewards, policy.survey.owner
        for t, z in enumerate(block.contexts):
            mask = live if block.allowed is None else live & block.allowed[t]
            number = policy._next_number
            luck, chosen = policy._draws(mask, number)
            put = policy.survey.asked_of_everyone.copy()
            put[chosen] = True
            row = z.copy()
            row[1:][~put[owner]] = 0.0
            arms[t] = arm = policy._largest(row, mask, luck, stated=False).arm
            asked[t] = np.count_nonzero(put)
            # Summed one after the other, as a visit does: sums are rounded.
            paid[t] = self.cost[put].cumsum()[-1]
            y = policy._checked_reward(float(rewards[t, arm]))
            policy._teach(arm, row, put, y)
            policy._next_number += 1
            policy._version += 1
        return Played.of(block, live, arms, asked, paid)
