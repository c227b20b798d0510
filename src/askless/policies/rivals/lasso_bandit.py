"""The LASSO Bandit (Bastani & Bayati 2020): forced samples, two lassos an arm. Asks everything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.policies import shared_settings as shared
from askless.policies.arm_data import refusal
from askless.policies.decision import Decision
from askless.policies.hooks import Hooks, VisitKind
from askless.policies.player import Player
from askless.policies.rivals.asking_everything import AskingEverything, Rows
from askless.policies.rivals.sums import Sums
from askless.policies.state_proof import RowSpace
from askless.sparse import lasso
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Number, Whole

__all__ = ["LassoBandit", "forced_arm"]

FORCED = "forced"  # how the kinds of forced visits begin: the number of the arm follows
LAM = 0.05  # both penalties of the paper's simulations
SMALLEST, MOST = 1e-9, 1e9
PARTS = ("rows", "gram", "moment", "squares")


def forced_arm(number: int, arms: int, q: int) -> int | None:
    """Return the arm that a visit must play; None if it is free (maths 6).

    Visits are counted from 0. Arm i is forced at the times (2ⁿ − 1)Kq + j, q(i − 1) < j ≤ qi: so
    in rounds of Kq visits, which begin at 0 and then at Kq, 3Kq, 7Kq, …

    >>> [forced_arm(number, arms=2, q=1) for number in range(8)]
    [0, 1, 0, 1, None, None, 0, 1]
    """
    rounds, place = divmod(number, arms * q)
    starts = (rounds + 1) & rounds == 0  # rounds is 2ⁿ − 1
    return place // q if starts else None


class LassoBandit(AskingEverything):
    """Plays the best of the arms that forced samples leave, by a lasso on all rows (maths 6).

    "Online Decision Making with High-Dimensional Covariates", Operations Research 2020. Each arm is
    forced now and then, more and more rarely. In other visits, arms stay in the running whose lasso
    on forced rows is within h/2 of the best; of these the best by the lasso on all their rows is
    played. A lasso minimises (1/n)‖Y − Zβ‖² + λ‖β‖₁, the constant's column included, with rewards
    in units of the range; λ is `lam_forced` on forced rows, and lam_all·√((ln t + ln p)/t) on all.

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    q : int
        How often in a round each arm is forced.
    h : float, optional
        How far apart arms are that a forced sample tells apart, in reward units; half of the range
        if left out.
    lam_forced, lam_all : float
        The penalties; by default those of the paper's simulations.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.LassoBandit(al.Survey.unit(3), arms=["a", "b"], reward=(0, 1))
    >>> for i in range(4):
    ...     visit = policy.visit(known={"x1": i % 2, "x2": 0.5, "x3": 1})
    ...     policy.learn(visit, reward=0.5 + 0.5 * (visit.arm == "b"))
    >>> visit.kind, policy.visit(known={"x1": 1, "x2": 0.5, "x3": 1}).arm
    ('forced 1', 'b')
    """

    name: ClassVar[str] = "lasso-bandit"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        q: Annotated[
            int, Whole("How often in a round each arm is forced.", least=1, most=10**6)
        ] = 1,
        h: Annotated[
            float | None,
            Number(
                "How far apart arms are that forced samples tell apart, in reward units.",
                least=0,
                most=shared.LARGEST,
                otherwise="half the reward range",
            ),
        ] = None,
        lam_forced: Annotated[
            float, Number("Penalty of the lasso on forced rows.", least=SMALLEST, most=MOST)
        ] = LAM,
        lam_all: Annotated[
            float, Number("First penalty of the lasso on all rows.", least=SMALLEST, most=MOST)
        ] = LAM,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        self.q, self.lam_forced, self.lam_all = q, lam_forced, lam_all
        self.h = self.reward.span / 2 if h is None else h
        self._check_settings()
        shape = len(self.roster), survey.column_count
        self._forced, self._all = Sums(*shape), Sums(*shape)
        self._by_forced, self._by_all = np.zeros((2, *shape))

    # -- asking and deciding ---------------------------------------------------------------------

    def _kind(self, mask: Flags, number: int) -> str:
        arm = forced_arm(number, len(self.roster), self.q)
        return "full" if arm is None or not mask[arm] else f"{FORCED} {arm}"

    def _of_kind(self, kind: str) -> Hooks:
        first, *rest = kind.split(" ")
        return Forced(self, int(rest[0])) if first == FORCED else self

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:  # noqa: ARG002
        first = np.where(mask, self._by_forced @ z, -np.inf)
        near = first >= first.max() - self.h / self.reward.span / 2
        scores = np.where(near, self._by_all @ z, -np.inf)
        return Decision(int(np.argmax(scores)), scores)

    def _scores(self, z: Floats) -> Floats:
        return np.asarray(self._by_all @ z)

    def _outlook(self, z: Floats) -> tuple[Floats, Floats]:
        means = self.reward.span * self._scores(z)
        return means, means

    # -- learning --------------------------------------------------------------------------------

    def _teach(self, arm: int, z: Floats, y: float) -> None:
        self._all.add(arm, z, y)
        self._fit_all()

    def _teach_forced(self, arm: int, z: Floats, y: float) -> None:
        """Learn the row of a visit whose arm was forced."""
        self._forced.add(arm, z, y)
        self._fit(self._forced, arm, self.lam_forced, self._by_forced)
        self._teach(arm, z, y)

    def _fit_all(self) -> None:
        """Fit every arm anew: the penalty falls with every row, whichever arm it is of."""
        t = self._all.total + 1  # of the visit that comes next
        penalty = self.lam_all * math.sqrt((math.log(t) + math.log(self._all.gram.shape[-1])) / t)
        for arm in range(len(self.roster)):
            self._fit(self._all, arm, penalty, self._by_all)

    def _fit(self, sums: Sums, arm: int, lam: float, coefs: Floats) -> None:
        rows = int(sums.rows[arm])
        if rows:
            coefs[arm] = lasso(sums.gram[arm], sums.moment[arm], rows * lam / 2, coefs[arm])

    def _fit_anew(self) -> None:
        """Fit everything from nothing, so that one that is loaded goes on alike."""
        self._by_forced, self._by_all = np.zeros((2, *self._all.moment.shape))
        for arm in range(len(self.roster)):
            self._fit(self._forced, arm, self.lam_forced, self._by_forced)
        if self._all.total:
            self._fit_all()

    def _player(self) -> Player:
        return Rows(self)

    def _grow(self) -> None:
        self._forced.grow()
        self._all.grow()
        more = np.zeros((1, self.survey.column_count))
        self._by_forced = np.concatenate([self._by_forced, more])
        self._by_all = np.concatenate([self._by_all, more])

    # -- as data ---------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        self._fit_anew()
        pairs = zip(self._all.state(), self._forced.state(), strict=True)
        return {"arms": [{"all": every, "forced": forced} for every, forced in pairs]}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._all.restore([arm["all"] for arm in state["arms"]], self)
        self._forced.restore([arm["forced"] for arm in state["arms"]], self)
        space = RowSpace(self.survey, self.reward)
        for k, name in enumerate(self.arms):  # what was not forced must be rows, too
            free = [getattr(self._all, part)[k] - getattr(self._forced, part)[k] for part in PARTS]
            reason = space.doubt_sums(int(free[0]), np.tril(free[1]), free[2], float(free[3]))
            if reason is not None:
                raise refusal(name, f"without its forced rows, {reason}")
        self._fit_anew()


class Forced(VisitKind):
    """A visit whose arm is forced."""

    policy: LassoBandit

    def __init__(self, policy: LassoBandit, arm: int) -> None:
        super().__init__(policy)
        self.arm = arm

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        if not mask[self.arm]:  # it has been retired since
            return self.policy._decide(z, mask, number)
        return Decision(self.arm, np.where(mask, self.policy._scores(z), -np.inf))

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        for arm, z, y in zip(played.tolist(), rows, ys.tolist(), strict=True):
            forced = arm == self.arm
            (self.policy._teach_forced if forced else self.policy._teach)(arm, z, y)
