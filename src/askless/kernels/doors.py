"""The doors to the kernels: what Python calls, on the flat buffers of a survey and of its arms.

The doors that take a row as it comes either do their work or decline; the caller then finds out
why, at leisure.
"""

from askless.kernels import ridge
from askless.kernels.bundles import Flags, Floats, Ints, open_arms, open_columns
from askless.kernels.compiling import kernel
from askless.kernels.rows import COMPLETE, check_row

DECLINED = -1


@kernel()
def read_row(survey_ints: Ints, survey_floats: Floats, z: Floats, out: Floats) -> int:
    """Check a row and put it on the grid, as `rows.check_row` does."""
    return check_row(open_columns(survey_ints, survey_floats), z, out)


@kernel()
def play_row(
    survey_ints: Ints, survey_floats: Floats, ints: Ints, floats: Floats, live: Flags, z: Floats
) -> int:
    """Check a row and return the arm to play; DECLINED if the row is not in order."""
    columns = open_columns(survey_ints, survey_floats)
    _, arms = open_arms(ints, floats)
    row = arms.work[4, : z.shape[0]]
    if check_row(columns, z, row) != COMPLETE:
        return DECLINED
    return ridge.best_arm(arms, live, row)


@kernel()
def score_row(ints: Ints, floats: Floats, live: Flags, z: Floats, out: Floats) -> int:
    """Put the UCB of every live arm into `out`; return the best one, ties to the lowest index."""
    _, arms = open_arms(ints, floats)
    best = ridge.best_arm(arms, live, z)
    out[:] = arms.scores
    return best


@kernel()
def learn_row(
    survey_ints: Ints,
    survey_floats: Floats,
    ints: Ints,
    floats: Floats,
    k: int,
    z: Floats,
    y: float,
) -> int:
    """Check a row and learn it for arm k; DECLINED if the row is not in order."""
    columns = open_columns(survey_ints, survey_floats)
    rule, arms = open_arms(ints, floats)
    row = arms.work[4, : z.shape[0]]
    if check_row(columns, z, row) != COMPLETE:
        return DECLINED
    return ridge.learn(columns, rule, arms, k, row, y, False)


@kernel()
def learn_rows(
    survey_ints: Ints,
    survey_floats: Floats,
    ints: Ints,
    floats: Floats,
    played: Ints,
    rows: Floats,
    ys: Floats,
) -> None:
    """Learn checked rows, one after the other."""
    columns = open_columns(survey_ints, survey_floats)
    rule, arms = open_arms(ints, floats)
    for i in range(played.shape[0]):
        ridge.learn(columns, rule, arms, played[i], rows[i], ys[i], False)


@kernel()
def refresh(
    survey_ints: Ints, survey_floats: Floats, ints: Ints, floats: Floats, chosen: Ints
) -> None:
    """Derive the chosen arms anew from their statistics."""
    columns = open_columns(survey_ints, survey_floats)
    rule, arms = open_arms(ints, floats)
    for k in chosen:
        ridge.refresh(columns, rule, arms, k)
