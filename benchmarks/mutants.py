"""Wrong versions of epochs and short forms, on which the tests must fail: `make mutants`.

Each is the method with one thing wrong that its proof forbids. Prints what became of it and which
test caught it. The tests that count wrong drops, or that bets are fair, come before those that look
whether the state is frozen: where one of the latter is named, no frequency gave the mutant away.
"""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from revisions import ROOT, build, copied, places

TESTS = tuple(
    f"tests/policies/{name}.py"
    for name in ("test_epoch_guarantee", "test_fair_bets", "test_epoch_frozen")
)
SHORT_TESTS = (
    "tests/policies/test_short_check.py",
    "tests/simulation/test_short_loops.py",
    "tests/policies/test_short_forms.py",
)


class Mutant(NamedTuple):
    """A change of some texts of the source."""

    name: str
    changes: list[tuple[str, str, str]]  # file in src, old, new
    tests: tuple[str, ...] = TESTS


COVERAGE = ("tests/evaluation/test_coverage.py",)
END, TEST, ONLINE = "core/epoch_end.cpp", "core/e_process.cpp", "core/online.cpp"
SHORT, SIGNED = "core/short_loop.cpp", "core/signed_effects.cpp"
GOES_ON = "        return GOES_ON;\n"
LOOK = "// Look at an arm's block after some rows: end it where it is time (maths 5.1).\n"


def inside_epochs(body: str, after: str = "") -> list[tuple[str, str, str]]:
    """Return changes by which something is done at every 32nd row of an epoch.

    `body` is done while the arm's sums hold the epoch's rows too; what is derived from them but
    for decisions is then derived again without them, and `after` is done.
    """
    helper = f"""\
static void peek(Arms& arms, Whole k) {{
    Arm& arm = arms[k];
    Epoch& epoch = (*arms.epochs)[k];
    [[maybe_unused]] Whole undecided = 0;
    for (Real sign : {{1.0, -1.0}}) {{
        for (Whole i = 0; i < arm.size; ++i) {{
            for (Whole j = 0; j <= i; ++j) arm.gram(i, j) += sign * epoch.gram(i, j);
            arm.moment[i] += sign * epoch.moment[i];
        }}
        arm.squares += sign * epoch.squares;
        arm.n += static_cast<Whole>(sign) * epoch.held;
        fit(arms, k);
        {body}
    }}
    {after}
}}

"""
    return [(END, GOES_ON, f"        peek(arms, k);\n{GOES_ON}"), (END, LOOK, helper + LOOK)]


