"""Wrong versions of epochs and short forms, on which the tests must fail: `make mutants`.

Each is the method with one thing wrong that its proof forbids. Prints what became of it and which
test caught it. The tests that count wrong drops, or that bets are fair, come before those that look
whether the state is frozen: where one of the latter is named, no frequency gave the mutant away.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TESTS = ("tests/policies/test_epoch_guarantee.py",)
SHORT_TESTS = (
    "tests/policies/test_short_check.py",
    "tests/simulation/test_short_loops.py",
    "tests/policies/test_short_forms.py",
)


class Mutant(NamedTuple):
    """A change of some texts of the source."""

    name: str
    changes: list[tuple[str, str, str]]  # file, old, new
    tests: tuple[str, ...] = TESTS


COVERAGE = ("tests/evaluation/test_coverage.py",)
END, TEST, ONLINE, SHORT = "epoch_end.py", "e_process.py", "online.py", "short_loop.py"
SIGNED = "signed_effects.py"
GOES_ON = "            epochs.kept[k] = epochs.added[k] = 0\n        return GOES_ON\n"
SET_NEED = "@internal()\ndef set_need"


def inside_epochs(body: str) -> list[tuple[str, str, str]]:
    """Return changes by which something is done at every 32nd row of an epoch.

    `body` is done while the arm's sums hold the epoch's rows too; what is derived from them but
    for decisions is then derived again without them.
    """
    helper = (
        "@internal()\n"
        "def peek(\n"
        "    address: int, columns: Columns, rule: Rule, arms: Arms, epochs: Epochs, k: int\n"
        ") -> None:\n"
        "    undecided = 0\n"
        "    for sign in (1.0, -1.0):\n"
        "        for i in range(arms.size[k]):\n"
        "            for j in range(i + 1):\n"
        "                arms.gram[k, i, j] += sign * epochs.gram[k, i, j]\n"
        "            arms.moment[k, i] += sign * epochs.moment[k, i]\n"
        "        arms.squares[k] += sign * epochs.squares[k]\n"
        "        arms.n[k] += int(sign) * epochs.held[k]\n"
        "        call_at(arms.links[FIT], address, k)\n"
        f"{body}\n\n"
    )
    return [
        (
            END,
            GOES_ON,
            GOES_ON.replace(
                "        return",
                "        peek(address, columns, rule, arms, epochs, k)\n        return",
            ),
        ),
        (END, SET_NEED, helper + SET_NEED),
    ]


MUTANTS = [
    Mutant(
        "bets chosen with the present epoch's residuals",
        [
            (
                END,
                "noise=min(0.25, arms.noise[k] * (1.0 + size / (arms.n[k] + 0.5 * count))),",
                "noise=min(0.25, max(1e-4, errors[:count].sum() / count)),",
            )
        ],
    ),
    Mutant(
        "predictions that see their own row",
        [
            (ONLINE, "        out[t] = min(max(guess, -0.5), 0.5)\n", ""),
            (
                ONLINE,
                "            add_multiple(move, gain[j:], estimate[j:], 2 * WIDTH)",
                "            add_multiple(move, gain[j:], estimate[j:], 2 * WIDTH)\n"
                "        out[t] = min(max(dot(z, estimate, size), -0.5), 0.5)",
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
        [
            (
                END,
                "found, enough = 0, math.log(kept / ((1.0 - rule.set_part) * arms.share[k]))",
                "found, share = 0, arms.share[k] * arms.n.size\n"
                "        enough = math.log(kept / ((1.0 - rule.set_part) * share))",
            )
        ],
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
        "the model that decides is refitted inside the epoch, at every 32nd row",
        inside_epochs(
            "        if sign > 0.0:\n            call_at(arms.links[ACTIVATE], address, k)\n"
        ),
    ),
    Mutant(
        "effects: the model that decides is refitted inside the epoch, at every 32nd row",
        inside_epochs(
            "        if sign > 0.0:\n            call_at(arms.links[ACTIVATE], address, k)\n"
        ),
        COVERAGE,
    ),
    Mutant(
        "effects: an epoch weighs more if its estimate is high",
        [
            (
                SIGNED,
                "    if counted < MOST_COUNTED",
                "    root *= 1.5 if estimate > 0.0 else 0.5\n    if counted < MOST_COUNTED",
            )
        ],
        COVERAGE,
    ),
    Mutant(
        "sigma-hat is that of the epoch under way, at every 32nd row",
        inside_epochs(
            "        if sign > 0.0:\n"
            "            root, weights = epochs.model_root[k], epochs.model_weights[k]\n"
            "            measure(rule, arms, k, root, weights, epochs.model_estimate[k])\n"
            "    call_at(arms.links[ACTIVATE], address, k)\n"
        ),
    ),
    Mutant(
        "pay-back's undecided arms are those of the epoch under way, at every 32nd row",
        inside_epochs(
            "        call_at(arms.links[ACTIVATE], address, k)\n"
            "        if sign > 0.0:\n            undecided = epochs.undecided[k]\n"
            "    epochs.undecided[k] = undecided\n"
        ),
    ),
    Mutant(
        "short forms: epochs learn check visits",
        [(SHORT, "        return GOES_ON, False\n", "")],
        SHORT_TESTS,
    ),
    Mutant(
        "short forms: the toss is 0.6 instead of a half",
        [("short_visits.py", "TOSS = 0.25", "TOSS = 0.2")],
        SHORT_TESTS,
    ),
    Mutant(
        "short forms: the expected reward has seen the toss",
        [
            (
                SHORT,
                "        x = loss_of(rule, y, guess, played == winner_of_all)\n",
                "        guess += -0.1 if played == winner_of_all else 0.1\n"
                "        x = loss_of(rule, y, guess, played == winner_of_all)\n",
            )
        ],
        SHORT_TESTS,
    ),
    Mutant(
        "short forms: a form is chosen by rewards of the blocks under way",
        [
            (
                SHORT,
                "        counts[FULL_VISITS] += 1\n        if is_due",
                "        counts[FULL_VISITS] += 1 + (y > 0.0)\n        if is_due",
            )
        ],
        SHORT_TESTS,
    ),
]


def mutate(mutant: Mutant, source: Path) -> None:
    """Put a mutant's source into a folder."""
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    for name, old, new in mutant.changes:
        path = source / "askless" / "kernels" / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise SystemExit(f"{mutant.name}: {name} does not have once: {old}")
        path.write_text(text.replace(old, new), encoding="utf-8")


