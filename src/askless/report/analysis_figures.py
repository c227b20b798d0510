"""What a study has shown, as figures: what was asked, effects with their signs, arm means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from askless.evaluation.analysis import Analysis
from askless.evaluation.sureness import is_sure, surest, telling
from askless.report.analysis_summary import label_of
from askless.simulation.figures import COLOURS, panels, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from askless.evaluation.arm_means import ArmMean, Contrast

__all__ = ["MOST_SHOWN", "draw_arm_means", "draw_asked", "draw_effects"]

MOST_SHOWN = 30  # rows of a figure that can be read
THIN, THICK = 1.1, 4.5
BREADTH = {True: 4.2, False: 8.8}  # inches, on narrow screens and others
LETTERS = {True: 44, False: 40}  # of a label's line
MARKERS = {"model": "o", "draws": "s"}


@dataclass(frozen=True)
class Bar:
    """A row of a forest plot."""

    label: str
    estimate: float
    thin: tuple[float, float] | None  # the wider interval
    thick: tuple[float, float] | None
    colour: str
    marker: str = "o"
    filled: bool = True


def draw_asked(analysis: Analysis, *, narrow: bool = False) -> Figure:
    """Draw questions and reward a visit over time."""
    size = BREADTH[narrow], 6.0 if narrow else 3.4
    figure, (asked, reward) = panels(2, 1 if narrow else 2, size, shared=False)
    rows = analysis.stretches
    edges = [row.first for row in rows] + [rows[-1].last + 1]
    asked.stairs([row.asked for row in rows], edges, color=COLOURS[0], linewidth=1.8, baseline=None)
    asked.set_ylim(0, 1.06 * len(analysis.study.survey))
    asked.set_ylabel("questions a visit")
    means = np.array([np.nan if row.reward is None else row.reward for row in rows])
    reward.stairs(means, edges, color=COLOURS[1], linewidth=1.8, baseline=None)
    reward.set_ylabel("mean reward a visit")
    reward.margins(y=0.12)
    for axes in (asked, reward):
        axes.set_xlabel("visits")
        axes.set_xlim(0, edges[-1])
        plain(axes)
        _tidy(axes)
        axes.yaxis.set_major_formatter("{x:,.10g}")
    return figure


def draw_effects(analysis: Analysis, *, narrow: bool = False) -> Figure | None:
    """Draw the surest effects with both intervals, by arm; None where there are none."""
    shown = surest(telling(analysis), MOST_SHOWN)
    if not shown:
        return None
    arms = [arm.name for arm in analysis.study.arms]
    groups = []
    for k, arm in enumerate(arms):
        own = sorted(
            (row for row in shown if row.arm == arm), key=lambda row: -(row.estimate or 0.0)
        )
        bars = [
            Bar(
                label_of(row),
                row.estimate or 0.0,
                _pair(row.low, row.high),
                _pair(row.end_low, row.end_high),
                COLOURS[k % len(COLOURS)],
                filled=is_sure(row),
            )
            for row in own
        ]
        if bars:
            groups.append((arm, bars))
    lines = sum(1 + len(bars) for _, bars in groups)
    height = (0.5 if narrow else 0.3) * lines + 1.6
    figure = _tall(narrow, height)
    axes = figure.subplots()
    _forest(axes, groups, narrow=narrow)
    axes.axvline(0.0, color="#777777", linewidth=0.9, zorder=0)
    axes.set_xlabel("difference in the arm's expected reward")
    figure.legend(
        handles=_legend_of_effects(any(row.end_low is not None for row in shown)),
        loc="outside lower center",
        ncols=1 if narrow else 2,
        frameon=False,
        fontsize="small",
    )
    return figure


def draw_arm_means(analysis: Analysis, *, narrow: bool = False) -> Figure | None:
    """Draw arm means and their differences, by the model and by draws; None if there are none."""
    means = [row for row in analysis.arm_means if row.estimate is not None]
    gaps = [row for row in analysis.contrasts if row.estimate is not None][:MOST_SHOWN]
    panels: list[tuple[str, Sequence[ArmMean | Contrast], list[str]]] = [
        ("mean reward if everyone got the arm", means, [row.arm for row in means]),
        ("difference of two arms", gaps, [f"{row.arm} less {row.other}" for row in gaps]),
    ]
    panels = [panel for panel in panels if panel[1]]
    if not panels:
        return None
    counts = [len(rows) for _, rows, _ in panels]
    step = 0.5 if narrow else 0.3
    heights = [step * count + 1.1 for count in counts]
    figure = _tall(narrow, (sum(heights) if narrow else max(heights)) + 0.5)
    if narrow:
        many = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    else:
        many = figure.subplots(1, len(panels), squeeze=False)
    for axes, (title, rows, labels) in zip(many.flat, panels, strict=True):
        _forest(axes, [("", list(_bars(rows, labels)))], narrow=narrow)
        axes.set_xlabel(title)
        if title.startswith("difference"):
            axes.axvline(0.0, color="#777777", linewidth=0.9, zorder=0)
    return figure


def _bars(rows: Sequence[ArmMean | Contrast], labels: Sequence[str]) -> Iterable[Bar]:
    for row, label in zip(rows, labels, strict=True):
        yield Bar(
            f"{label}, by {row.by}",
            row.estimate or 0.0,
            None,
            _pair(row.low, row.high),
            _colour(row.by),
            MARKERS[row.by],
        )


def _colour(by: str) -> str:
    return COLOURS[list(MARKERS).index(by)]


def _pair(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def _tall(narrow: bool, height: float) -> Figure:
    return Figure(
        figsize=(BREADTH[narrow], height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06)
    )


def _forest(axes: Axes, groups: Sequence[tuple[str, Sequence[Bar]]], *, narrow: bool) -> None:
    """Draw a row a bar; labels stand beside them, on narrow screens above them."""
    at, places, labels = 0.0, [], []
    for name, bars in groups:
        if name:
            _write(axes, at, name, bold=True)
            at -= 1.0
        for bar in bars:
            _draw(axes, at, bar)
            if narrow:
                _write(axes, at + 0.42, fill(bar.label, LETTERS[narrow]), bold=False)
            else:
                places.append(at)
                labels.append(fill(bar.label, LETTERS[narrow]))
            at -= 1.0
    axes.set_yticks(places, labels, fontsize="small")
    axes.set_ylim(at + 0.4, 0.9 if narrow else 0.7)
    axes.margins(x=0.04)
    axes.grid(axis="x", alpha=0.25)
    axes.tick_params(axis="y", length=0)
    _tidy(axes)
    axes.spines["left"].set_visible(False)


def _draw(axes: Axes, at: float, bar: Bar) -> None:
    for ends, width in ((bar.thin, THIN), (bar.thick, THICK)):
        if ends is not None:
            axes.plot(ends, [at, at], color=bar.colour, linewidth=width, solid_capstyle="butt")
    axes.plot(
        [bar.estimate],
        [at],
        marker=bar.marker,
        markersize=7,
        markeredgewidth=1.4,
        color=bar.colour,
        markerfacecolor=bar.colour if bar.filled else "white",
        linestyle="none",
        zorder=3,
    )


def _write(axes: Axes, at: float, text: str, *, bold: bool) -> None:
    """Write into the panel, from its left edge."""
    axes.text(
        0.0,
        at,
        text,
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize="medium" if bold else "small",
        fontweight="bold" if bold else "normal",
    )


def _tidy(axes: Axes) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(5))  # five labels never run together
    axes.xaxis.set_major_formatter("{x:,.10g}")
    axes.spines[["top", "right"]].set_visible(False)


def _legend_of_effects(has_end: bool) -> list[Line2D]:
    grey = "#444444"
    handles = [
        Line2D([], [], color=grey, marker="o", linestyle="none", markerfacecolor=face, label=label)
        for face, label in ((grey, "other than zero by its interval"), ("white", "may be zero"))
    ]
    if has_end:
        handles.append(Line2D([], [], color=grey, linewidth=THICK, label="95% at the end"))
    return [*handles, Line2D([], [], color=grey, linewidth=THIN, label="95% at all times")]