MUTANTS = [
    Mutant(
        "bets chosen with the present epoch's residuals",
        [
            (
                END,
                "    design.rank = factor_by_rank(design);\n",
                "    design.noise = sum_of(errors, count) / static_cast<Real>(count);\n"
                "    design.noise = min(0.25, max(1e-4, design.noise));\n"
                "    design.rank = factor_by_rank(design);\n",
            )
        ],
    ),
    Mutant(
        "predictions that see their own row",
        [
            (ONLINE, "        out[t] = min(max(guess, -0.5), 0.5);\n", ""),
            (
                ONLINE,
                "            add_multiple(move, gain.from(j), estimate.from(j), 2 * WIDTH);\n"
                "        }\n",
                "            add_multiple(move, gain.from(j), estimate.from(j), 2 * WIDTH);\n"
                "        }\n"
                "        out[t] = min(max(dot(z, estimate, size), -0.5), 0.5);\n",
            ),
        ],
    ),
    Mutant(
        "a question goes once one side has passed",
        [
            (
                END,
                "    Whole all = 1;\n"
                "    for (Whole d = arms.survey[g].start; d < arms.survey[g].end; ++d)\n"
                "        for (int side = 0; side < 2; ++side)"
                " all &= epoch.passed(d, side) |= epoch.logs(d, side) >= enough;\n",
                "    Whole all = 1;\n"
                "    for (Whole d = arms.survey[g].start; d < arms.survey[g].end; ++d) {\n"
                "        for (int side = 0; side < 2; ++side)"
                " epoch.passed(d, side) |= epoch.logs(d, side) >= enough;\n"
                "        all &= epoch.passed(d, 0) | epoch.passed(d, 1);\n"
                "    }\n",
            )
        ],
    ),
    Mutant(
        "the threshold without the number of arms",
        [
            (
                END,
                "        const Real enough = line_of(arms.rule, arm);\n",
                "        const Real enough ="
                " line_of(arms.rule, arm) - ln(static_cast<Real>(arms.count()));\n",
            )
        ],
    ),
    Mutant(
        "a regularised fit of the epoch",
        [
            (
                END,
                "    design.rank = factor_by_rank(design);\n",
                "    for (Whole i = 0; i < size; ++i) whole(i, i) += 5.0;\n"
                "    design.rank = factor_by_rank(design);\n",
            ),
            (
                TEST,
                "    if (bias_of(design, first, direction) > BIASED) return {};\n",
                "    if (bias_of(design, first, direction) > 1e9) return {};\n",
            ),
        ],
    ),
    Mutant(
        "the model that decides is refitted inside the epoch, at every 32nd row",
        inside_epochs("if (sign > 0.0) activate(arms, k);"),
    ),
    Mutant(
        "effects: the model that decides is refitted inside the epoch, at every 32nd row",
        inside_epochs("if (sign > 0.0) activate(arms, k);"),
        COVERAGE,
    ),
    Mutant(
        "effects: an epoch weighs more if its estimate is high",
        [
            (
                SIGNED,
                "    sums[ESTIMATES] += root * estimate;\n    sums[ROOTS] += root;\n",
                "    const Real weight = root * (estimate > 0.0 ? 1.5 : 0.5);\n"
                "    sums[ESTIMATES] += weight * estimate;\n    sums[ROOTS] += weight;\n",
            )
        ],
        COVERAGE,
    ),
    Mutant(
        "sigma-hat is that of the epoch under way, at every 32nd row",
        inside_epochs(
            "if (sign > 0.0)"
            " measure(arms, arm, epoch.model_root, epoch.model_weights, epoch.model_estimate);",
            "activate(arms, k);",
        ),
    ),
    Mutant(
        "pay-back's undecided arms are those of the epoch under way, at every 32nd row",
        inside_epochs(
            "activate(arms, k);\n        if (sign > 0.0) undecided = epoch.undecided;",
            "epoch.undecided = undecided;",
        ),
    ),
    Mutant(
        "short forms: epochs learn check visits",
        [
            (
                SHORT,
                "    } else {\n        const bool began",
                "    }\n    {\n        const bool began",
            )
        ],
        SHORT_TESTS,
    ),
    Mutant(
        "short forms: the toss is 0.6 instead of a half",
        [
            ("core/short_visits.hpp", "constexpr Real TOSS = 0.25;", "constexpr Real TOSS = 0.2;"),
            ("askless/core/words.py", "COIN, TOSS = 0.5, 0.25", "COIN, TOSS = 0.5, 0.2"),
        ],
        SHORT_TESTS,
    ),
    Mutant(
        "short forms: the expected reward has seen the toss",
        [
            (
                SHORT,
                "        const Real guess ="
                " expected_of_two(arms, shorts, choice.winner, choice.rival, z);\n",
                "        const Real guess ="
                " expected_of_two(arms, shorts, choice.winner, choice.rival, z) +\n"
                "                           (choice.arm == choice.winner ? -0.1 : 0.1);\n",
            )
        ],
        SHORT_TESTS,
    ),
    Mutant(
        "short forms: a form is chosen by rewards of the blocks under way",
        [(SHORT, "    ++counts[FULL_VISITS];\n", "    counts[FULL_VISITS] += 1 + (y > 0.0);\n")],
        SHORT_TESTS,
    ),
]


def mutated(mutant: Mutant, source: Path) -> dict[Path, str]:
    """Change the sources in a folder into a mutant's; return what the files were before."""
    before: dict[Path, str] = {}
    for name, old, new in mutant.changes:
        path = source / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise SystemExit(f"{mutant.name}: {name} does not have once: {old}")
        before.setdefault(path, text)
        path.write_text(text.replace(old, new), encoding="utf-8")
    return before


def fails(mutant: Mutant, folder: Path) -> bool:
    """Whether a test fails on a mutant, built in a folder; prints which. An error is no failure."""
    source = folder / "src"
    before = mutated(mutant, source)
    build(folder)
    environment = places(source, ROOT / "tests")
    if mutant.tests in (TESTS, COVERAGE):  # as many runs as it takes to see the difference
        environment["ASKLESS_LONG"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, *mutant.tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    # The summary comes last, but for what the interpreter says while it ends.
    lines = [line for line in run.stdout.splitlines() if " in " in line and line[0].isdigit()]
    print(f"{mutant.name}: {lines[-1] if lines else run.stdout[-2_000:]}", flush=True)
    for line in run.stdout.splitlines():
        if line.startswith(("FAILED", "ERROR")):
            print(f"  {line.partition(' - ')[0]}", flush=True)
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")
    return any(line.startswith("FAILED") for line in run.stdout.splitlines())


def main(wanted: list[str]) -> None:
    """Try the mutants whose names have one of these parts; all of them, if there are none."""
    chosen = [m for m in MUTANTS if not wanted or any(part in m.name for part in wanted)]
    with copied() as folder:
        build(folder)
        missed = [mutant.name for mutant in chosen if not fails(mutant, folder)]
    print(f"Not caught: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main(sys.argv[1:])