def fails(mutant: Mutant) -> bool:
    """Whether the tests fail on a mutant; prints the first that does."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        mutate(mutant, source)
        places = {
            "PYTHONPATH": os.pathsep.join((str(source), str(ROOT / "tests"))),
            "NUMBA_CACHE_DIR": folder,
        }
        if mutant.tests in (TESTS, COVERAGE):  # as many runs as it takes to see the difference
            places["ASKLESS_LONG"] = "1"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            *mutant.tests,
        ]
        run = subprocess.run(
            [*command, *mutant.tests],
            cwd=ROOT,
            env=os.environ | places,
            capture_output=True,
            text=True,
            check=False,
        )
        print(f"{mutant.name}: {run.stdout.strip().splitlines()[-1]}", flush=True)
        for line in run.stdout.splitlines():
            if line.startswith(("FAILED", "ERROR")):
                print(f"  {line.partition(' - ')[0]}", flush=True)
        return run.returncode == 1


if __name__ == "__main__":
    wanted = sys.argv[1:]  # parts of names; all mutants, if none
    chosen = [m for m in MUTANTS if not wanted or any(part in m.name for part in wanted)]
    missed = [mutant.name for mutant in chosen if not fails(mutant)]
    print(f"Not caught: {', '.join(missed) or 'none'}")
