"""Figures of simulated runs: regret, or reward where regret is not known, and survey length."""

from __future__ import annotations

import math
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import LogFormatter, MaxNLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from askless.core.arrays import Floats, Ints
    from askless.simulation.runs import Runs

# Colours that differ in lightness too, for people who see few colours and for grey print.
COLOURS = (
    *("#0b559f", "#d1495b", "#2e8b57", "#edae49"),
    *("#66438c", "#6b6b6b", "#17a2b8", "#111111", "#b5651d"),
)
STYLES = ("-", "--", "-.", ":")
Look = tuple[str, str]  # a colour, a style
NEAR = 0.01  # of a height: so near, curves cannot be told apart


def draw(
    curves: Mapping[str, Runs],
    title: str = "",
    *,
    logarithmic: bool = False,
    log_regret: bool = False,
    looks: Mapping[str, Look] | None = None,
    narrow: bool = False,
) -> Figure:
    """Draw several curves side by side in regret and cumulative survey length.

    Where nobody knows the regret of one of them, all show their mean reward a visit instead.

    Parameters
    ----------
    curves : mapping of str to Runs
        The curves, by their labels.
    title : str
        The title.
    logarithmic, log_regret : bool
        Whether all axes are logarithmic, or that of regret alone.
    looks : mapping of str to (colour, style), optional
        How labels look, so that one looks the same in a series of figures.
    narrow : bool
        Whether it is for a narrow screen: panels stand below each other.
    """
    size = (4.2, 6.6 + 0.22 * len(curves)) if narrow else (9.5, 4.6)
    figure, (regret, asked) = panels(2, 1 if narrow else 2, size, gap=0.15)
    unknown = any(np.isnan(run.regret_at).any() for runs in curves.values() for run in runs.runs)
    if logarithmic:
        for axes in (regret, asked):
            axes.set_xscale("log")
        asked.set_yscale("log")
    if (logarithmic or log_regret) and not unknown:  # a mean reward may be negative
        regret.set_yscale("log")
    for i, (label, runs) in enumerate(curves.items()):
        look = (looks or {}).get(label, (COLOURS[i % len(COLOURS)], STYLES[i % len(STYLES)]))
        if unknown:
            _means(regret, runs, label, look)
        else:
            _curve(regret, runs, "regret_at", label, look)
        _curve(asked, runs, "asked_at", label, look)
    for axes in (regret, asked):
        same = _on_each_other(axes, letters=42 if narrow else 58)
        axes.set_title(same, loc="left", fontsize="small", color="#555555")
    scale = " (log scale)" if log_regret else ""
    regret.set_ylabel("mean reward a visit" if unknown else f"cumulative expected regret{scale}")
    asked.set_ylabel("cumulative survey length (questions)")
    for axes in (regret, asked):
        axes.set_xlabel("visits")
        if not logarithmic:
            axes.set_xlim(left=0)
            if axes.get_yscale() == "linear" and not (axes is regret and unknown):
                axes.set_ylim(bottom=0)
        plain(axes)
        if narrow and not logarithmic:
            axes.xaxis.set_major_locator(MaxNLocator(4))  # else labels run together
        axes.xaxis.set_major_formatter("{x:,.10g}")
        axes.yaxis.set_major_formatter("{x:,.10g}")
        if axes.get_yscale() == "log":
            axes.yaxis.set_minor_formatter(PlainLogFormatter())
    # Below both panels, where no curve runs through it.
    columns = 4 if sum(map(len, curves)) < 110 else 3
    figure.legend(
        *regret.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=1 if narrow else columns,
        frameon=False,
    )
    if title:
        figure.suptitle(in_lines(title, narrow=narrow))
    return figure


def in_lines(title: str, *, narrow: bool) -> str:
    """Return a title in as many lines as it takes."""
    return fill(title, 38) if narrow else title


def panels(
    count: int,
    across: int,
    size: tuple[float, float],
    *,
    shared: bool = False,
    gap: float = 0.12,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels, so many beside each other; they may share what is high.

    `size` is in inches, and so is the gap.
    """
    figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=gap, h_pad=0.06))
    rows = math.ceil(count / across)
    many = list(figure.subplots(rows, across, sharey=shared, squeeze=False).flat)
    for axes in many[count:]:
        axes.set_visible(False)
    return figure, many[:count]


def plain(axes: Axes) -> None:
    """Let a panel have a faint grid, and no frame where there is no axis."""
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _curve(axes: Axes, runs: Runs, name: str, label: str, look: Look) -> None:
    visits = np.concatenate([[0], runs.runs[0].visits])
    values = np.array([np.concatenate([[0], getattr(run, name)]) for run in runs.runs])
    if "log" in (axes.get_xscale(), axes.get_yscale()):
        visits, values = visits[1:], values[:, 1:]
    _band(axes, visits, values, label, look)


def _means(axes: Axes, runs: Runs, label: str, look: Look) -> None:
    """Draw the mean reward of a visit, up to each checkpoint."""
    values = np.array([run.reward_at / run.visits for run in runs.runs])
    _band(axes, runs.runs[0].visits, values, label, look)


def _band(axes: Axes, visits: Ints, values: Floats, label: str, look: Look) -> None:
    """Draw the mean of several runs, and their range."""
    colour, style = look
    axes.plot(
        visits, values.mean(axis=0), label=label, linewidth=1.8, color=colour, linestyle=style
    )
    axes.fill_between(
        visits, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, linewidth=0
    )


def _on_each_other(axes: Axes, *, letters: int) -> str:
    """Say which curves lie on each other, as far as an eye can tell: one hides the others."""
    logarithmic = axes.get_yscale() == "log"
    heights = {str(line.get_label()): np.asarray(line.get_ydata()) for line in axes.get_lines()}
    highest = max(float(np.abs(height).max()) for height in heights.values())
    groups: list[list[str]] = []
    for label, height in heights.items():
        for group in groups:
            first = heights[group[0]]
            if np.all(np.abs(height - first) <= NEAR * (first if logarithmic else highest)):
                group.append(label)
                break
        else:
            groups.append([label])
    lines = ["On each other: " + "; ".join(group) for group in groups if len(group) > 1]
    return "\n".join(fill(line, letters) for line in lines)


class PlainLogFormatter(LogFormatter):
    """Ticks of a logarithmic axis as plain numbers, where matplotlib would label them at all."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return a tick's label."""
        return f"{x:,.10g}" if super().__call__(x, pos) else ""
