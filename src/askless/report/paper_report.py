"""The paper's experiment as files: one page for people, figures, and every curve for machines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from askless.experiments.claims import (
    BEST_ARM_COST,
    FAILS,
    HOLDS,
    IN_PART,
    NOT_JUDGED,
    Claim,
    judged,
    well_below,
)
from askless.experiments.paper import (
    ASKS,
    EPOCH,
    NET,
    NET_NEVER,
    NEVER,
    RIDGE,
    RUNS,
    VALID,
    VISITS,
    Curve,
    Experiment,
    Figure,
    Key,
    flat_rows,
    runs_of,
    size,
)
from askless.report.bound_figure import draw_bounds
from askless.report.page import check_folder, pictured, render, versions, write
from askless.simulation.figures import draw

__all__ = ["made_again_by", "summary", "write_paper"]

# Colours that differ in lightness too; ridge is blue, the elastic net red, a guarantee is dark.
LOOKS = {
    RIDGE: ("#1f77b4", "-"),
    RIDGE + ASKS: ("#7fd0ff", "--"),
    RIDGE + VALID: ("#0a2f5c", ":"),
    NET: ("#d1495b", "-"),
    NET + ASKS: ("#ffb480", "--"),
    NET + VALID: ("#6e0f1f", ":"),
    NET_NEVER: ("#8e6bbf", "-."),
    NEVER: ("#777777", "-."),
    EPOCH: ("#2e8b57", "-"),
}
PARTS = (100, 50, 20, 10, 5, 2, 1)  # of the horizon, at which the page shows regret and bound


def write_paper(experiment: Experiment, folder: Path) -> list[Path]:
    """Write the page, its figures and every curve into a folder; return the files, page first."""
    check_folder(folder)
    claims = judged(runs_of(experiment))
    pictures = {"bound": (_bound_picture(experiment), _bound_picture(experiment, narrow=True))}
    files: dict[str, str | bytes] = {"other-curves.csv": _csv(experiment.others.values())}
    for figure in experiment.figures:
        runs = {label: curve.runs for label, curve in figure.curves.items()}
        wide = draw(runs, figure.title, log_regret=True, looks=LOOKS)
        # Of the page alone, where the title stands above it.
        narrow = draw(runs, log_regret=True, looks=LOOKS, narrow=True)
        pictures[figure.name] = wide, narrow
        files[f"{figure.name}.csv"] = _csv(figure.curves.values())
    drawn, images = pictured(pictures)
    data = json.dumps(_everything(experiment, claims), allow_nan=False)
    page = render("paper.html", **_content(experiment, claims, images))
    first: dict[str, str | bytes] = {"report.html": page, "curves.json": data + "\n"}
    # Nothing is written before everything is there.
    return [write(folder / name, content) for name, content in (first | files | drawn).items()]


def made_again_by(experiment: Experiment) -> str:
    """Return the command that makes the same report again."""
    return (
        f"askless paper --horizon {experiment.horizon} --runs {experiment.runs}"
        f" --seed {experiment.seed}"
    )


def summary(experiment: Experiment) -> dict[str, Any]:
    """Return each figure's curves and the claims, as `askless paper --json` prints them."""
    return {
        "horizon": experiment.horizon,
        "runs": experiment.runs,
        "seed": experiment.seed,
        "figures": {
            figure.name: {label: curve.summary() for label, curve in figure.curves.items()}
            for figure in experiment.figures
        },
        "others": [key._asdict() | curve.summary() for key, curve in experiment.others.items()],
        "claims": [claim.to_dict() for claim in judged(runs_of(experiment))],
    }


def _csv(curves: Iterable[Curve]) -> str:
    rows = [row for curve in curves for row in flat_rows(curve)]
    return str(pd.DataFrame(rows).to_csv(index=False))


