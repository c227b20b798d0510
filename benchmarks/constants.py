"""The constants of maths 8, each halved and doubled: what it changes. `make constants`.

Constants in the kernels are changed in a copy of the sources, which compiles anew: that takes most
of the time. Surveys are not interactive, which saves half of it: regret is the same.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from askless.report.page import processor

ROOT = Path(__file__).parents[1]


STUDIES = ["example study", "0/1", "ten arms"]


class Constant(NamedTuple):
    """A constant, where it is written, and what is put in its place."""

    name: str
    file: str
    written: str
    others: dict[str, str]  # label: text


CONSTANTS = [
    Constant("as it is", "kernels/deciding.py", "SURE = 2.0", {"": "SURE = 2.0"}),
    Constant(
        "κ = 2, standard errors that may be chance (8.3)",
        "kernels/deciding.py",
        "SURE = 2.0",
        {"1": "SURE = 1.0", "4": "SURE = 4.0"},
    ),
    Constant(
        "τ = 1, `optimism` (8.4)",
        "policies/epoch_survey_ucb.py",
        "optimism: float | str = 1.0,",
        {"½": "optimism: float | str = 0.5,", "2": "optimism: float | str = 2.0,"},
    ),
    Constant(
        "ω = ¼, prior spread of a coefficient (8.2)",
        "kernels/noise.py",
        "PRIOR_SPREAD = 0.25",
        {"⅛": "PRIOR_SPREAD = 0.125", "½": "PRIOR_SPREAD = 0.5"},
    ),
    Constant(
        "ν = 1, rows that the prior noise counts for (8.1)",
        "kernels/noise.py",
        "PRIOR_ROWS = 1.0",
        {"½": "PRIOR_ROWS = 0.5", "2": "PRIOR_ROWS = 2.0"},
    ),
    Constant(
        "0.3, pay-back (8.5)",
        "kernels/choosing.py",
        "BACK = 0.3",
        {"0.15": "BACK = 0.15", "0.6": "BACK = 0.6"},
    ),
    Constant(
        "ε = 0.02, `explore` (8.6)",
        "policies/settings.py",
        "EXPLORE = 0.02",
        {"0.01": "EXPLORE = 0.01", "0.04": "EXPLORE = 0.04"},
    ),
    Constant(
        "0.3p, rows of the start (8.7)",
        "policies/settings.py",
        "3 * survey.column_count // 10",
        {"0.15p": "3 * survey.column_count // 20", "0.6p": "6 * survey.column_count // 10"},
    ),
    Constant(
        "⌊n/10⌋, rows of a block in warm-up (8.7)",
        "kernels/epoch_end.py",
        "arms.n[k] // 10",
        {"⌊n/20⌋": "arms.n[k] // 20", "⌊n/5⌋": "arms.n[k] // 5"},
    ),
    Constant(
        "0.2, part of the tests' rows that is warm-up (8.7)",
        "kernels/epoch_end.py",
        "WARM = 0.2",
        {"0.1": "WARM = 0.1", "0.4": "WARM = 0.4"},
    ),
    Constant(
        "3 rows a column of H, fewest of warm-up (8.7)",
        "kernels/epoch_end.py",
        "rows = 3.0 * arms.size[k]",
        {"1.5": "rows = 1.5 * arms.size[k]", "6": "rows = 6.0 * arms.size[k]"},
    ),
    Constant(
        "g − 1 = ½, `growth` of epochs (5.1)",
        "policies/settings.py",
        "GROWTH, MOST_GROWTH = 1.5, 3",
        {"¼": "GROWTH, MOST_GROWTH = 1.25, 3", "1": "GROWTH, MOST_GROWTH = 2.0, 3"},
    ),
    Constant(
        "0.1, the sets' part of δ (5.1)",
        "policies/settings.py",
        "SET_PART = 0.1",
        {"0.05": "SET_PART = 0.05", "0.2": "SET_PART = 0.2"},
    ),
    Constant(
        "0.02, least loss of a row (5.2)",
        "kernels/e_process.py",
        "LEAST = 0.02",
        {"0.01": "LEAST = 0.01", "0.04": "LEAST = 0.04"},
    ),
    Constant(
        "8, the largest bet (5.2)",
        "kernels/e_process.py",
        "BETS, SMALLEST, LARGEST = 24, 0.003, 8.0",
        {
            "4": "BETS, SMALLEST, LARGEST = 24, 0.003, 4.0",
            "16": "BETS, SMALLEST, LARGEST = 24, 0.003, 16.0",
        },
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


def play(folder: Path, constant: Constant, text: str, given: argparse.Namespace) -> str:
    """Return a row's cells with a constant changed in the sources in a folder."""
    path = folder / "src" / "askless" / constant.file
    whole = path.read_text(encoding="utf-8")
    if whole.count(constant.written) != 1:
        raise SystemExit(f"{constant.file} does not have once: {constant.written}")
    path.write_text(whole.replace(constant.written, text), encoding="utf-8")
    places = {
        "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{ROOT / 'benchmarks'}",
        "NUMBA_CACHE_DIR": str(folder / "compiled"),  # anew where a kernel has changed
    }
    code = PLAY.format(names=STUDIES, worlds=given.worlds, runs=given.runs)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=False,
    )
    path.write_text(whole, encoding="utf-8")
    found = [line for line in done.stdout.splitlines() if line.startswith("CELLS")]
    return found[0].removeprefix("CELLS ") if found else done.stderr.strip().splitlines()[-1]


def compiles(constant: Constant) -> bool:
    """Whether changing a constant compiles the kernels anew."""
    return constant.file.startswith("kernels") and constant.name != "as it is"


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
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "src", folder / "src", ignore=unwanted)
        # First those that are no kernels': nothing is compiled between them.
        for constant in sorted(CONSTANTS, key=compiles):
            if given.constants and not any(part in constant.name for part in given.constants):
                continue
            for label, text in constant.others.items():
                cells = play(folder, constant, text, given)
                print(f"| {constant.name} | {label} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
