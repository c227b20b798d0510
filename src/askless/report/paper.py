"""The paper's experiment: its ridge figures, run and written to files (maths 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from askless.environments import paper_environment
from askless.policies import RidgeSurveyUCB
from askless.simulation import Runs, simulate
from askless.simulation.figures import draw

__all__ = ["Figure", "paper_figures", "write_paper"]

# The paper gives sigma and the norms; it is silent on alpha and delta (maths 7).
SETTINGS = {"sigma": 1.0, "alpha": 1.0, "delta": 0.1, "radius": "published_sqrt"}
FEATURES = 50
RIDGE = ((3, 0.3), (5, 0.3), (5, 0.5))  # arms and beta_min of the three ridge figures


@dataclass(frozen=True)
class Figure:
    """One of the paper's figures: its title and its curves."""

    name: str
    title: str
    arms: int
    beta_min: float
    curves: dict[str, Runs]


def paper_figures(
    horizon: int = 100_000,
    runs: int = 5,
    seed: int = 0,
    *,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Figure]:
    """Run the experiment, figure by figure: Ridge SurveyUCB, and the same UCB without dropping.

    The latter is what the paper calls LinUCB. The radius is `published_sqrt`, which guarantees
    nothing but is the only one that drops questions within the paper's horizon.
    """
    for arms, beta_min in RIDGE:
        world = paper_environment(arms=arms, features=FEATURES, coding="raw")
        curves = {}
        for label, drop in (("Ridge SurveyUCB", beta_min), ("LinUCB (never drops)", 0.0)):
            policy = RidgeSurveyUCB(
                world.survey,
                arms=world.arms,
                reward=world.reward,
                beta_min=drop,
                b2=math.sqrt(FEATURES),
                **SETTINGS,  # type: ignore[arg-type]
            )
            curves[label] = simulate(
                policy, world, horizon, runs, seed, workers=workers, progress=progress
            )
        yield Figure(
            name=f"ridge-arms{arms}-betamin{beta_min:g}",
            title=f"Ridge SurveyUCB, {arms} arms, beta_min = {beta_min:g}, mean of {runs} runs",
            arms=arms,
            beta_min=beta_min,
            curves=curves,
        )


def visits_of(horizon: int, runs: int) -> int:
    """Count the visits that `paper_figures` plays."""
    return horizon * runs * 2 * len(RIDGE)


def write_paper(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure as PNG and SVG, and its curves as CSV; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw(figure.curves, figure.title)
    paths = [folder / f"{figure.name}{ending}" for ending in (".png", ".svg", ".csv")]
    drawn.savefig(paths[0], dpi=150)
    drawn.savefig(paths[1])
    frames = [runs.to_frame().assign(curve=label) for label, runs in figure.curves.items()]
    pd.concat(frames, ignore_index=True).to_csv(paths[2], index=False)
    return paths
