"""A study's plan as files: one page for people, figures, and the figures behind them as data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from askless.evaluation.intervals import Interval
from askless.evaluation.plan import FULL, Plan, Shortening, prior_dict
from askless.report.page import data_uri, drawn, render, versions, write
from askless.simulation.figures import COLOURS, STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from askless.kernels.bundles import Floats

__all__ = ["write_plan"]


def write_plan(plan: Plan, folder: Path, command: str) -> list[Path]:
    """Write the page, its figures and the data into a folder; return the files, page first."""
    pictures = {"course": draw_course(plan), "visits-until": draw_visits(plan)}
    files: dict[str, str | bytes] = {}
    images = {}
    for name, picture in pictures.items():
        files |= {f"{name}.{ending}": drawn(picture, ending) for ending in ("png", "svg")}
        images[name] = data_uri(files[f"{name}.svg"], "image/svg+xml")
    data = plan.to_dict() | {"command": command, "versions": versions()}
    page = render("plan.html", **_content(plan, images, command))
    first: dict[str, str | bytes] = {
        "report.html": page,
        "plan.json": json.dumps(data, allow_nan=False, indent=1) + "\n",
    }
    # Nothing is written before everything is there.
    return [write(folder / name, content) for name, content in (first | files).items()]


def label_of(beta_min: float | None) -> str:
    """Name a way of asking."""
    return FULL if beta_min is None else f"beta_min {beta_min:g}"


def draw_course(plan: Plan) -> Figure:
    """Draw questions and regret a visit against visits: medians, and what 90% of worlds are in."""
    figure, (asked, regret) = _panels()
    for i, (beta_min, outcome) in enumerate(plan.outcomes.items()):
        look = COLOURS[i % len(COLOURS)], STYLES[i % len(STYLES)]
        _band(asked, outcome.visits, outcome.asked / outcome.visits, label_of(beta_min), look)
        _band(regret, outcome.visits, outcome.regret / outcome.visits, label_of(beta_min), look)
    asked.set_ylabel("questions a visit, on average so far")
    regret.set_ylabel("regret a visit, on average so far")
    for axes in (asked, regret):
        axes.set_xlabel("respondents")
        axes.set_ylim(bottom=0)
    _finish(figure, asked, "Median of the worlds, and the range of 90% of them")
    return figure


def draw_visits(plan: Plan) -> Figure:
    """Draw in which share of worlds half, and all, of the unneeded questions are gone by when."""
    figure, panels = _panels()
    for axes, name in zip(panels, ("half", "all"), strict=True):
        for i, beta_min in enumerate(plan.beta_mins):
            at = np.sort(getattr(plan.outcomes[beta_min], name))
            at = at[~np.isnan(at)]
            within = at[np.isfinite(at)]
            visits = np.concatenate([[0], within, [plan.respondents[-1]]])
            share = np.concatenate([np.arange(len(within) + 1), [len(within)]]) / max(len(at), 1)
            look = COLOURS[(i + 1) % len(COLOURS)], STYLES[(i + 1) % len(STYLES)]
            axes.step(
                visits,
                100 * share,
                where="post",
                label=label_of(beta_min),
                color=look[0],
                linestyle=look[1],
                linewidth=1.8,
            )
        axes.set_xlabel("respondents")
        axes.set_ylabel(f"worlds in which {name} are gone (%)")
        axes.set_ylim(0, 102)
    _finish(figure, panels[0], "When half, and all, of the unneeded questions are gone")
    return figure


def _panels() -> tuple[Figure, tuple[Axes, Axes]]:
    figure = Figure(figsize=(9.5, 4.1), layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.05))
    one, other = figure.subplots(1, 2)
    return figure, (one, other)


def _finish(figure: Figure, first: Axes, title: str) -> None:
    for axes in figure.axes:
        axes.set_xlim(left=0)
        axes.grid(alpha=0.25)
        axes.xaxis.set_major_formatter("{x:,.10g}")
        axes.yaxis.set_major_formatter("{x:,.10g}")
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(
        *first.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False
    )
    figure.suptitle(title)


def _band(axes: Axes, visits: Floats, values: Floats, label: str, look: tuple[str, str]) -> None:
    low, high = np.quantile(values, [0.05, 0.95], axis=0)
    middle = np.median(values, axis=0)
    axes.plot(visits, middle, label=label, color=look[0], linestyle=look[1], linewidth=1.8)
    axes.fill_between(visits, low, high, color=look[0], alpha=0.15, linewidth=0)


def range_text(interval: Interval, digits: int = 1, to: str = " to ") -> str:
    """Show an interval's middle and ends."""
    middle, low, high = (f"{round(end, digits) + 0.0:,.{digits}f}" for end in interval)  # no -0
    return f"{middle} ({low}{to}{high})"


