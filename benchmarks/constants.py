"""The constants of maths 8, each halved and doubled: what it changes. `make constants`.

They are changed in a copy of the sources, of which the core is built anew where one of its own has
changed. Surveys are not interactive, which saves half of the time: regret is the same.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from revisions import ROOT, build, copied, places

from askless.report.page import processor

STUDIES = ["example study", "0/1", "ten arms"]
WORDS, SETTINGS = "askless/core/words.py", "askless/policies/settings.py"


class Constant(NamedTuple):
    """A constant, what is put in its place, and where: texts with a gap for it, by file in src."""

    name: str
    value: str
    others: dict[str, str]  # label: another value
    written: dict[str, str]


CONSTANTS = [
    Constant("as it is", "2.0", {"": "2.0"}, {"core/deciding.cpp": "SURE = {};"}),
    Constant(
        "κ = 2, standard errors that may be chance (8.3)",
        "2.0",
        {"1": "1.0", "4": "4.0"},
        {"core/deciding.cpp": "SURE = {};"},
    ),
    Constant(
        "τ = 1, `optimism` (8.4)",
        "1.0",
        {"½": "0.5", "2": "2.0"},
        {"askless/policies/epoch_survey_ucb.py": "optimism: float | str = {},"},
    ),
    Constant(
        "ω = ¼, prior spread of a coefficient (8.2)",
        "0.25",
        {"⅛": "0.125", "½": "0.5"},
        {"core/noise.hpp": "PRIOR_SPREAD = {};", WORDS: "LEAST_RIDGE = 1.0 / 16.0, {}, 0.01"},
    ),
    Constant(
        "ν = 1, rows that the prior noise counts for (8.1)",
        "1.0",
        {"½": "0.5", "2": "2.0"},
        {"core/noise.hpp": "PRIOR_ROWS = {};"},
    ),
    Constant(
        "0.3, pay-back (8.5)",
        "0.3",
        {"0.15": "0.15", "0.6": "0.6"},
        {"core/choosing.hpp": "BACK = {};", WORDS: "BACK = {} "},
    ),
    Constant(
        "ε = 0.02, `explore` (8.6)",
        "0.02",
        {"0.01": "0.01", "0.04": "0.04"},
        {SETTINGS: "EXPLORE = {} "},
    ),
    Constant(
        "0.3p, rows of the start (8.7)",
        "3 * survey.column_count // 10",
        {"0.15p": "3 * survey.column_count // 20", "0.6p": "6 * survey.column_count // 10"},
        {SETTINGS: "start=max(2, {}),"},
    ),
    Constant(
        "⌊n/10⌋, rows of a block in warm-up (8.7)",
        "10",
        {"⌊n/20⌋": "20", "⌊n/5⌋": "5"},
        {"core/epoch_end.cpp": "arm.n / {})"},
    ),
    Constant(
        "0.2, part of the tests' rows that is warm-up (8.7)",
        "0.2",
        {"0.1": "0.1", "0.4": "0.4"},
        {"core/epoch_end.cpp": "WARM = {};"},
    ),
    Constant(
        "3 rows a column of H, fewest of warm-up (8.7)",
        "3.0",
        {"1.5": "1.5", "6": "6.0"},
        {"core/epoch_end.cpp": "rows = {} * static_cast<Real>(arm.size)"},
    ),
    Constant(
        "g − 1 = ½, `growth` of epochs (5.1)",
        "1.5",
        {"¼": "1.25", "1": "2.0"},
        {SETTINGS: "GROWTH, MOST_GROWTH = {}, 3"},
    ),
    Constant(
        "0.1, the sets' part of δ (5.1)",
        "0.1",
        {"0.05": "0.05", "0.2": "0.2"},
        {SETTINGS: "SET_PART = {} "},
    ),
    Constant(
        "0.02, least loss of a row (5.2)",
        "0.02",
        {"0.01": "0.01", "0.04": "0.04"},
        {"core/e_process.hpp": "LEAST = {};"},
    ),
    Constant(
        "8, the largest bet (5.2)",
        "8.0",
        {"4": "4.0", "16": "16.0"},
        {"core/e_process.cpp": "LARGEST = {};"},
    ),
]

# Played in a process of its own, with the changed sources.
PLAY = """
import numpy as np
import askless as al
from deciding import SEED, Played, studies
chosen = [study for name, study in studies() if any(part in name for part in {names})]
cells = []
for study in chosen:
    played = Played(study, {worlds}, (500, 2_000, 5_000))
    policy = {{"name": "epoch", "beta_min": study.settings["beta_min"]}}
    played.play("ours", policy, (500, 2_000, 5_000))
    over, asked = played.over["ours"].mean(axis=0), played.asked["ours"].mean(axis=0)
    cells.append(" · ".join(f"{{a:.2f}} / {{b:.1f}}" for a, b in zip(over, asked)))
world = al.paper_environment(arms=5)
ours = {{"name": "epoch", "beta_min": 0.3, "delta": 0.1}}
done = al.simulate(ours, world, 100_000, {runs}, SEED)
regret = np.mean([run.regret for run in done.runs])
asked = np.mean([run.asked_at[-1] / 100_000 for run in done.runs])
cells.append(f"{{regret:.0f}} / {{asked:.2f}}")
print("CELLS", " | ".join(cells))
"""


def changed(source: Path, constant: Constant, value: str) -> dict[Path, str]:
    """Change a constant in the sources in a folder; return what the files were before."""
    before = {}
    for name, text in constant.written.items():
        path, written = source / name, text.format(constant.value)
        before[path] = path.read_text(encoding="utf-8")
        if before[path].count(written) != 1:
            raise SystemExit(f"{name} does not have once: {written}")
        path.write_text(before[path].replace(written, text.format(value)), encoding="utf-8")
    return before


def play(folder: Path, constant: Constant, value: str, given: argparse.Namespace) -> str:
    """Return a row's cells with a constant changed in the sources in a folder."""
    before = changed(folder / "src", constant, value)
    build(folder)
    code = PLAY.format(names=STUDIES, worlds=given.worlds, runs=given.runs)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=places(folder / "src", ROOT / "benchmarks"),
        capture_output=True,
        text=True,
        check=False,
    )
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")
    found = [line for line in done.stdout.splitlines() if line.startswith("CELLS")]
    return found[0].removeprefix("CELLS ") if found else done.stderr.strip().splitlines()[-1]


def main() -> None:
    """Print a row a constant and value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("constants", nargs="*", help="parts of names; all if left out")
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--runs", type=int, default=4)
    given = parser.parse_args()
    print(f"{processor()}, Python {platform.python_version()}; {given.worlds} worlds a study:")
    print(
        "points over the best single arm / questions a visit after 500 · 2,000 · 5,000 people; the"
    )
    print(f"paper's five arms, beta_min 0.3, {given.runs} runs of 100,000: regret / questions.\n")
    print("| | | example study | 0/1 rewards | ten arms, twenty questions | paper's world |")
    print("|---|---|---|---|---|---|")
    with copied() as folder:
        for constant in CONSTANTS:
            if given.constants and not any(part in constant.name for part in given.constants):
                continue
            for label, value in constant.others.items():
                cells = play(folder, constant, value, given)
                print(f"| {constant.name} | {label} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
