"""Predictions that see only what came before: ridge regression, a row of an epoch at a time."""

from askless.kernels.bundles import Arms, Floats
from askless.kernels.compiling import internal
from askless.kernels.epochs import Epochs
from askless.kernels.lanes import WIDTH
from askless.kernels.triangle import add_multiple, add_row, copy, copy_rows, dot, sweep, times


@internal()
def predict(
    arms: Arms, epochs: Epochs, k: int, rows: Floats, count: int, ys: Floats, out: Floats
) -> None:
    """Put into `out` what arm k's model says of each row with the rows before it (maths 5.2).

    It starts with the model from before the epoch; `ys` are rewards from the middle of the range,
    and predictions are clipped to it.
    """
    size, root = arms.size[k], epochs.whole
    weights, estimate, projected = epochs.online[0], epochs.online[1], epochs.online[2]
    slopes, lifts, gain = epochs.online[3], epochs.online[4], arms.work[1]
    copy_rows(epochs.model_root[k], size, root)
    copy(epochs.model_weights[k], root.shape[1], weights)
    copy(epochs.model_estimate[k], root.shape[1], estimate)
    for t in range(count):
        z = rows[t]
        guess = dot(z, estimate, size)
        out[t] = min(max(guess, -0.5), 0.5)
        times(root, z, size, projected)
        tau = add_row(weights, projected, size, arms.work[0], slopes, lifts)
        move = (ys[t] - guess) / tau
        for j in range(0, size, 2 * WIDTH):
            sweep(root, j, j, size, slopes, lifts, gain)
            add_multiple(move, gain[j:], estimate[j:], 2 * WIDTH)
