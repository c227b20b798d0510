"""Regret beside the paper's bound on logarithmic axes, where a power is a straight line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from askless.simulation.figures import in_lines, panels, plain

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from askless.experiments.paper import Curve
    from askless.simulation.figures import Look

__all__ = ["draw_bounds"]


def draw_bounds(
    titled: Mapping[str, Sequence[Curve]],
    looks: Mapping[str, Look],
    title: str,
    *,
    narrow: bool = False,
) -> Figure:
    """Draw a panel a title: mean regret as a line, its bound as a thin line with dots.

    On narrow screens panels stand below each other.
    """
    count = len(titled)
    size = (4.2, 2.9 * count + 2.6) if narrow else (9.5, 4.6)
    figure, many = panels(count, 1 if narrow else count, size, shared=True, gap=0.15)
    found: dict[str, Artist] = {}
    for axes, (heading, curves) in zip(many, titled.items(), strict=True):
        for curve in curves:
            _pair(axes, curve, looks[curve.key.label][0])
        visits = curves[0].runs.runs[0].visits
        axes.plot(
            visits,
            visits,
            color="#999999",
            linewidth=1,
            label="the number of visits: more regret there cannot be",
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(heading, loc="left", fontsize="medium")
        axes.set_xlabel("visits")
        axes.xaxis.set_major_formatter("{x:,.10g}")
        axes.yaxis.set_major_formatter("{x:,.10g}")
        axes.tick_params(labelleft=True)
        plain(axes)
        if narrow or axes is many[0]:
            axes.set_ylabel("cumulative expected regret, and bound")
        handles, labels = axes.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    figure.legend(
        list(found.values()),
        list(found),
        loc="outside lower center",
        ncols=1 if narrow else 2,
        frameon=False,
    )
    figure.suptitle(in_lines(title, narrow=narrow))
    return figure


def _pair(axes: Axes, curve: Curve, colour: str) -> None:
    visits, label = curve.runs.runs[0].visits, curve.key.label
    axes.plot(visits, curve.regret, color=colour, linewidth=1.8, label=f"{label}: regret")
    if curve.bound is not None:
        axes.plot(
            visits,
            curve.bound,
            "o-",
            color=colour,
            linewidth=0.9,
            markersize=3,
            markevery=0.08,
            label=f"{label}: the paper's bound",
        )
