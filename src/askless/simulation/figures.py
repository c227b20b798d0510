"""Figures of simulated runs: regret and survey length against visits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from askless.simulation.runs import Runs

# Colours that differ in lightness too, for people who see few colours and for grey print.
COLOURS = (
    *("#0b559f", "#d1495b", "#2e8b57", "#edae49"),
    *("#66438c", "#6b6b6b", "#17a2b8", "#111111"),
)
STYLES = ("-", "--", "-.", ":")


def draw(
    curves: Mapping[str, Runs],
    title: str = "",
    *,
    logarithmic: bool = False,
    order: Sequence[str] = (),
) -> Figure:
    """Draw several curves side by side in regret and cumulative survey length.

    `order` has the labels of a series of figures, in which a label looks the same everywhere.
    """
    figure = Figure(figsize=(9.5, 4.1), layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.05))
    regret, asked = figure.subplots(1, 2)
    if logarithmic:
        for axes in (regret, asked):
            axes.set_xscale("log")
            axes.set_yscale("log")
    for i, (label, runs) in enumerate(curves.items()):
        place = order.index(label) if label in order else i
        look = COLOURS[place % len(COLOURS)], STYLES[place % len(STYLES)]
        _curve(regret, runs, "regret", label, look)
        _curve(asked, runs, "asked", label, look)
    regret.set_ylabel("cumulative expected regret")
    asked.set_ylabel("cumulative survey length (questions)")
    for axes in (regret, asked):
        axes.set_xlabel("visits")
        if not logarithmic:
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
        axes.grid(alpha=0.25)
        axes.xaxis.set_major_formatter("{x:,.10g}")
        axes.yaxis.set_major_formatter("{x:,.10g}")
        axes.spines[["top", "right"]].set_visible(False)
    # Below both panels, where no curve runs through it.
    columns = 4 if sum(map(len, curves)) < 110 else 3
    figure.legend(
        *regret.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=columns,
        frameon=False,
    )
    if title:
        figure.suptitle(title)
    return figure


def _curve(axes: Axes, runs: Runs, name: str, label: str, look: tuple[str, str]) -> None:
    visits = np.concatenate([[0], runs.runs[0].visits])
    values = np.array([np.concatenate([[0], getattr(run, name)]) for run in runs.runs])
    if axes.get_xscale() == "log":
        visits, values = visits[1:], values[:, 1:]
    colour, style = look
    axes.plot(
        visits, values.mean(axis=0), label=label, linewidth=1.8, color=colour, linestyle=style
    )
    axes.fill_between(
        visits, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, linewidth=0
    )
