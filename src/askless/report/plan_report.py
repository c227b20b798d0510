"""A study's plan as files: one page for people, figures, and the figures behind them as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from askless.evaluation.course import course_of
from askless.evaluation.intervals import Interval
from askless.evaluation.plan import Forecast, Plan, prior_dict
from askless.evaluation.preregistration import preregistration_of
from askless.evaluation.ways import FULL, SINGLE
from askless.report.page import pictured, render, versions, write
from askless.simulation.figures import COLOURS, STYLES, panels, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from askless.core.arrays import Floats

__all__ = ["columns_of", "write_plan"]

LEFT, RIGHT = -0.04, 1.06  # where a panel ends, in shares of all questions
NEAR = 0.03  # of a panel's sides; markers that are as near hide each other
OUTLINE = 80  # square points; the first outline has four times as many, the second nine times


@dataclass(frozen=True)
class Column:
    """A column of the table: what it is called, and which figure it shows."""

    heading: tuple[str, str]
    figure: Callable[[Forecast], Interval]
    digits: int = 1
    is_share: bool = False
    only: tuple[str, ...] | None = None  # the ways of which there is something to show; all if None

    def middle(self, forecast: Forecast) -> str:
        """Show the median, or the share; nothing of what cannot happen."""
        if self.only is not None and forecast.way not in self.only:
            return ""
        return self._shown(self.figure(forecast).middle) + ("%" if self.is_share else "")

    def range(self, forecast: Forecast) -> str:
        """Show the ends; nothing where they are the median."""
        low, high = self.figure(forecast)[1:]
        if not self.middle(forecast):
            return ""
        ends = self._shown(low), self._shown(high)
        same = ends[0] == ends[1] == self.middle(forecast).rstrip("%")
        return "" if same else f"{ends[0]}…{ends[1]}"

    def _shown(self, value: float) -> str:
        scaled = 100 * value if self.is_share else value
        return f"{round(scaled, self.digits) + 0.0:,.{self.digits}f}"  # no -0


def columns_of(plan: Plan) -> list[Column]:
    """Return the columns that a plan's table has: costs and those who give up where there are."""
    digits = plan.reward_digits
    dropping = tuple(way.label for way in plan.ways if way.label not in (FULL, SINGLE))
    columns = [Column(("questions", "a visit"), lambda f: f.questions)]
    if any(question.cost != 1 for question in plan.study.survey):
        columns.append(Column(("cost", "a visit"), lambda f: f.cost))
    if plan.dropout:
        columns.append(Column(("", "complete"), lambda f: f.completed, is_share=True))
    return [
        *columns,
        Column(("reward", "a visit"), lambda f: f.reward, digits),
        Column(("net", "a person"), lambda f: f.net, digits),
        Column(("over", "one arm"), lambda f: f.over_single, digits),
        Column(("", "loses"), lambda f: f.losing, is_share=True, only=dropping),
    ]


def write_plan(plan: Plan, folder: Path, command: str) -> list[Path]:
    """Write the page, its figures and the data into a folder; return the files, page first."""
    figures = {"pareto": draw_pareto, "course": draw_course}
    files, images = pictured(
        {name: (draw(plan), draw(plan, narrow=True)) for name, draw in figures.items()}
    )
    data = plan.to_dict() | {"command": command, "versions": versions()}
    page = render("plan.html", **_content(plan, images, command))
    first: dict[str, str | bytes] = {
        "report.html": page,
        "plan.json": json.dumps(data, allow_nan=False, indent=1) + "\n",
    }
    # Nothing is written before everything is there.
    return [write(folder / name, content) for name, content in (first | files).items()]


def draw_pareto(plan: Plan, *, narrow: bool = False) -> Figure:
    """Draw reward against questions a visit, a panel a number of people; prices lie on a line."""
    count = len(plan.respondents)
    figure, many = _panels(count, narrow=narrow, size=(max(5.5, 3.6 * count), 4.4))
    rewards = [_point(plan, *at)[1] for at in plan.outcomes]
    for axes, people in zip(many, plan.respondents, strict=True):
        _draw_ways(axes, plan, people, max(rewards) - min(rewards))
        axes.set_title(f"{people:,} people", loc="left", fontsize="medium")
        axes.set_xlabel("questions a visit")
        axes.margins(y=0.12)
        axes.set_xlim(LEFT * len(plan.study.survey), RIGHT * len(plan.study.survey))
    for axes in many if narrow else many[:1]:
        axes.set_ylabel("reward a person who starts" if plan.dropout else "reward a visit")
    title = "Medians of the worlds:", "higher and further left is better"
    _finish(figure, many[0], title, columns=2 if count == 1 else 4, narrow=narrow)
    return figure


