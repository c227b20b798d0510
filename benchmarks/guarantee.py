"""How often Epoch SurveyUCB drops wrongly at the boundary, 1,200 runs a world: `make guarantee`.

The worlds are those of the tests: every effect is exactly beta_min, where the promise is hardest to
keep. Prints a line a world; the last column is how many runs may fail, but for one case in 10^6.
"""

import sys

import numpy as np
from scipy.stats import binom

from boundary_worlds import (  # type: ignore[import-not-found]
    ALONE_DELTA,
    CHANCE,
    DELTA,
    WORLDS,
    loses_its_question,
    play,
    within,
)
from policies.test_short_check import (  # type: ignore[import-not-found]
    LEVEL,
    SETTINGS,
    drops_of,
)
from policies.test_short_check import play as check

RUNS = 1_200
CHECKS, INTERVALS = 4_000, 1_000  # runs a setting of the check of short forms


def main(runs: int) -> bool:
    """Print the table; return whether every world is within its bound."""
    print(
        f"{'world':<24}{'runs':>6}{'wrong drops':>13}{'missed sets':>13}{'dropped':>9}{'bound':>7}"
    )
    fine = True
    for name, world in WORLDS.items():
        wrong, missed, gone = map(
            np.array, zip(*(play(world, run) for run in range(runs)), strict=True)
        )
        bound = int(binom.ppf(1 - CHANCE, runs, DELTA))
        failed = int((wrong | missed).sum())
        fine &= within(failed, runs, DELTA) and gone.mean() > 1 / 3
        print(
            f"{name:<24}{runs:>6}{wrong.sum():>13}{missed.sum():>13}{gone.mean():>9.0%}{bound:>7}",
            flush=True,
        )
    alone = sum(loses_its_question(run) for run in range(runs))
    bound = int(binom.ppf(1 - CHANCE, runs, 0.9 * ALONE_DELTA))
    print(f"{'one arm, one question':<24}{runs:>6}{alone:>13}{'':>13}{'':>9}{bound:>7}")
    print(
        f"\ndelta is {DELTA}; {ALONE_DELTA} in the last world, 0.9 of it for its one question."
        "\nA set is missed if it does not hold its arm's parameters, also because a"
        " useful question went;\ndropped is the share of the useless questions that went."
    )
    return fine and bool(within(alone, runs, 0.9 * ALONE_DELTA)) and short_forms(runs)


def short_forms(runs: int) -> bool:
    """Print the same with short forms, and how often their check errs."""
    print(f"\n{'with short forms':<24}{'runs':>6}{'wrong drops':>13}{'dropped':>9}{'bound':>7}")
    fine, bound = True, int(binom.ppf(1 - CHANCE, runs, DELTA))
    for name, world in WORLDS.items():
        if world.delay is None:
            wrong, gone = zip(*(drops_of(world, run) for run in range(runs)), strict=True)
            fine &= sum(wrong) <= bound
            dropped = np.mean(gone)
            print(f"{name:<24}{runs:>6}{sum(wrong):>13}{dropped:>9.0%}{bound:>7}", flush=True)
    checks, intervals = (max(1, count * runs // RUNS) for count in (CHECKS, INTERVALS))
    bounds = [int(binom.ppf(1 - CHANCE, count, LEVEL)) for count in (checks, intervals)]
    print("\nthe check: arms differ on a share of the visits, and the form costs what it saves")
    print(
        f"{'differ':>7}{'loss':>7}{'saving':>8}{'withdrawn':>11}{'bound':>7}{'missed':>8}{'bound':>7}"
    )
    for setting in SETTINGS:
        gone = sum(check(setting, run)[0] for run in range(checks))
        missed = sum(check(setting, run, look=True)[1] for run in range(intervals))
        fine &= gone <= bounds[0] and missed <= bounds[1]
        print(
            f"{setting.differ:>7}{setting.loss:>7}{setting.saving:>8}{gone:>11}{bounds[0]:>7}"
            f"{missed:>8}{bounds[1]:>7}",
            flush=True,
        )
    print(f"\n{checks:,} runs and {intervals:,} for the interval; both may err in {LEVEL} of them.")
    return fine


if __name__ == "__main__":
    if not main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
        raise SystemExit("a bound is exceeded, or too little was dropped")
