"""What simulated runs leave behind: regret and questions at checkpoints, drops, plays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.errors import extra
from askless.kernels.bundles import Flags, Floats, Ints

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Drop", "Run", "Runs"]


@dataclass(frozen=True)
class Drop:
    """An arm dropped a question: at which visit, after how many of the arm's rows."""

    arm: str
    question: str
    visit: int
    row: int
    useful: bool


@dataclass(frozen=True)
class Run:
    """One simulated run.

    Attributes
    ----------
    index : int
        Which run it is; its respondents depend on (seed, index) alone.
    visits : array
        The checkpoints: numbers of visits.
    regret, asked, cost : array
        Expected regret, questions asked and what they cost, summed up to each checkpoint.
    other_arms : int
        Visits in which the full survey would have given another arm; 0 unless the survey is
        interactive by the paper's heuristic.
    plays_at, widest_at : array (checkpoints × K)
        How often each arm was played up to each checkpoint, and the largest radius of its
        confidence set in those visits: 0 before its first, and if the policy has no such sets.
    support : array (K × questions)
        Which questions each arm's model uses at the end.
    drops : tuple of Drop
        What was dropped, in the order in which it happened.
    """

    index: int
    visits: Ints
    regret: Floats
    asked: Ints
    cost: Floats
    other_arms: int
    plays_at: Ints
    widest_at: Floats
    support: Flags
    drops: tuple[Drop, ...]
    questions_left: tuple[str, ...]

    @property
    def plays(self) -> Ints:
        """How often each arm was played."""
        last: Ints = self.plays_at[-1]
        return last

    @property
    def questions_per_visit(self) -> float:
        """Mean number of questions asked."""
        return float(self.asked[-1] / self.visits[-1])

    @property
    def cost_per_visit(self) -> float:
        """Mean cost of the questions asked."""
        return float(self.cost[-1] / self.visits[-1])

    @property
    def useful_dropped(self) -> int:
        """How many (arm, question) pairs with an effect were dropped."""
        return sum(drop.useful for drop in self.drops)


@dataclass(frozen=True)
class Runs:
    """Simulated runs of one policy in one environment.

    Attributes
    ----------
    policy : str
        Name of the policy.
    settings : dict
        Its settings and derived constants.
    horizon, seed : int
        Visits of a run; seed of all runs.
    seconds : float
        Wall time of all runs, without compilation.
    runs : tuple of Run
        The runs.
    """

    policy: str
    settings: dict[str, Any]
    horizon: int
    seed: int
    seconds: float
    runs: tuple[Run, ...] = field(repr=False)

    @property
    def regret(self) -> float:
        """Mean regret of a run."""
        return float(np.mean([run.regret[-1] for run in self.runs]))

    @property
    def questions_per_visit(self) -> float:
        """Mean number of questions a visit."""
        return float(np.mean([run.questions_per_visit for run in self.runs]))

    @property
    def cost_per_visit(self) -> float:
        """Mean cost of the questions asked in a visit."""
        return float(np.mean([run.cost_per_visit for run in self.runs]))

    @property
    def other_arms(self) -> int:
        """Visits of all runs in which the full survey would have given another arm."""
        return sum(run.other_arms for run in self.runs)

    def to_frame(self) -> pd.DataFrame:
        """Return a row a run and checkpoint: run, visits, regret, asked, cost."""
        with extra("cli"):
            import pandas as pd  # noqa: PLC0415

        columns = ("visits", "regret", "asked", "cost")
        frames = [
            pd.DataFrame({"run": run.index} | {name: getattr(run, name) for name in columns})
            for run in self.runs
        ]
        return pd.concat(frames, ignore_index=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data, as `askless simulate --json` prints them."""
        return {
            "policy": self.policy,
            "settings": self.settings,
            "horizon": self.horizon,
            "seconds": self.seconds,
            "runs": [
                {
                    "seed": self.seed,
                    "run": run.index,
                    "regret": float(run.regret[-1]),
                    "questions_per_visit": run.questions_per_visit,
                    "cost_per_visit": run.cost_per_visit,
                    "questions_left": list(run.questions_left),
                    "useful_dropped": run.useful_dropped,
                    "other_arms": run.other_arms,
                    "plays": run.plays.tolist(),
                }
                for run in self.runs
            ],
            "mean": {
                "regret": self.regret,
                "questions_per_visit": self.questions_per_visit,
                "cost_per_visit": self.cost_per_visit,
            },
        }

    def plot(self) -> Figure:
        """Draw regret and questions asked against visits: mean over runs, and their range."""
        with extra("cli"):
            from askless.simulation.figures import draw  # noqa: PLC0415

        return draw({self.policy: self})
