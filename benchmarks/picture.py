"""The picture of the README and the site: a survey gets shorter at the same reward, `make picture`.

Sixty plausible worlds of the example study, played by the recommended policy as the study file has
it, beside LinUCB, which asks everything, with the width of the measured noise.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from deciding import Played
from matplotlib.figure import Figure

import askless as al
from askless.report.page import processor

WORLDS, PEOPLE = 60, (*range(100, 1_000, 100), *range(1_000, 5_001, 250))
OURS, THEIRS = "askless", "asking everybody everything"
FIGURE = Path(__file__).parents[1] / "docs" / "figures" / "shorter.png"
NARROW = FIGURE.with_stem("shorter-narrow")  # for telephones
COLOURS = {OURS: "#0b559f", THEIRS: "#d1495b"}


def played() -> tuple[Played, dict[str, Any]]:
    """Play both; return what they asked and earned between one number of people and the next."""
    study = al.Study.example()
    found = Played(study, WORLDS, PEOPLE)
    found.play(OURS, {"name": "survey-bandit", **study.settings}, PEOPLE)
    found.play(THEIRS, {"name": "linucb", "width": "noise"}, PEOPLE)
    people = np.array(PEOPLE)
    between = np.diff(people, prepend=0)
    curves = {
        (label, what): np.diff(means * people, axis=1, prepend=0) / between
        for what, table in (("asked", found.asked), ("over", found.over))
        for label, means in table.items()
    }
    return found, curves


def draw(curves: dict[Any, Any], *, narrow: bool = False) -> Figure:
    """Draw questions a person and reward over the best single arm, by how many people came.

    For narrow screens they lie below each other, and letters are as large as those of a telephone.
    """
    with mpl.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        size = (4.2, 5.6) if narrow else (9, 3.4)
        figure = Figure(figsize=size, layout="constrained", dpi=150, facecolor="white")
        left, right = figure.subplots(*((2, 1) if narrow else (1, 2)))
        middles = (np.array(PEOPLE) + np.array((0, *PEOPLE[:-1]))) / 2
        for (label, what), curve in curves.items():
            axes = left if what == "asked" else right
            mean = curve.mean(axis=0)
            error = curve.std(axis=0, ddof=1) / np.sqrt(len(curve))
            style = "-" if label == OURS else "--"
            axes.plot(middles, mean, style, color=COLOURS[label], linewidth=2.4, label=label)
            axes.fill_between(
                middles, mean - error, mean + error, color=COLOURS[label], alpha=0.18, linewidth=0
            )
        left.set_title("Questions a person is asked", loc="left")
        right.set_title("Points over one decision for all", loc="left")
        for axes in (left, right):
            axes.set_xlabel("people so far")
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.set_xlim(0, PEOPLE[-1])
            axes.set_ylim(0, 9)
            axes.grid(axis="y", alpha=0.25)
        left.legend(frameon=False, loc="center right")
    return figure


def main() -> None:
    """Draw the picture, and print what it shows."""
    found, curves = played()
    draw(curves).savefig(FIGURE)
    draw(curves, narrow=True).savefig(NARROW)
    print(f"{processor()}, Python {platform.python_version()}; {WORLDS} worlds")
    for label in (OURS, THEIRS):
        asked, over = found.asked[label][:, -1], found.over[label][:, -1]
        last = curves[label, "asked"][:, -1], curves[label, "over"][:, -1]
        print(
            f"{label}: {asked.mean():.1f} questions, {over.mean():.1f} points over the best arm;"
            f" of the last people {last[0].mean():.1f} and {last[1].mean():.1f}"
        )


if __name__ == "__main__":
    main()
