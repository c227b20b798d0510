"""What simulated runs leave behind: regret, rewards and questions at checkpoints, drops, plays."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.errors import extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Drop", "Run", "Runs"]


def known(figure: float) -> float | None:
    """Return a figure as JSON has it: None where it is not known."""
    return None if math.isnan(figure) else float(figure)


@dataclass(frozen=True)
class Drop:
    """An arm dropped a question: at which visit, after how many of the arm's rows.

    And whether the question has an effect in that arm; None where nobody knows.
    """

    arm: str
    question: str
    visit: int
    row: int
    useful: bool | None


@dataclass(frozen=True)
class Run:
    """One simulated run: curves end in `_at`, the figures of the whole run do not.

    Attributes
    ----------
    index : int
        Which run it is; its respondents depend on (seed, index) alone.
    visits : array
        The checkpoints: numbers of visits.
    regret_at, reward_at, asked_at, cost_at : array
        Expected regret, rewards, questions asked and what they cost, summed up to each checkpoint.
        Regret is NaN where nobody knows what to expect of an arm.
    plays_at, widest_at : array (checkpoints × K)
        How often each arm was played up to each checkpoint, and the largest radius of its
        confidence set in those visits: 0 before its first, and if the policy has no such sets.
    lengths_at : array (checkpoints × (questions + 1))
        How many visits were asked 0, 1, … questions up to each checkpoint.
    other_arms : int
        Visits in which the full survey would have given another arm; 0 unless the survey is
        interactive by the paper's heuristic.
    support : array (K × questions)
        Which questions each arm's model uses at the end.
    drops : tuple of Drop
        What was dropped, in the order in which it happened.
    """

    index: int
    visits: Ints
    regret_at: Floats
    reward_at: Floats
    asked_at: Ints
    cost_at: Floats
    plays_at: Ints
    widest_at: Floats
    lengths_at: Ints
    other_arms: int
    support: Flags
    drops: tuple[Drop, ...]
    questions_left: tuple[str, ...]

    @property
    def regret(self) -> float:
        """Expected regret of the run; NaN where nobody knows it."""
        return float(self.regret_at[-1])

    @property
    def reward(self) -> float:
        """Sum of the rewards."""
        return float(self.reward_at[-1])

    @property
    def asked(self) -> int:
        """How many questions were asked."""
        return int(self.asked_at[-1])

    @property
    def cost(self) -> float:
        """What they cost."""
        return float(self.cost_at[-1])

    @property
    def plays(self) -> Ints:
        """How often each arm was played."""
        last: Ints = self.plays_at[-1]
        return last

    @property
    def reward_per_visit(self) -> float:
        """Mean reward."""
        return float(self.reward / self.visits[-1])

    @property
    def questions_per_visit(self) -> float:
        """Mean number of questions asked."""
        return float(self.asked / self.visits[-1])

    @property
    def cost_per_visit(self) -> float:
        """Mean cost of the questions asked."""
        return float(self.cost / self.visits[-1])

    @property
    def useful_dropped(self) -> int | None:
        """How many (arm, question) pairs with an effect were dropped; None where nobody knows."""
        flags = [drop.useful for drop in self.drops]
        return None if None in flags else sum(map(bool, flags))


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
        Wall time of all runs.
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
        """Mean regret of a run; NaN where nobody knows it."""
        return float(np.mean([run.regret for run in self.runs]))

    @property
    def reward(self) -> float:
        """Mean sum of a run's rewards."""
        return float(np.mean([run.reward for run in self.runs]))

    @property
    def reward_per_visit(self) -> float:
        """Mean reward of a visit."""
        return float(np.mean([run.reward_per_visit for run in self.runs]))

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

    def __str__(self) -> str:
        count = len(self.runs)
        many = "1 run" if count == 1 else f"mean of {count:,} runs"
        regret = "not known" if math.isnan(self.regret) else f"{self.regret:,.1f}"
        return "\n".join(
            [
                f"{self.policy}, {many} of {self.horizon:,} visits",
                f"reward a visit     {self.reward_per_visit:,.4g}",
                f"questions a visit  {self.questions_per_visit:,.2f}",
                f"regret             {regret}",
                f"drops              {self._dropped()}",
            ]
        )

    def _dropped(self) -> str:
        """Say how many questions arms dropped, and how many of those that matter to them."""
        drops = sum(len(run.drops) for run in self.runs) / len(self.runs)
        useful = [run.useful_dropped for run in self.runs]
        said = f"{drops:,.3g} (arm, question) pairs"
        if None in useful or not drops:
            return said
        return f"{said}; useful ones {sum(filter(None, useful)) / len(useful):,.3g}"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a run and checkpoint: run, visits, regret, reward, asked, cost."""
        with extra("cli"):
            import pandas as pd  # noqa: PLC0415

        curves = ("regret", "reward", "asked", "cost")
        frames = [
            pd.DataFrame(
                {"run": run.index, "visits": run.visits}
                | {name: getattr(run, f"{name}_at") for name in curves}
            )
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
                    "regret": known(run.regret),
                    "reward": run.reward,
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
                "regret": known(self.regret),
                "reward": self.reward,
                "questions_per_visit": self.questions_per_visit,
                "cost_per_visit": self.cost_per_visit,
            },
        }

    def plot(self) -> Figure:
        """Draw regret and questions asked against visits: mean over runs, and their range.

        Where nobody knows the regret, the mean reward instead.
        """
        with extra("cli"):
            from askless.simulation.figures import draw  # noqa: PLC0415

        return draw({self.policy: self})
