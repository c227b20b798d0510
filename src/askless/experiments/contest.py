"""What a contest is: policies on many worlds, and who earns most net of the price of questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.errors import extra
from askless.experiments.entrants import OURS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FEWEST", "SINGLE", "Contest"]

SINGLE = "best single arm"  # known only afterwards, and nothing is asked
NEAR, FEWEST = 2.0, 5  # paired standard errors, of so many runs at least


@dataclass(frozen=True)
class Contest:
    """What policies brought on worlds; rewards as shares of their range.

    Attributes
    ----------
    worlds, labels : list of str
        The worlds, and the policies.
    sizes : tuple of int
        Numbers of people.
    price : float
        Of a question of cost 1, as a share of the range.
    reward, cost, asked : array (policies × worlds × sizes × runs)
        Reward a visit; what its questions cost, and how many they are.
    lost : array (policies × worlds × sizes × runs)
        Useful questions that some arm had dropped for good by then; NaN where nobody knows which
        are useful. What short forms and others leave out of a visit is not dropped.
    questions : array (worlds)
        How many each survey has.
    micros : array (policies)
        Microseconds a visit, measured on the first world, one policy after the other.
    """

    worlds: list[str]
    labels: list[str]
    sizes: tuple[int, ...]
    price: float
    reward: Floats
    cost: Floats
    asked: Floats
    lost: Floats
    questions: Floats
    micros: Floats

    @property
    def net(self) -> Floats:
        """Reward a visit less the price of what it was asked."""
        return np.asarray(self.reward - self.price * self.cost)

    @property
    def share(self) -> Floats:
        """Which share of the questions a visit was asked."""
        return np.asarray(self.asked / self.questions[:, None, None])

    def ranks(self) -> Floats:
        """Return each policy's rank in every world and size, by mean net; 1 is best.

        That of `SINGLE` is the one it would have: it does not compete.
        """
        means = self.net.mean(axis=3)
        better = means[self._competing][None] > means[:, None]  # [a, b]: b is better than a
        return np.asarray(1.0 + better.sum(axis=1))

    @property
    def _competing(self) -> list[int]:
        return [i for i, label in enumerate(self.labels) if label != SINGLE]

    def best(self) -> Ints:
        """Return which policy nets most (worlds × sizes), `SINGLE` left out."""
        own = self._competing
        return np.asarray(np.array(own)[self.net[own].mean(axis=3).argmax(axis=0)])

    def near_best(self) -> Flags:
        """Whether each is the best of a world and size, or within two paired standard errors.

        Of fewer than five runs nobody can say how far two are apart: the best alone counts then.
        Those who know beforehand what nobody knows (`SINGLE`) do not count as the best.
        """
        net = self.net
        off = np.take_along_axis(net, self.best()[None, :, :, None], axis=0) - net
        runs = net.shape[3]
        paired = off.std(axis=3, ddof=1) / np.sqrt(runs) if runs >= FEWEST else 0.0
        return np.asarray(off.mean(axis=3) <= NEAR * paired + 1e-12)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Go through all runs: a mapping a policy, world, size and run."""
        net = self.net
        for (k, w, s, r), value in np.ndenumerate(net):
            lost = float(self.lost[k, w, s, r])
            yield {
                "policy": self.labels[k],
                "world": self.worlds[w],
                "people": self.sizes[s],
                "run": r,
                "reward": float(self.reward[k, w, s, r]),
                "questions": float(self.asked[k, w, s, r]),
                "cost": float(self.cost[k, w, s, r]),
                "net": float(value),
                "useful_lost": None if np.isnan(lost) else lost,
            }

    def summary(self) -> Iterator[dict[str, Any]]:
        """Go through what each policy came to at each size: means over worlds, best net first.

        `error` is the standard error of the net over runs; `spread` its deviation over worlds.
        """
        runs, count = self.net.shape[3], len(self.worlds)
        variances = (
            self.net.var(axis=3, ddof=1) / runs if runs > 1 else np.full(self.net.shape[:3], np.nan)
        )
        errors = np.sqrt(variances.sum(axis=1)) / count
        net, ranks, near = self.net.mean(axis=3), self.ranks(), self.near_best()
        for s, people in enumerate(self.sizes):
            order = np.argsort(-net[:, :, s].mean(axis=1), kind="stable")
            for k in order.tolist():
                lost, competes = self.lost[k, :, s], self.labels[k] != SINGLE
                yield {
                    "people": people,
                    "policy": self.labels[k],
                    "net": float(net[k, :, s].mean()),
                    "error": float(errors[k, s]) if runs > 1 else None,
                    "spread": float(net[k, :, s].std(ddof=1)) if count > 1 else None,
                    "reward": float(self.reward[k, :, s].mean()),
                    "share": float(self.share[k, :, s].mean()),
                    "rank": float(ranks[k, :, s].mean()) if competes else None,
                    "near_best": int(near[k, :, s].sum()) if competes else None,
                    "useful_lost": None if np.isnan(lost).all() else float(np.nanmean(lost)),
                    "micros": None if np.isnan(self.micros[k]) else float(self.micros[k]),
                }

    def by_world(self) -> Iterator[dict[str, Any]]:
        """Go through worlds and sizes: who nets most and how much; ours beside it, if it plays."""
        net, near, best = self.net.mean(axis=3), self.near_best(), self.best()
        own = self.labels.index(OURS) if OURS in self.labels else None
        for w, name in enumerate(self.worlds):
            for s, people in enumerate(self.sizes):
                first = best[w, s]
                row = {
                    "world": name,
                    "questions": int(self.questions[w]),
                    "people": people,
                    "best": self.labels[first],
                    "net": float(net[first, w, s]),
                    "share": float(self.share[first, w, s].mean()),
                }
                if own is not None:
                    row |= {"ours": float(net[own, w, s]), "near": bool(near[own, w, s])}
                    row["own_share"] = float(self.share[own, w, s].mean())
                yield row

    def to_frame(self) -> pd.DataFrame:
        """Return all runs as a table."""
        with extra("cli"):
            import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(self.rows())
