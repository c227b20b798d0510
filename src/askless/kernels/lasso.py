"""A path of lassos out of correlations, by coordinate descent, each from the one before."""

from askless.kernels.bundles import Floats
from askless.kernels.compiling import internal, kernel

MOST_SWEEPS = 1_000


@kernel()
def descend(
    gram: Floats,
    gradient: Floats,
    ridge: float,
    penalties: Floats,
    enough: float,
    found: Floats,
) -> None:
    """Minimise ½b'Gb − c'b + ½ridge‖b‖² + λ‖b‖₁ for one λ after the other, in rows of `found`.

    The first row of `found` is where to start, b; `gradient` is c − Gb, then and always. A λ is
    done once no coefficient moves by more than `enough`.
    """
    for i in range(penalties.shape[0]):
        coef = found[i]
        for j in range(coef.shape[0] if i > 0 else 0):
            coef[j] = found[i - 1, j]
        for _ in range(MOST_SWEEPS):
            if sweep(gram, ridge, penalties[i], gradient, coef, False) <= enough:
                break
            # The few that are not zero settle first; then all are looked at again.
            for _ in range(MOST_SWEEPS):
                if sweep(gram, ridge, penalties[i], gradient, coef, True) <= enough:
                    break


@internal()
def sweep(
    gram: Floats, ridge: float, penalty: float, gradient: Floats, coef: Floats, active: bool
) -> float:
    """Take the best step of each coefficient in turn, of the `active` ones only if wanted."""
    largest = 0.0
    for j in range(coef.shape[0]):
        square, before = gram[j, j], coef[j]
        if square <= 0.0 or (active and before == 0.0):
            continue
        wanted = gradient[j] + square * before
        left = abs(wanted) - penalty
        after = 0.0 if left <= 0.0 else (left if wanted > 0.0 else -left) / (square + ridge)
        step = after - before
        if step != 0.0:
            coef[j] = after
            for a in range(coef.shape[0]):
                gradient[a] -= step * gram[j, a]
            largest = max(largest, abs(step))
    return largest
