"""All policies on the same respondents: regret and questions at growing horizons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from askless.environments import LinearEnvironment
from askless.policies import (
    OFUL,
    ElasticNetSurveyUCB,
    EpochSurveyUCB,
    LinUCB,
    Policy,
    RidgeSurveyUCB,
    SurveyBandit,
)
from askless.simulation import Runs, simulate
from askless.simulation.figures import draw

__all__ = ["compared", "horizon_table", "write_comparison"]

CHECKPOINTS = 1_000


def contenders(world: LinearEnvironment, beta_min: float, delta: float) -> dict[str, Policy]:
    """Return the policies by the names of their curves; everything but delta at its default."""
    same: dict[str, Any] = {"arms": world.arms, "reward": world.reward, "delta": delta}
    drops = same | {"beta_min": beta_min}
    return {
        "LinUCB (Li 2010)*": LinUCB(world.survey, **same),
        "OFUL": OFUL(world.survey, **same),
        "Ridge, valid": RidgeSurveyUCB(world.survey, **drops),
        "Ridge, published": RidgeSurveyUCB(world.survey, radius="published", **drops),
        "Ridge, published_sqrt*": RidgeSurveyUCB(world.survey, radius="published_sqrt", **drops),
        "Elastic net, valid": ElasticNetSurveyUCB(world.survey, **drops),
        "Epoch": EpochSurveyUCB(world.survey, **drops),
        "Epoch, interactive": SurveyBandit(world.survey, **drops),
    }


def compared(
    world: LinearEnvironment,
    beta_min: float,
    delta: float,
    horizon: int,
    runs: int,
    seed: int = 0,
    *,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Iterator[tuple[str, Runs]]:
    """Run every contender on the same respondents, one after the other."""
    for label, policy in contenders(world, beta_min, delta).items():
        yield (
            label,
            simulate(
                policy,
                world,
                horizon,
                runs,
                seed,
                workers=workers,
                checkpoints=CHECKPOINTS,
                progress=progress,
            ),
        )


def horizon_table(curves: dict[str, Runs]) -> pd.DataFrame:
    """Return a row a curve and power of ten: mean regret and mean questions a visit up to it."""
    rows = []
    for label, runs in curves.items():
        visits = runs.runs[0].visits
        powers = [10**e for e in range(3, 16) if 10**e < runs.horizon]
        for horizon in (*powers, runs.horizon):
            at = int(np.searchsorted(visits, horizon))
            rows.append(
                {
                    "curve": label,
                    "visits": int(visits[at]),
                    "regret": float(np.mean([run.regret_at[at] for run in runs.runs])),
                    "questions": float(
                        np.mean([run.asked_at[at] for run in runs.runs]) / visits[at]
                    ),
                    "useful_dropped": sum(
                        bool(drop.useful)
                        for run in runs.runs
                        for drop in run.drops
                        if drop.visit <= visits[at]
                    ),
                }
            )
    return pd.DataFrame(rows)


def write_comparison(curves: dict[str, Runs], title: str, folder: Path) -> list[Path]:
    """Write the figure as PNG and SVG, and the table as CSV; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw(curves, title, logarithmic=True)
    paths = [folder / f"comparison{ending}" for ending in (".png", ".svg", ".csv")]
    drawn.savefig(paths[0], dpi=150)
    drawn.savefig(paths[1])
    horizon_table(curves).to_csv(paths[2], index=False)
    return paths
