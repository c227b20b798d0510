"""Why the root of p goes away: rows until a useless question goes, with more and more questions.

`make epochs` prints the table and writes docs/figures/why-epochs.png.
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import askless as al

SIZES = (5, 10, 20, 40, 80)
BETA_MIN, RUNS, HORIZON = 0.3, 5, 40_000
FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "why-epochs.png"


def rows_at_drops(kind: type[al.Policy], m: int) -> np.ndarray:
    """Return the rows at which each question was dropped: one arm, no effects, the worst noise."""
    survey = al.Survey.unit(m)
    world = al.LinearEnvironment(
        survey, arms=["a"], reward=(0, 1), noise="two_point", coefficients=np.zeros((1, m + 1))
    )
    policy = kind(survey, arms=world.arms, reward=world.reward, beta_min=BETA_MIN)
    done = al.simulate(policy, world, HORIZON, RUNS, seed=0)
    rows = np.full((RUNS, m), np.inf)
    for run, found in zip(done.runs, rows, strict=True):
        for i, drop in enumerate(run.drops):
            found[i] = drop.row
    return rows


def main() -> None:
    """Measure, print and draw."""
    curves = {}
    for label, kind in (
        ("Ridge SurveyUCB", al.RidgeSurveyUCB),
        ("Epoch SurveyUCB", al.EpochSurveyUCB),
    ):
        curves[label] = [rows_at_drops(kind, m) for m in SIZES]
    print(f"Rows until half of / all questions are dropped, beta_min {BETA_MIN}, {RUNS} runs:")
    print(f"{'questions':>16}" + "".join(f"{m:>16}" for m in SIZES))
    for label, rows in curves.items():
        cells = [f"{np.median(r):,.0f} / {np.median(r.max(axis=1)):,.0f}" for r in rows]
        print(f"{label:>16}" + "".join(f"{cell:>16}" for cell in cells))

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for (label, rows), (colour, marker) in zip(
        curves.items(), (("#d1495b", "s"), ("#0b559f", "o")), strict=True
    ):
        middle = [np.median(r) for r in rows]
        axes.plot(SIZES, middle, marker=marker, color=colour, label=label)
        low, high = [np.quantile(r, 0.1) for r in rows], [np.quantile(r, 0.9) for r in rows]
        axes.fill_between(SIZES, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="questions in the survey")
    axes.set_ylabel("rows of an arm until a useless question goes")
    axes.set_xticks(SIZES, [str(m) for m in SIZES])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=150)


if __name__ == "__main__":
    main()