def _everything(experiment: Experiment, claims: tuple[Claim, ...]) -> dict[str, Any]:
    """Return every curve with every checkpoint; nothing that differs from time to time."""
    figures = {
        key: [f.name for f in experiment.figures if any(c.key == key for c in f.curves.values())]
        for key in experiment.curves
    }
    return {
        "command": made_again_by(experiment),
        "horizon": experiment.horizon,
        "seed": experiment.seed,
        "versions": versions(),
        "claims": [claim.to_dict() for claim in claims],
        "curves": [
            {
                **key._asdict(),
                "figures": figures[key],
                "policy": curve.runs.policy,
                "settings": curve.runs.settings,
                "slopes": curve.growth(),
                "visits": curve.runs.runs[0].visits.tolist(),
                "runs": [
                    {
                        "run": run.index,
                        "regret": run.regret_at.tolist(),
                        "asked": run.asked_at.tolist(),
                        "plays": run.plays_at.tolist(),
                        "bound": None if curve.bounds is None else curve.bounds[i].tolist(),
                        "questions_left": list(run.questions_left),
                        "useful_dropped": run.useful_dropped,
                    }
                    for i, run in enumerate(curve.runs.runs)
                ],
            }
            for key, curve in experiment.curves.items()
        ],
    }


def _bound_picture(experiment: Experiment, *, narrow: bool = False) -> Any:
    def pair(label: str, beta_min: float) -> list[Curve]:
        names = (label, label + VALID)
        return [experiment.curves[Key(name, 5, beta_min)] for name in names]

    panels = {
        "Ridge, 5 arms, beta_min = 0.3": pair(RIDGE, 0.3),
        "Elastic Net, 5 arms, beta_min = 0.7": pair(NET, 0.7),
    }
    return draw_bounds(
        panels, LOOKS, "Regret and the paper's bound: means of the runs", narrow=narrow
    )


def _content(
    experiment: Experiment, claims: tuple[Claim, ...], images: dict[str, str]
) -> dict[str, Any]:
    horizon = experiment.horizon
    checkpoints = next(iter(experiment.curves.values())).runs.runs[0].visits
    at = sorted({int(np.searchsorted(checkpoints, max(horizon // part, 1))) for part in PARTS})
    return {
        "experiment": experiment,
        "full": (horizon, experiment.runs) == (VISITS, RUNS),
        "full_size": size(RUNS, VISITS),
        "short": horizon < VISITS,
        "needed": VISITS,
        "claims": claims,
        "tally": _tally(claims),
        "images": images,
        "limit": well_below(horizon),
        "single": BEST_ARM_COST * horizon,
        "prices": [_prices(figure) for figure in experiment.figures],
        "checkpoints": [int(checkpoints[i]) for i in at],
        "bounded": [
            (curve, [(float(curve.regret[i]), float(bound[i])) for i in at])
            for curve in experiment.curves.values()
            # An interactive survey's regret and bound are those of the full one.
            if (bound := curve.bound) is not None and not curve.key.label.endswith(ASKS)
        ],
        "described": _described(experiment),
        "versions": versions(),
        "command": made_again_by(experiment),
        "colours": {HOLDS: "yes", IN_PART: "some", FAILS: "no", NOT_JUDGED: "soft"},
    }


def _tally(claims: tuple[Claim, ...]) -> str:
    """Say how many claims have which verdict."""
    counts = Counter(claim.verdict for claim in claims)
    if NOT_JUDGED in counts:
        return "The paper's claims cannot be judged by runs as short as these."
    plural = {HOLDS: "hold", IN_PART: "hold in part", FAILS: "do not hold"}
    said = (
        f"{counts[one]} {one if counts[one] == 1 else many}"
        for one, many in plural.items()
        if counts[one]
    )
    return f"Of the paper's {len(claims)} claims {', '.join(said)}."


def _described(experiment: Experiment) -> list[tuple[str, dict[str, Any], dict[int, list[str]]]]:
    """Return each label's settings, and with how many arms and which beta_min it was run."""
    settings: dict[str, dict[str, Any]] = {}
    where: dict[str, dict[int, list[str]]] = {}
    for (label, arms, beta_min), curve in experiment.curves.items():
        where.setdefault(label, {}).setdefault(arms, []).append(f"{beta_min:g}")
        given = {"policy": curve.runs.policy} | curve.runs.settings
        settings[label] = {
            name: value
            for name, value in given.items()
            if name != "beta_min" and value is not None and value is not False
        }
    return [(label, settings[label], where[label]) for label in settings]


def _prices(figure: Figure) -> tuple[Figure, list[tuple[str, Curve]]]:
    """Return a figure's curve by the paper's radius, by `valid`, and Epoch SurveyUCB."""
    label = figure.about.label
    rows = {"the paper's radius": label, "valid": label + VALID, "Epoch SurveyUCB": EPOCH}
    return figure, [(name, figure.curves[label]) for name, label in rows.items()]