def _draw_ways(axes: Axes, plan: Plan, people: int, high: float) -> None:
    """Draw every way; one that lies where another does is a larger outline around it.

    `high` is how far the rewards of all panels lie apart.
    """
    ours = [way for way in plan.ways if way.ours]
    points = sorted(_point(plan, way.label, people) for way in ours)
    axes.plot(*zip(*points, strict=True), color=COLOURS[0], linewidth=1.2, zorder=1)
    markers, own = iter("sPXDv^"), iter("o><*hd")  # shapes alone tell the ways apart, in grey too
    around = _around([_point(plan, way.label, people) for way in plan.ways], plan, high)
    for i, (way, ring) in enumerate(zip(plan.ways, around, strict=True)):
        colour = COLOURS[0 if way.ours else i % (len(COLOURS) - 1) + 1]
        look: dict[str, Any] = {"edgecolor": colour, "facecolor": colour}
        look |= {"marker": next(own if way.ours else markers, "."), "label": way.label}
        look |= {"s": 95 if way == plan.own else 55}
        axes.scatter([], [], **look)  # what the legend shows
        if ring:
            look |= {"s": OUTLINE * (1 + ring) ** 2, "facecolor": "none", "linewidth": 1.4}
        axes.scatter(*_point(plan, way.label, people), zorder=2, **look | {"label": None})


def _around(points: Sequence[tuple[float, float]], plan: Plan, high: float) -> list[int]:
    """Return around how many others each point is drawn; the study's own way is in the middle."""
    wide = (RIGHT - LEFT) * len(plan.study.survey)
    found = [0] * len(points)
    placed: list[int] = []
    for i in sorted(range(len(points)), key=lambda i: plan.ways[i] != plan.own):
        x, y = points[i]
        inside = [
            found[j]
            for j in placed
            if abs(points[j][0] - x) < NEAR * wide and abs(points[j][1] - y) <= NEAR * high
        ]
        found[i] = max(inside) + 1 if inside else 0
        placed.append(i)
    return found


def _point(plan: Plan, label: str, people: int) -> tuple[float, float]:
    forecast = plan.forecast(label, people)
    # Of those who complete, rewards alone would say nothing of those who were lost.
    reward = forecast.net if plan.dropout else forecast.reward
    return forecast.questions.middle, reward.middle


def draw_course(plan: Plan, *, narrow: bool = False) -> Figure:
    """Draw questions and reward a visit against people: medians, and what 90% of worlds are in."""
    figure, (asked, more) = _panels(2, narrow=narrow, size=(9.5, 4.3), shared=False)
    ours = plan.verdict.way if plan.verdict.way.ours else plan.own
    for i, way in enumerate((plan.way(FULL), ours)):
        look = COLOURS[1 - i], STYLES[1 - i]  # the colours of the other figure
        course = course_of(plan, way.label)
        _band(asked, course.people, course.questions, way.label, look)
        _band(more, course.people, course.over_single, way.label, look)
    asked.set_ylabel("questions a visit, on average so far")
    of_whom = "person who starts" if plan.dropout else "visit"
    more.set_ylabel(f"reward a {of_whom}\nover one arm for all, so far")
    more.axhline(0.0, color="#999999", linewidth=0.8)
    asked.set_ylim(bottom=0)
    for axes in (asked, more):
        axes.set_xlabel("people")
        axes.set_xlim(left=0)
    title = "Median of the worlds,", "and the range of 90% of them"
    _finish(figure, asked, title, columns=2, narrow=narrow)
    return figure


