"""How often Epoch SurveyUCB drops wrongly at the boundary, 1,200 runs a world: `make guarantee`.

The worlds are those of the tests: every effect is exactly beta_min, where the promise is hardest to
keep. Prints a line a world; the last column is how many runs may fail, but for one case in 10^6.
"""

import sys

import numpy as np
from scipy.stats import binom

from policies.test_epoch_guarantee import (  # type: ignore[import-not-found]
    ALONE_DELTA,
    CHANCE,
    DELTA,
    WORLDS,
    loses_its_question,
    play,
    within,
)

RUNS = 1_200


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
    return fine and bool(within(alone, runs, 0.9 * ALONE_DELTA))


if __name__ == "__main__":
    if not main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
        raise SystemExit("a bound is exceeded, or too little was dropped")