def visits_text(interval: Interval, most: int, to: str = " to ") -> str:
    """Show when something happens; what has not happened among all respondents is said so."""
    if math.isnan(interval.middle):
        return "–"

    def end(value: float) -> str:
        return f"{value:,.0f}" if math.isfinite(value) else "later"

    if not math.isfinite(interval.low):
        return f"not among {most:,}"
    return f"{end(interval.middle)} ({end(interval.low)}{to}{end(interval.high)})"


def chance_text(interval: Interval) -> str:
    """Show a chance in per cent."""
    middle, low, high = (100 * share for share in interval)
    return f"{middle:.1f}% ({low:.1f} to {high:.1f})"


def formula_text(gone: Shortening, to: str = " to ") -> str:
    """Show the rows by the formula: with the noise as it is, and with sigma."""
    return f"{gone.rows_at_least:,.0f}{to}{gone.rows_by_sigma:,.0f}"


def _content(plan: Plan, images: dict[str, str], command: str) -> dict[str, Any]:
    digits = plan.reward_digits
    costs = any(question.cost != 1 for question in plan.study.survey)
    rows = [
        {
            "respondents": forecast.respondents,
            "label": label_of(forecast.beta_min),
            "questions": range_text(forecast.questions),
            "cost": range_text(forecast.cost),
            "left": range_text(forecast.left, 0),
            "reward": range_text(forecast.reward, digits),
            "regret": range_text(forecast.regret, digits),
            "over_full": "–" if full else range_text(forecast.over_full, digits),
            "over_single": range_text(forecast.over_single, digits),
            "losing": "–" if full else chance_text(forecast.losing),
        }
        for forecast in plan.forecasts()
        for full in (forecast.beta_min is None,)
    ]
    most = plan.respondents[-1]
    shortening = [
        {
            "label": label_of(gone.beta_min),
            "half": visits_text(gone.half, most),
            "all": visits_text(gone.all, most),
            "rows": visits_text(gone.rows, most),
            "formula": formula_text(gone),
        }
        for gone in map(plan.shortening, plan.beta_mins)
    ]
    return {
        "plan": plan,
        "questions": len(plan.study.survey),
        "costs": costs,
        "rows": rows,
        "shortening": shortening,
        "doubled": _doubled(plan, digits),
        "images": images,
        "prior": _said(prior_dict(plan.prior)),
        "drawn": _drawn(plan),
        "versions": versions(),
        "command": command,
    }


def _doubled(plan: Plan, digits: int) -> list[dict[str, str]]:
    """Return what a beta_min twice as large does, in words."""
    last = plan.respondents[-1]
    return [
        {
            "label": f"{2 * b:g} instead of {b:g}",
            "regret": range_text(twice.regret, digits),
            "questions": range_text(twice.questions),
            "losing": f"{chance_text(twice.losing)} instead of"
            f" {chance_text(plan.forecast(b, last).losing)}",
        }
        for b in plan.beta_mins
        if (twice := plan.doubled(b)) is not None
    ]


def _drawn(plan: Plan) -> str:
    """Say how many questions matter in the worlds that were drawn."""
    counts = np.bincount((len(plan.study.survey) - plan.not_needed).astype(int))
    return ", ".join(f"{n} in {count}" for n, count in enumerate(counts) if count)


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
    lines.append(("eligible", _shares(prior["eligible"]) or "everyone for every arm"))
    return lines


def _shares(shares: float | Mapping[str, float]) -> str:
    if not isinstance(shares, Mapping):
        return f"{shares:g}"
    return ", ".join(f"{name} {share:g}" for name, share in shares.items())
