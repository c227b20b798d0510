"""The paper's experiment: its five figures, run and written to files (maths 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from askless.environments import LinearEnvironment, paper_environment
from askless.policies import ElasticNetSurveyUCB, Policy, RidgeSurveyUCB, SurveyBandit
from askless.simulation import Runs, simulate
from askless.simulation.figures import draw
from askless.survey.survey import Coding

__all__ = ["Figure", "paper_figures", "write_paper"]

# The paper gives sigma and the norms; it is silent on alpha and delta (maths 7).
SIGMA, ALPHA, DELTA, B1 = 1.0, 1.0, 0.1, 2.0
FEATURES = 50
RIDGE, NET, NEVER = "Ridge SurveyUCB", "Elastic Net SurveyUCB", "the paper's LinUCB"
EPOCH = "Epoch SurveyUCB, interactive"  # ours, with a guarantee: al.SurveyBandit
ASKS = ", interactive"  # what is added to the name of a curve
LABELS = (RIDGE, RIDGE + ASKS, NEVER, EPOCH, NET, NET + ASKS)
# Arms, beta_min and curves of each figure; the first curve is what the figure is about.
FIGURES = (
    (3, 0.3, (RIDGE, RIDGE + ASKS, NEVER, EPOCH)),
    (5, 0.3, (RIDGE, RIDGE + ASKS, NEVER, EPOCH)),
    (5, 0.5, (RIDGE, RIDGE + ASKS, NEVER, EPOCH)),
    (5, 0.7, (NET, NET + ASKS, RIDGE, NEVER, EPOCH)),
    (5, 1.5, (NET, NET + ASKS, RIDGE, NEVER, EPOCH)),
)


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
    """Run the experiment, figure by figure: SurveyUCB, also interactive, and without dropping.

    The last is what the paper calls LinUCB. Interactive surveys are asked by arm, as in the paper,
    with bounds that hold (maths 4). The radii are `published_sqrt` and, of the elastic
    net, `published_scaled_sqrt`, which guarantee nothing but are the only ones that drop questions
    within the paper's horizon, and keep what the paper says is kept. Beside them the recommended
    policy, `SurveyBandit`, with its guarantee and every setting but delta at its default.
    """
    never: dict[int, Runs] = {}
    for arms, beta_min, labels in FIGURES:
        curves = {}
        for label in labels:
            coding: Coding = "centred" if label == EPOCH else "raw"  # the same people in both
            world = paper_environment(arms=arms, features=FEATURES, coding=coding)
            if label != NEVER or arms not in never:
                policy = _policy(label, world, beta_min)
                curves[label] = simulate(
                    policy, world, horizon, runs, seed, workers=workers, progress=progress
                )
            if label == NEVER:
                curves[label] = never.setdefault(arms, curves.get(label) or never[arms])
        kind = "net" if labels[0] == NET else "ridge"
        yield Figure(
            name=f"{kind}-arms{arms}-betamin{beta_min:g}",
            title=f"{labels[0]}, {arms} arms, beta_min = {beta_min:g}: mean and range of"
            f" {runs} run{'s' if runs > 1 else ''}",
            arms=arms,
            beta_min=beta_min,
            curves=curves,
        )


def _policy(label: str, world: LinearEnvironment, beta_min: float) -> Policy:
    if label == EPOCH:
        return SurveyBandit(
            world.survey, arms=world.arms, reward=world.reward, beta_min=beta_min, delta=DELTA
        )
    is_net = label.startswith(NET)
    kind = ElasticNetSurveyUCB if is_net else RidgeSurveyUCB
    return kind(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=0.0 if label == NEVER else beta_min,
        radius="published_scaled_sqrt" if is_net else "published_sqrt",
        interactive=label.endswith(ASKS),
        sigma=SIGMA,
        alpha=ALPHA,
        delta=DELTA,
        b1=B1,
        b2=math.sqrt(FEATURES),
    )


def visits_of(horizon: int, runs: int) -> int:
    """Count the visits that `paper_figures` plays; what never drops is played once for its arms."""
    dropping = sum(len(labels) - 1 for _, _, labels in FIGURES)
    return horizon * runs * (dropping + len({arms for arms, _, _ in FIGURES}))


def write_paper(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure as PNG and SVG, and its curves as CSV; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw(figure.curves, figure.title, order=LABELS)
    paths = [folder / f"{figure.name}{ending}" for ending in (".png", ".svg", ".csv")]
    drawn.savefig(paths[0], dpi=150)
    drawn.savefig(paths[1])
    frames = [runs.to_frame().assign(curve=label) for label, runs in figure.curves.items()]
    pd.concat(frames, ignore_index=True).to_csv(paths[2], index=False)
    return paths