def _panels(
    count: int, *, narrow: bool, size: tuple[float, float], shared: bool = True
) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels beside each other; for narrow screens, below each other."""
    if narrow:
        return panels(count, 1, (4.2, 3.1 * count + 1.2), shared=shared)
    return panels(count, count, size, shared=shared)


def _finish(
    figure: Figure, first: Axes, title: tuple[str, str], *, columns: int, narrow: bool
) -> None:
    for axes in figure.axes:
        plain(axes)
        axes.xaxis.set_major_locator(MaxNLocator(5))  # five labels never run together
        axes.xaxis.set_major_formatter("{x:,.10g}")
        axes.yaxis.set_major_formatter("{x:,.10g}")
    figure.legend(
        *first.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=min(2, columns) if narrow else columns,
        frameon=False,
    )
    figure.suptitle(("\n" if narrow else " ").join(title))


def _band(
    axes: Axes, people: Floats, values: Sequence[Interval], label: str, look: tuple[str, str]
) -> None:
    middle, low, high = np.array(values).T
    axes.plot(people, middle, label=label, color=look[0], linestyle=look[1], linewidth=1.8)
    axes.fill_between(people, low, high, color=look[0], alpha=0.15, linewidth=0)


def _content(plan: Plan, images: dict[str, str], command: str) -> dict[str, Any]:
    columns = columns_of(plan)
    groups = [
        (
            people,
            [
                (
                    way.label,
                    [
                        (column.middle(forecast), column.range(forecast))
                        for column in columns
                        for forecast in [plan.forecast(way.label, people)]
                    ],
                )
                for way in plan.ways
            ],
        )
        for people in plan.respondents
    ]
    return {
        "plan": plan,
        "headings": [" ".join(column.heading).strip() for column in columns],
        "groups": groups,
        "images": images,
        "prior": [*_said(prior_dict(plan.prior)), *_leaving(plan)],
        "drawn": _drawn(plan),
        "preregistration": preregistration_of(plan),
        "command": command,
        "versions": versions(),
    }


def _leaving(plan: Plan) -> list[tuple[str, str]]:
    said = f"{plan.dropout:g} of the people at each question"
    return [("give up (`dropout`)", said)] if plan.dropout else []


def _drawn(plan: Plan) -> str:
    """Say how many questions matter in the worlds that were drawn."""
    counts = np.bincount(plan.useful)
    return ", ".join(f"{n} in {count}" for n, count in enumerate(counts) if count)


WORDS = {  # of the section `plan`, for readers who have not seen the study file
    "useful": "questions that matter",
    "effect": "what such a question changes",
    "gap": "between the best and the worst arm",
    "noise": "luck in one reward",
    "skips": "share of skips",
    "correlation": "of answers with each other",
    "eligible": "who may get an arm",
    "eligible_if": "rules of who may get an arm",
}


def _said(prior: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what was taken to be plausible, in words."""

    def span(value: Sequence[float] | str) -> str:
        if isinstance(value, str):
            return value
        return " to ".join(f"{end:g}" for end in dict.fromkeys(value))

    lines = [(key, span(prior[key])) for key in ("useful", "effect", "gap", "noise")]
    if "pilot" in prior:
        lines.append(("answers", f"those of {prior['pilot']:,} people of a pilot, drawn again"))
    else:
        answers = ", ".join(f"{name} {value}" for name, value in prior["answers"].items())
        lines += [
            ("answers", answers or "uniform"),
            ("skips", _shares(prior["skips"])),
            ("correlation", f"{prior['correlation']:g}"),
        ]
    if prior["eligible"]:
        lines.append(("eligible", _shares(prior["eligible"])))
    if "eligible_if" in prior:
        rules = "; ".join(f"{arm} if {rule}" for arm, rule in prior["eligible_if"].items())
        lines.append(("eligible_if", rules))
    if not {"eligible", "eligible_if"} & dict(lines).keys():
        lines.append(("eligible", "everyone for every arm"))
    return [(f"{WORDS[key]} (`{key}`)" if key in WORDS else key, said) for key, said in lines]


def _shares(shares: float | Mapping[str, float]) -> str:
    if not isinstance(shares, Mapping):
        return f"{shares:g}"
    return ", ".join(f"{name} {share:g}" for name, share in shares.items())
