"""Wrong versions of Epoch SurveyUCB, on which the tests of its promise must fail: `make mutants`.

Each is the method with one thing wrong that its proof forbids. Prints what became of it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TESTS = "tests/policies/test_epoch_guarantee.py"


class Mutant(NamedTuple):
    """A change of some texts of the source."""

    name: str
    changes: list[tuple[str, str, str]]  # file, old, new


END, TEST, RIDGE = "epoch_end.py", "e_process.py", "ridge.py"
COUNTED = "counts[min(int(design.sizes[i] * scale), BINS - 1)] += "
MUTANTS = [
    Mutant(
        "bets chosen with the present epoch's residuals",
        [
            (TEST, COUNTED + "1.0", COUNTED + "design.errors[i]"),
            (
                END,
                "noise = epochs.errors[k] / epochs.judged[k] if epochs.judged[k] > 0 else 0.25",
                "noise = 1.0",
            ),
        ],
    ),
    Mutant(
        "a question goes once one side has passed",
        [
            (
                END,
                "bool(epochs.passed[k, d, 0]) and bool(epochs.passed[k, d, 1])",
                "bool(epochs.passed[k, d, 0]) or bool(epochs.passed[k, d, 1])",
            )
        ],
    ),
    Mutant(
        "the threshold without the number of arms",
        [(END, "math.log(kept / arms.share[k])", "math.log(kept / arms.share[k] / arms.n.size)")],
    ),
    Mutant(
        "a regularised fit of the epoch",
        [
            (
                END,
                "    rank = e_process.factor",
                "    for i in range(size):\n        whole[i, i] += 5.0\n"
                "    rank = e_process.factor",
            ),
            (
                TEST,
                "if bias_of(design, first, direction) > BIASED:",
                "if bias_of(design, first, direction) > 1e9:",
            ),
        ],
    ),
    Mutant(
        "the model is refitted inside the epoch, at every 32nd row",
        [
            (
                END,
                "        return GOES_ON\n",
                "        refit(address, rule, arms, epochs, k)\n        return GOES_ON\n",
            ),
            (
                END,
                "@internal()\ndef set_need",
                "@internal()\n"
                "def refit(address: int, rule: Rule, arms: Arms, epochs: Epochs, k: int) -> None:\n"
                "    for sign in (1.0, -1.0):\n"
                "        for i in range(arms.size[k]):\n"
                "            for j in range(i + 1):\n"
                "                arms.gram[k, i, j] += sign * epochs.gram[k, i, j]\n"
                "            arms.moment[k, i] += sign * epochs.moment[k, i]\n"
                "        if sign > 0.0:\n"
                "            call_at(arms.links[REFRESH], address, k)\n\n\n"
                "@internal()\ndef set_need",
            ),
        ],
    ),
]


def fails(mutant: Mutant) -> bool:
    """Whether the tests fail on a mutant."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        for name, old, new in mutant.changes:
            path = source / "askless" / "kernels" / name
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                raise SystemExit(f"{mutant.name}: {name} does not have once: {old}")
            path.write_text(text.replace(old, new), encoding="utf-8")
        places = {"PYTHONPATH": str(source), "NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", TESTS]
        run = subprocess.run(
            command, cwd=ROOT, env=os.environ | places, capture_output=True, text=True, check=False
        )
        print(f"{mutant.name}: {run.stdout.strip().splitlines()[-1]}", flush=True)
        for line in run.stdout.splitlines():
            if line.startswith(("FAILED", "ERROR")):
                print(f"  {line}", flush=True)
        return run.returncode == 1


if __name__ == "__main__":
    missed = [mutant.name for mutant in MUTANTS if not fails(mutant)]
    print(f"Not caught: {', '.join(missed) or 'none'}")
