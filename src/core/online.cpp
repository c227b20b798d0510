// A model that takes in an epoch's rows one after the other, and says of each what it expects first.
#include "online.hpp"

namespace askless {

// Put into `out` what an arm's model says of each row with the rows before it (maths 5.2).
// It starts with the model from before the epoch; `ys` are rewards from the middle of the range, and
// predictions are clipped to it.
void predict(Arms& arms, const Arm& arm, const Epoch& epoch, Matrix rows, Vector ys, Reals out) {
    Epochs& epochs = *arms.epochs;
    const Whole size = arm.size;
    const RealTable root = epochs.whole.table(), online = epochs.online.table();
    const Reals weights = online[0], estimate = online[1], projected = online[2];
    const Reals slopes = online[3], lifts = online[4], gain = arms.scratch(1);
    copy_rows(epoch.model_root, size, root);
    copy(epoch.model_weights, root.columns(), weights);
    copy(epoch.model_estimate, root.columns(), estimate);
    for (Whole t = 0; t < rows.rows(); ++t) {
        const Vector z = rows[t];
        const Real guess = dot(z, estimate, size);
        out[t] = min(max(guess, -0.5), 0.5);
        times(root, z, size, projected);
        const Real tau = add_row(weights, projected, size, arms.scratch(0), slopes, lifts);
        const Real move = (ys[t] - guess) / tau;
        for (Whole j = 0; j < size; j += 2 * WIDTH) {
            sweep(root, j, j, size, slopes, lifts, gain);
            add_multiple(move, gain.from(j), estimate.from(j), 2 * WIDTH);
        }
    }
}

} // namespace askless
