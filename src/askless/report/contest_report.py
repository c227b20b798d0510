"""A contest as files: one page with tables and figures, all runs as CSV, everything as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from askless.experiments.contest import FEWEST, Contest
from askless.experiments.entrants import OURS
from askless.report.page import pictured, render, versions, write
from askless.simulation.figures import COLOURS, panels, plain

__all__ = ["draw_pareto", "draw_worlds", "means_over", "said_of", "write_contest"]

MARKERS = "osPXDv^<>*hdp8H"
ACROSS = 4  # worlds beside each other
BREAK = {True: "\n", False: " "}  # within a title, on narrow screens


def said_of(contest: Contest) -> list[str]:
    """Say in how many cells ours is the best or near it, and where it is not."""
    if OURS not in contest.labels:
        return []
    own, runs = contest.labels.index(OURS), contest.net.shape[3]
    near, most = contest.near_best()[own], int((contest.best() == own).sum())
    cells = f"of {near.size} cells (a world and a number of people each)"
    price = f"at a price of {contest.price:g} of the reward range a question"
    of_runs = f"{runs} run{'s' if runs > 1 else ''}"
    if runs < FEWEST:
        said = [
            f"{OURS} nets most in {most} {cells}, {price}. Of {of_runs} nobody can say who is near"
            f" the best; {FEWEST} or more can."
        ]
    else:
        said = [
            f"{OURS} nets most in {most} {cells}, and is within two paired standard errors of"
            f" whoever does in {int(near.sum()) - most} more, {price}; {of_runs} each."
        ]
    beaten = [
        f"{name} at {', '.join(f'{contest.sizes[s]:,}' for s in np.flatnonzero(~near[w]))}"
        for w, name in enumerate(contest.worlds)
        if not near[w].all()
    ]
    told = "It is beaten on" if runs >= FEWEST else "Another nets more on"
    return said + ([f"{told} {'; '.join(beaten)}."] if beaten else [])


def means_over(contest: Contest) -> str:
    """Say what figures are means of."""
    worlds, runs = len(contest.worlds), contest.net.shape[3]
    of_worlds = f"{worlds} worlds, " if worlds > 1 else ""
    return (
        f"means over {of_worlds}{runs} run{'s' if runs > 1 else ''}{' each' if worlds > 1 else ''}"
    )


def write_contest(
    contest: Contest, folder: Path, command: str, notes: Sequence[str] = ()
) -> list[Path]:
    """Write page, figures and data into a folder; return the files, page first."""
    figures = {"pareto": draw_pareto, "worlds": draw_worlds}
    files, images = pictured(
        {name: (draw(contest), draw(contest, narrow=True)) for name, draw in figures.items()}
    )
    summary = list(contest.summary())
    content = {
        "contest": contest,
        "said": said_of(contest),
        "notes": notes,
        "means": means_over(contest),
        "summary": [
            (people, [row for row in summary if row["people"] == people])
            for people in contest.sizes
        ],
        "worlds": list(contest.by_world()),
        "ours": OURS if OURS in contest.labels else None,
        "known_useful": not np.isnan(contest.lost).all(),
        "images": images,
        "command": command,
        "versions": versions(),
    }
    data = {
        "said": said_of(contest),
        "notes": list(notes),
        "price": contest.price,
        "summary": summary,
        "rows": list(contest.rows()),
        "command": command,
        "versions": versions(),
    }
    first: dict[str, str | bytes] = {
        "report.html": render("contest.html", **content),
        "runs.csv": contest.to_frame().to_csv(index=False, float_format="%.8g"),
        "contest.json": json.dumps(data, allow_nan=False, indent=1) + "\n",
    }
    # Nothing is written before everything is there.
    return [write(folder / name, text) for name, text in (first | files).items()]


def draw_pareto(contest: Contest, *, narrow: bool = False) -> Figure:
    """Draw reward against the share of questions asked, means over worlds, a panel a size."""
    count = len(contest.sizes)
    figure, many = _panels(count, 1 if narrow else count, (max(6.5, 3.4 * count), 5.4), narrow)
    for s, axes in enumerate(many):
        _points(
            axes,
            contest,
            contest.share[:, :, s].mean(axis=(1, 2)),
            contest.reward[:, :, s].mean(axis=(1, 2)),
        )
        axes.set_title(f"{contest.sizes[s]:,} people", loc="left", fontsize="medium")
        axes.set_xlabel("share of the questions that is asked")
        if narrow or s == 0:
            axes.set_ylabel("reward a visit")
    _legend(figure, many[0], narrow=narrow)
    figure.suptitle(f"Means over all worlds:{BREAK[narrow]}higher and further left is better")
    return figure


def draw_worlds(contest: Contest, *, narrow: bool = False) -> Figure:
    """Draw the same for every world, at the largest size."""
    count = len(contest.worlds)
    across = min(2 if narrow else ACROSS, count)
    rows = math.ceil(count / across)
    size = max(6.5, 2.6 * across), 2.3 * rows + 1.4
    figure, many = _panels(count, across, size, narrow)
    for w, axes in enumerate(many):
        _points(
            axes,
            contest,
            contest.share[:, w, -1].mean(axis=1),
            contest.reward[:, w, -1].mean(axis=1),
        )
        axes.set_title(contest.worlds[w], loc="left", fontsize="small")
        axes.tick_params(labelsize="x-small")
    _legend(figure, many[0], narrow=narrow)
    figure.supxlabel("share of the questions that is asked", fontsize="small")
    figure.supylabel("reward a visit", fontsize="small")
    figure.suptitle(
        f"Reward against the share of questions{BREAK[narrow]}asked, {contest.sizes[-1]:,} people"
    )
    return figure


def _panels(
    count: int, across: int, size: tuple[float, float], narrow: bool
) -> tuple[Figure, list[Any]]:
    """Return a figure with so many panels; for narrow screens, narrow and high."""
    high = 4.4, 2.4 * math.ceil(count / across) + 2.6
    return panels(count, across, high if narrow else size, gap=0.08)


def _points(axes: Any, contest: Contest, x: Any, y: Any) -> None:
    for k, label in enumerate(contest.labels):
        ours = label == OURS
        axes.scatter(
            [x[k]],
            [y[k]],
            marker=MARKERS[k % len(MARKERS)],
            s=80 if ours else 34,
            color=COLOURS[0] if ours else COLOURS[1 + k % (len(COLOURS) - 1)],
            label=label,
            zorder=3 if ours else 2,
        )
    axes.set_xlim(-0.06, 1.08)
    axes.margins(y=0.12)
    plain(axes)


def _legend(figure: Figure, axes: Any, *, narrow: bool) -> None:
    figure.legend(
        *axes.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=2 if narrow else 4,
        frameon=False,
        fontsize="small",
    )
