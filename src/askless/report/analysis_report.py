"""A study's analysis as files: one page for people, tidy tables as CSV, everything as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from askless.evaluation.analysis import Analysis
from askless.evaluation.analysis_tables import tables_of
from askless.evaluation.sureness import is_sure, telling
from askless.report.analysis_figures import (
    MOST_SHOWN,
    draw_arm_means,
    draw_asked,
    draw_effects,
)
from askless.report.analysis_summary import (
    LISTED,
    doubts_of,
    intervals_of,
    said_of,
    why_so_few,
)
from askless.report.analysis_words import Words
from askless.report.page import ENDINGS, check_folder, pictured, render, versions, write
from askless.simulation.simulate import describe

__all__ = ["tables_of", "write_analysis"]

FIGURES = {"asked": draw_asked, "effects": draw_effects, "arm_means": draw_arm_means}
NOTHING = "nothing"
WAYS = ("model", "draws")


def write_analysis(analysis: Analysis, folder: Path, command: str) -> tuple[Path, ...]:
    """Write the page, its tables, its figures and the data into a folder.

    Parameters
    ----------
    analysis : Analysis
        As `al.analyse` returns it.
    folder : Path
        Made once everything is there to be written. Figures of another analysis that this one has
        not are removed from it.
    command : str
        What makes the same again.

    Returns
    -------
    tuple of Path
        The files, page first.
    """
    files, images = pictured(
        {
            name: (picture, draw(analysis, narrow=True))
            for name, draw in FIGURES.items()
            if (picture := draw(analysis)) is not None
        }
    )
    made = {"command": command, "versions": versions()}
    first: dict[str, str | bytes] = {
        "report.html": render("analysis.html", **_content(analysis), images=images, **made),
        "analysis.json": json.dumps(analysis.to_dict() | made, allow_nan=False, indent=1) + "\n",
    }
    first |= {f"{name}.csv": table.to_csv() for name, table in tables_of(analysis).items()}
    # Nothing is written before everything is there.
    check_folder(folder)
    for name in FIGURES:  # of what was analysed into this folder before
        for ending in ENDINGS:
            if f"{name}.{ending}" not in files:
                (folder / f"{name}.{ending}").unlink(missing_ok=True)
    return tuple(write(folder / name, text) for name, text in (first | files).items())


def _content(analysis: Analysis) -> dict[str, Any]:
    words = Words(analysis.study.reward.span)
    settings = describe(analysis.policy)
    estimated = sum(row.estimate is not None for row in analysis.effects)
    return {
        "analysis": analysis,
        "words": words,
        "said": said_of(analysis),
        "doubts": doubts_of(analysis),
        "few": why_so_few(analysis),
        "promise": intervals_of(analysis),
        "arms": [arm.name for arm in analysis.study.arms],
        "kinds": ", ".join(f"{count:,} {kind}" for kind, count in analysis.kinds.items()),
        "gone": list(_gone(analysis)),
        "forms": [
            (visit + 1, len(analysis.study.survey) if form is None else len(form), _listed(form))
            for visit, form in analysis.forms
        ],
        "effects": [
            (arm, list(rows)) for arm, rows in groupby(analysis.effects, lambda row: row.arm)
        ],
        "is_sure": is_sure,
        "shown": min(MOST_SHOWN, len(telling(analysis))),
        "estimated": estimated,
        "pair_ways": [way for way in WAYS if _has(analysis.contrasts, way)],
        "ways": [way for way in WAYS if analysis.in_epochs or way == "draws"],
        "means": _beside(analysis.arm_means, lambda row: row.arm),
        "contrasts": _beside(analysis.contrasts, lambda row: f"{row.arm} less {row.other}"),
        "gaps_shown": MOST_SHOWN,
        "listed": LISTED,
        "shares": list(_shares(analysis)),
        "tables": list(tables_of(analysis)),
        "in_parts": "short" not in analysis.kinds and bool(settings.get("interactive")),
        "reasons": " ".join(
            [row.why for row in analysis.arm_means] + [row.why for row in analysis.values]
        ),
    }


def _listed(form: Sequence[str] | None) -> str:
    return "everything in use" if form is None else ", ".join(form) or NOTHING


def _gone(analysis: Analysis) -> Iterator[tuple[str, list[int | None], int | None]]:
    """Go through questions: after how many visits each arm dropped it, and the last of them."""
    visits = {(drop.question, drop.arm): drop.visit for drop in analysis.drops}
    for question in analysis.study.survey.names:
        own = [visits.get((question, arm.name)) for arm in analysis.study.arms]
        known = [visit for visit in own if visit is not None]
        if known:
            yield question, own, max(known) if len(known) == len(own) else None


def _has(rows: Iterable[Any], way: str) -> bool:
    return any(row.by == way and row.estimate is not None for row in rows)


def _beside(rows: Iterable[Any], name: Callable[[Any], str]) -> list[tuple[str, dict[str, Any]]]:
    """Put what is by the model beside what is by draws."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        found.setdefault(name(row), {})[row.by] = row
    return list(found.items())


def _shares(analysis: Analysis) -> Iterator[tuple[str, list[tuple[str, int, dict[str, float]]]]]:
    """Go through questions: per answer how many people gave it, and the arms' shares."""
    for question, own in groupby(analysis.shared.shares, lambda row: row.question):
        answers = []
        for answer, rows in groupby(own, lambda row: row.answer):
            listed = list(rows)
            answers.append((answer, listed[0].people, {row.arm: row.share for row in listed}))
        yield question, answers
